// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.logging.log4j.Logger;

/** What a thread of a child process does: it logs, and tells the witness each line whose log call returned. */
final class LoggingThreads {
    private LoggingThreads() {}

    static void log(Logger logger, int run, int thread, int lines) {
        log(logger, run, thread, lines, false);
    }

    static void log(Logger logger, int run, int thread, int lines, boolean areEqual) {
        for (int number = 1; number <= lines; number++) {
            logger.info(new LineText(run, thread, areEqual ? 0 : number).text());
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
