// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import java.util.function.LongSupplier;

/**
 * Compares the clock of the day with the monotonic one, and sees when it is set. Slewing moves both. So does no
 * suspended host: its sleep is a step. Not thread-safe.
 */
final class ClockWatch {

    /** Setting a clock by less is not told from the time between two reads. */
    static final long LEAST_STEP_NANOS = 10_000_000;

    private static final String STEP = "step-ns";

    private final LongSupplier day;
    private final LongSupplier monotonic;
    private long difference;

    /**
     * @param day nanoseconds since 1970
     * @param monotonic nanoseconds since anything
     */
    ClockWatch(LongSupplier day, LongSupplier monotonic) {
        this.day = day;
        this.monotonic = monotonic;
        difference = day.getAsLong() - monotonic.getAsLong();
    }

    /** {@return the text of the leaf about a step since the last look; null if there was none} */
    String look() {
        long before = monotonic.getAsLong();
        long now = day.getAsLong();
        long after = monotonic.getAsLong();
        if (after - before > LEAST_STEP_NANOS / 2) {
            // The thread was away between the two: the next look tells.
            return null;
        }
        long step = now - before - difference;
        if (Math.abs(step) < LEAST_STEP_NANOS) {
            return null;
        }
        difference = now - before;
        return STEP + ": " + step + "\n";
    }

    /** {@return by how many nanoseconds the clock was set forward} */
    static long stepNanos(Leaf leaf) {
        String value = leaf.value(STEP);
        return value != null && value.matches("-?\\d{1,18}") ? Long.parseLong(value) : 0;
    }
}
