// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.handover;

import org.HdrHistogram.Histogram;

/** A way to hand a message to another thread, or merely to copy it away. */
public interface HandOver extends AutoCloseable {

    /** Room for a burst that nobody has taken from yet. */
    int CAPACITY = 1 << 16;

    /** Spins while there is no room. Any number of threads, unless {@link #producers} says otherwise. */
    void offer(byte[] message);

    /** Called by each thread before its first message: makes what it keeps for itself. */
    default void prepare() {}

    /** Returns when all that was handed over has been taken. */
    default void awaitEmpty() {}

    /**
     * Adds to a histogram how long messages took from their offer until they were durable, in nanoseconds, as far as
     * this way knows; all of them since it was made.
     */
    default void addLags(Histogram nanos) {}

    /** Returns when all that was handed over is durable; at once if nothing ever is. */
    default void awaitDurable() {}

    /** The most threads that may offer at a time. */
    default int producers() {
        return Integer.MAX_VALUE;
    }

    @Override
    default void close() {}
}
