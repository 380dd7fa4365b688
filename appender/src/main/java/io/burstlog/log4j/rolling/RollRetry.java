// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import java.time.Duration;

/**
 * A roll that failed and is to be repeated.
 *
 * @param note the times of its names
 * @param skipsFooter whether the file ends without a footer
 * @param dueNanos the earliest time at which it is repeated, by {@link System#nanoTime()}
 * @param isOfDrain whether the roll was in the ring already
 */
record RollRetry(RollNote note, boolean skipsFooter, long dueNanos, boolean isOfDrain) {

    /** The next event after this delay repeats it. */
    static final Duration DELAY = Duration.ofSeconds(10);

    /** The same if the ring was full. A try looks at some files, and costs far more than an event that is discarded. */
    static final Duration DELAY_OF_FULL_RING = Duration.ofMillis(1);

    static RollRetry after(
            final Duration delay, final RollNote note, final boolean skipsFooter, final boolean isOfDrain) {
        return new RollRetry(note, skipsFooter, System.nanoTime() + delay.toNanos(), isOfDrain);
    }

    boolean isDue() {
        return System.nanoTime() - dueNanos >= 0;
    }
}
