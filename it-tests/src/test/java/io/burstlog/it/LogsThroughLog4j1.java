// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import org.apache.log4j.Logger;

/** A child process that logs through the API of Log4j 1, and ends at once. Arguments: run; lines; whether to halt. */
final class LogsThroughLog4j1 {

    private LogsThroughLog4j1() {}

    public static void main(String[] arguments) {
        Logger logger = Logger.getLogger("orders");
        LoggingThreads.log(
                line -> {
                    logger.info(line);
                    return true;
                },
                Integer.parseInt(arguments[0]),
                1,
                Integer.parseInt(arguments[1]),
                false);
        if (Boolean.parseBoolean(arguments[2])) {
            Runtime.getRuntime().halt(0); // nothing is closed, as at a kill
        }
    }
}
