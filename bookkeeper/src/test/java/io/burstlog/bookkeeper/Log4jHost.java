// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bookkeeper;

import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/** An application: it logs a given text so many times, or until it is killed, and returns from main. */
final class Log4jHost {

    private Log4jHost() {}

    public static void main(String[] arguments) {
        Logger logger = LogManager.getLogger("com.example.Trading");
        long count = Long.parseLong(arguments[1]);
        for (long i = 1; i <= count; i++) {
            logger.info("{} {}", arguments[0], i);
        }
    }
}
