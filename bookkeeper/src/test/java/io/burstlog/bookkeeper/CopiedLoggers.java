// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bookkeeper;

import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * An application: four threads log "NAME-THREAD N" through Log4j, and print {@code returned NAME-THREAD N} when the
 * call has returned. It ends when each has logged so many, or is killed before. If Log4j has no hook, its own one logs
 * once more, "NAME-end 1", and shuts Log4j down. Arguments: NAME, so many, and whether Log4j has a hook.
 */
final class CopiedLoggers {

    private static final int THREADS = 4;

    private CopiedLoggers() {}

    public static void main(String[] arguments) {
        Logger logger = LogManager.getLogger("Trading");
        if (!Boolean.parseBoolean(arguments[2])) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                log(logger, arguments[0] + "-end", 1);
                LogManager.shutdown();
            }));
        }
        for (int i = 0; i < THREADS; i++) {
            String thread = arguments[0] + '-' + i;
            new Thread(() -> log(logger, thread, Long.parseLong(arguments[1]))).start();
        }
    }

    private static void log(Logger logger, String thread, long count) {
        try {
            for (long number = 1; number <= count; number++) {
                logger.info("{} {}", thread, number);
                System.out.println("returned " + thread + ' ' + number);
            }
        } catch (Throwable failure) {
            System.out.println("failed " + thread + ' ' + failure);
            Runtime.getRuntime().halt(1);
        }
    }
}
