// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * A child process: threads that log as fast as they can and tell the witness each line whose log call returned.
 * Arguments: run, threads, lines of each thread (0: until it is killed).
 */
final class LoggingThreads {
    private LoggingThreads() {}

    public static void main(String[] arguments) throws InterruptedException {
        int run = Integer.parseInt(arguments[0]);
        int lines = Integer.parseInt(arguments[2]);
        Logger logger = LogManager.getLogger("it");
        Thread[] threads = new Thread[Integer.parseInt(arguments[1])];
        for (int i = 0; i < threads.length; i++) {
            int thread = i + 1;
            threads[i] = new Thread(() -> log(logger, run, thread, lines == 0 ? Integer.MAX_VALUE : lines));
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    static void log(Logger logger, int run, int thread, int lines) {
        for (int number = 1; number <= lines; number++) {
            logger.info(new LineText(run, thread, number).text());
            if (!logger.isInfoEnabled()) {
                // Log4j is shut down: from then on it calls no appender, and says so to nobody.
                return;
            }
            try {
                Acknowledged.tell(thread, number);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
