// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import java.util.concurrent.locks.LockSupport;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/** A child process that logs so many orders, each with its number, and returns from main. */
final class LogsOrders {
    private LogsOrders() {}

    /** @param arguments a word for this process, and the count */
    public static void main(String[] arguments) {
        Logger logger = LogManager.getLogger("com.example.Gateway");
        long count = Long.parseLong(arguments[1]);
        for (long order = 1; order <= count; order++) {
            logger.info("{} order {}", arguments[0], order);
            LockSupport.parkNanos(100_000);
        }
    }
}
