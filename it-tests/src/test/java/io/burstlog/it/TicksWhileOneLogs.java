// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import io.burstlog.BurstConfig;
import io.burstlog.BurstLog;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A child process on whose slow medium one virtual thread logs durably, while another one ticks. Its parent gives it
 * one carrier. It prints the fewest ticks during a log call, and the time of the fastest one in ms. Arguments:
 * framework, or BURSTLOG for the log itself; its ring; its log file.
 */
final class TicksWhileOneLogs {

    static final int CALLS = 5;

    private TicksWhileOneLogs() {}

    /** Logs a line. */
    private interface Log {
        void line(String text) throws Exception;
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("BURSTLOG")) {
            BurstConfig config = BurstConfig.builder()
                    .ring(arguments[1])
                    .fileName(arguments[2])
                    .build();
            try (BurstLog log = BurstLog.open(config)) {
                tick(text -> log.append((text + "\n").getBytes(StandardCharsets.UTF_8)));
            }
            return;
        }
        Logging logging =
                Logging.Framework.valueOf(arguments[0]).create(System.getProperty("log4j2.configurationFile"));
        logging.start(1);
        tick(text -> logging.log(1, text));
        logging.stop();
    }

    private static void tick(Log log) throws Exception {
        AtomicLong ticks = new AtomicLong();
        long[] fewest = {Long.MAX_VALUE};
        long[] fastest = {Long.MAX_VALUE};
        Thread logger = VirtualThreads.start(() -> {
            for (int i = 1; i <= CALLS; i++) {
                long before = ticks.get();
                long begin = System.nanoTime();
                log.line("line " + i);
                fastest[0] = Math.min(fastest[0], System.nanoTime() - begin);
                fewest[0] = Math.min(fewest[0], ticks.get() - before);
            }
            return null;
        });
        VirtualThreads.start(() -> {
            while (logger.isAlive()) {
                ticks.incrementAndGet();
                Thread.sleep(1);
            }
            return null;
        });
        logger.join();
        System.out.println(fewest[0] + " ticks " + fastest[0] / 1_000_000 + " ms");
        System.out.flush();
    }
}
