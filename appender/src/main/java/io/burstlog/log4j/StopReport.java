// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import io.burstlog.BurstException;
import java.util.function.BooleanSupplier;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.status.StatusLogger;

/** Tells what did not go as it should when an appender was stopped. */
final class StopReport {

    private static final Logger LOGGER = StatusLogger.getLogger();

    private StopReport() {}

    /**
     * Does what is to be done at the stop of an appender.
     *
     * @param makeDurable makes everything durable that the ring has accepted, and answers whether it is
     * @return whether everything is durable
     */
    static boolean of(final OpenRing ring, final BurstAppender appender, final BooleanSupplier makeDurable) {
        try {
            if (makeDurable.getAsBoolean()) {
                return true;
            }
            LOGGER.error(
                    "Burst '{}': not all events were durable after shutdownTimeout, {}, because the ring {} does not"
                            + " take them: log calls that wait for that still wait. Look at its medium.",
                    appender.getName(),
                    Units.of(ring.shutdownTimeout()),
                    ring.name());
            return false;
        } catch (final BurstException failure) {
            if (failure.code() != BurstException.Code.UNDECIDED) {
                reportLoss(appender, failure);
                return false;
            }
            return reportUnfinishedClose(ring, appender, failure);
        } catch (final RuntimeException failure) {
            reportLoss(appender, failure);
            return false;
        }
    }

    /** That the close goes on by itself is an ERROR only if events may still be lost. */
    private static boolean reportUnfinishedClose(
            final OpenRing ring, final BurstAppender appender, final BurstException failure) {
        final boolean isDurable = ring.isAllDurable();
        final String limit = Units.of(ring.shutdownTimeout());
        if (isDurable) {
            LOGGER.warn(
                    "Burst '{}': all events are durable, but the stop had not ended after shutdownTimeout, {}: {}",
                    appender.getName(),
                    limit,
                    failure.getMessage());
        } else {
            LOGGER.error(
                    "Burst '{}': the stop had not ended after shutdownTimeout, {}, and not all events are durable: {}",
                    appender.getName(),
                    limit,
                    failure.getMessage());
        }
        return isDurable;
    }

    private static void reportLoss(final BurstAppender appender, final RuntimeException failure) {
        LOGGER.error(
                "Burst '{}': not everything could be written at stop: {}", appender.getName(), failure.getMessage());
    }
}
