// SPDX-License-Identifier: Apache-2.0
package examples.audit;

import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The service, which makes one transfer, and on the way loses its process or its disk. */
final class CrashingTransfers {
    static final int CRASHED = 9;

    private CrashingTransfers() {}

    /** No component that other tests would find. */
    static class Crash {
        @Bean
        TransactionExecutionListener crash() {
            String when = System.getProperty("crash");
            return new TransactionExecutionListener() {
                @Override
                public void beforeCommit(TransactionExecution transaction) {
                    if (when.equals("before-commit")) {
                        Runtime.getRuntime().halt(CRASHED);
                    }
                    TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                        @Override
                        public void afterCommit() {
                            Runtime.getRuntime().halt(CRASHED);
                        }
                    });
                }
            };
        }
    }

    public static void main(String[] arguments) throws Exception {
        ConfigurableApplicationContext context = SpringApplication.run(
                new Class<?>[] {Transfers.class, Crash.class}, new String[] {"--server.port=0", arguments[0]});
        if (System.getProperty("crash").equals("disk") && !FailingDisk.limit("1")) {
            System.exit(1);
        }
        try {
            context.getBean(Ledger.class).transfer(arguments[1], "alice", "bob", 10);
        } catch (RuntimeException refused) { // or the rollback has failed as well: its disk is gone, too
            Thread.sleep(60_000); // the service must end by itself
        }
        Runtime.getRuntime().halt(2);
    }
}
