// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.function.Predicate;
import org.apache.logging.log4j.Logger;

/** A thread of a child process: it logs, and tells the witness each line whose log call has returned. */
final class LoggingThreads {
    private LoggingThreads() {}

    static void log(Logger logger, int run, int thread, int lines) {
        Predicate<String> log = line -> {
            logger.info(line);
            // Log4j is shut down: from then on it calls no appender, without an error.
            return logger.isInfoEnabled();
        };
        log(log, run, thread, lines, false);
    }

    /** @param logger answers false when it does not log any more */
    static void log(Predicate<String> logger, int run, int thread, int lines, boolean areEqual) {
        for (int number = 1; number <= lines; number++) {
            if (!logger.test(new LineText(run, thread, areEqual ? 0 : number).text())) {
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
