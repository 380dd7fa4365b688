// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import java.io.File;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * A child process for a system call tracer. One thread logs, then goes on between two calls that mark begin and end in
 * the trace. Arguments: lines before the first mark, lines between the marks.
 */
final class OneThread {
    static final String BEGIN = "/mark/begin";
    static final String END = "/mark/end";

    private OneThread() {}

    public static void main(String[] arguments) {
        int linesBefore = Integer.parseInt(arguments[0]);
        int lines = Integer.parseInt(arguments[1]);
        Logger logger = LogManager.getLogger("it");
        File begin = new File(BEGIN);
        File end = new File(END);
        log(logger, linesBefore);
        begin.exists();
        log(logger, lines);
        end.exists();
    }

    private static void log(Logger logger, int lines) {
        for (int number = 1; number <= lines; number++) {
            logger.info("one line of the steady state");
        }
    }
}
