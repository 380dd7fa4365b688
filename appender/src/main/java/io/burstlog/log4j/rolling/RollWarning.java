// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.status.StatusLogger;

/** Tells once that a file is not rolled, until a roll succeeds. Safe for use by any thread. */
final class RollWarning {

    private static final Logger LOGGER = StatusLogger.getLogger();

    private final String appender;
    private boolean isTold;

    RollWarning(final String appender) {
        this.appender = appender;
    }

    void tell(final String file, final String reason) {
        if (isNews()) {
            LOGGER.warn(
                    "Burst '{}': the log file {} is not rolled, and goes on: {}. This is tried again every {} s with the"
                            + " next event; that it lasts is not told again.",
                    appender,
                    file,
                    reason,
                    RollRetry.DELAY.toSeconds());
        }
    }

    private synchronized boolean isNews() {
        final boolean isNews = !isTold;
        isTold = true;
        return isNews;
    }

    /** A roll succeeded: the next failure is told again. */
    synchronized void rolled() {
        isTold = false;
    }
}
