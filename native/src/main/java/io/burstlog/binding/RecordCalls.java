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

    /** A choice of {@link #put}: nobody waits for the record. */
    int ENQUEUED = 1;

    /** A choice of {@link #put}: an earlier call for this record found the ring full. */
    int RETRY = 2;

    /**
     * Puts a record in and never waits: the thread in {@link #awaitProgress} makes it durable. Answers -EAGAIN if the
     * ring is full.
     *
     * @param onFull of {@code enum burst_on_full}
     * @param choices of {@code enum burst_put}
     */
    long put(long stream, long address, int length, long eventTimeNanos, int onFull, int choices);

    /** Awaits a change of the {@code burst_progress_t} at an address, and writes what was put in. */
    int awaitProgress(long log, long progress, long timeoutNanos);

    /** Has everything accepted committed at once, and {@link #awaitProgress} return. */
    void nudge(long log);

    /**
     * Tells whether all records up to a sequence are in the log file: 1, 0 or a negated errno.
     *
     * @param stream 0: in the log files of all streams
     */
    int isDrained(long log, long stream, long sequence);

    long durableSequence(long log);

    int awaitDurable(long log, long sequence, long timeoutNanos);
}
