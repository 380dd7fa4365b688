// SPDX-License-Identifier: Apache-2.0
package io.burstlog.binding;

/**
 * The calls made for each record. They take and return only primitives, so that a call allocates nothing. A negative
 * result is a negated errno; {@link Engine#lastError()} then returns the sentence.
 *
 * <p>A record belongs to a stream, and durability to the log: {@code stream} is a {@code burst_stream_t *}, {@code log}
 * a {@code burst_t *}. A log writes through the stream that is its main one.
 */
public interface RecordCalls {

    long append(long stream, long address, int length, long eventTimeNanos);

    long enqueue(long stream, long address, int length, long eventTimeNanos);

    long offer(long stream, long address, int length, long eventTimeNanos);

    /**
     * Appends as {@link #append} does, but {@code onFull} (of {@code enum burst_on_full}) and the timeout hold for this
     * call alone. A negative timeout is no limit.
     */
    long appendWithin(long stream, long address, int length, long eventTimeNanos, int onFull, long timeoutNanos);

    /** Enqueues as {@link #enqueue} does, with {@code onFull} and the timeout as in {@link #appendWithin}. */
    long enqueueWithin(long stream, long address, int length, long eventTimeNanos, int onFull, long timeoutNanos);

    long durableSequence(long log);

    int awaitDurable(long log, long sequence, long timeoutNanos);
}
