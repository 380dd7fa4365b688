// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/** A child process that logs long events until it is killed. */
final class LogsForEver {
    private LogsForEver() {}

    public static void main(String[] arguments) {
        Logger logger = LogManager.getLogger();
        String event = "x".repeat(10_000);
        while (true) {
            logger.info(event);
        }
    }
}
