// SPDX-License-Identifier: Apache-2.0
package io.burstlog.doors;

import io.burstlog.BurstEvent.Severity;
import io.burstlog.BurstException;
import java.util.function.BooleanSupplier;

/** Tells the operator about failures during the stop of an appender or handler. */
final class StopReport {

    private StopReport() {}

    /**
     * Runs the work of a stop, and tells its failures.
     *
     * @param makeDurable makes everything durable that the ring has accepted, and returns whether all is durable
     * @return whether everything is durable
     */
    static boolean of(OpenRing ring, Holder holder, BooleanSupplier makeDurable) {
        try {
            if (makeDurable.getAsBoolean()) {
                return true;
            }
            holder.tell(
                    Severity.ERROR,
                    "not all events were durable after shutdownTimeout, " + Units.of(ring.shutdownTimeout())
                            + ", because the ring " + ring.name()
                            + " does not take them: log calls that wait for that still wait. Look at its medium.");
            return false;
        } catch (BurstException failure) {
            if (failure.code() != BurstException.Code.UNDECIDED) {
                reportLoss(holder, failure);
                return false;
            }
            return reportUnfinishedClose(ring, holder, failure);
        } catch (RuntimeException failure) {
            reportLoss(holder, failure);
            return false;
        }
    }

    /** Tells that the close goes on by itself. This is an ERROR only if events may still be lost. */
    private static boolean reportUnfinishedClose(OpenRing ring, Holder holder, BurstException failure) {
        boolean isDurable = ring.isAllDurable();
        String limit = Units.of(ring.shutdownTimeout());
        if (isDurable) {
            holder.tell(
                    Severity.WARN,
                    "all events are durable, but the stop had not ended after shutdownTimeout, " + limit + ": "
                            + failure.getMessage());
        } else {
            holder.tell(
                    Severity.ERROR,
                    "the stop had not ended after shutdownTimeout, " + limit + ", and not all events are durable: "
                            + failure.getMessage());
        }
        return isDurable;
    }

    private static void reportLoss(Holder holder, RuntimeException failure) {
        String reason = failure.getMessage() == null ? failure.toString() : failure.getMessage();
        holder.tell(Severity.ERROR, "not everything could be written at stop: " + reason);
    }
}
