// SPDX-License-Identifier: Apache-2.0
package io.burstlog.binding;

/**
 * The calls made for each record. They take and return primitives only, so that a call allocates nothing; a negative
 * result is a negated errno, and {@link Engine#lastError()} then holds the sentence.
 *
 * <p>A record belongs to a stream, and durability to the log: {@code stream} is a {@code burst_stream_t *}, of a log
 * its main stream, and {@code log} a {@code burst_t *}.
 */
public interface RecordCalls {

    long append(long stream, long address, int length, long eventTimeNanos);

    long enqueue(long stream, long address, int length, long eventTimeNanos);

    long offer(long stream, long address, int length, long eventTimeNanos);

    /** As {@link #append}, under a rule of this call's own: {@code enum burst_on_full}; a negative time: for ever. */
    long appendWithin(long stream, long address, int length, long eventTimeNanos, int onFull, long timeoutNanos);

    /** As {@link #enqueue}, under such a rule. */
    long enqueueWithin(long stream, long address, int length, long eventTimeNanos, int onFull, long timeoutNanos);

    long durableSequence(long log);

    int awaitDurable(long log, long sequence, long timeoutNanos);
}
