// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.handover;

import org.HdrHistogram.Histogram;

/** A way to hand a message to another thread, or merely to copy it away. */
public interface HandOver extends AutoCloseable {

    /** Room for a burst that the consumer has not begun to take. */
    int CAPACITY = 1 << 16;

    /** Spins while there is no room. Any number of threads may call it, unless {@link #producers} says otherwise. */
    void offer(byte[] message);

    /** Each thread calls this before its first message, to make its own data. */
    default void prepare() {}

    /** Returns when the consumer has taken all messages. */
    default void awaitEmpty() {}

    /**
     * Adds to a histogram the times from a message's offer until it was durable, in nanoseconds, for all messages whose
     * time this way knows.
     */
    default void addLags(Histogram nanos) {}

    /** Returns when all messages are durable; at once if this way makes none durable. */
    default void awaitDurable() {}

    /** How many threads may offer at a time, at most. */
    default int producers() {
        return Integer.MAX_VALUE;
    }

    @Override
    default void close() {}
}
