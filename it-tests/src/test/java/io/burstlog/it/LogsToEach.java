// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import org.apache.logging.log4j.LogManager;

/** A child process that logs one event to each logger that its arguments name. */
final class LogsToEach {
    private LogsToEach() {}

    public static void main(String[] arguments) {
        for (String name : arguments) {
            LogManager.getLogger(name).info("order of {}", name);
        }
    }
}
