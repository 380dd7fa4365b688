// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bookkeeper;

import io.burstlog.copy.BurstCopier;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.impl.Log4jContextFactory;
import org.apache.logging.log4j.core.selector.ContextSelector;

/**
 * An application that returns from main without closing its log: a shutdown hook logs once more, and closes it, when
 * Log4j's own hook has ended Log4j.
 */
final class EndingHost {

    private EndingHost() {}

    public static void main(String[] arguments) throws Exception {
        CopiedLog log = new CopiedLog(
                Path.of(arguments[0]),
                Map.of("metadataServiceUri", arguments[1]),
                BurstCopier.Away.WAIT,
                event -> System.out.println("event " + event.text()));
        System.out.println("ring " + log.ringId());
        log.awaitCopied(log.append(1, 100));
        ContextSelector log4j = ((Log4jContextFactory) LogManager.getFactory()).getSelector();
        System.out.println("contexts " + log4j.getLoggerContexts().size());
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            while (!log4j.getLoggerContexts().isEmpty()) {
                LockSupport.parkNanos(1_000_000);
            }
            log.awaitCopied(log.append(101, 200));
            log.close();
        }));
    }
}
