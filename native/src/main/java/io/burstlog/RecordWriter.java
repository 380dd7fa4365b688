// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The ways to write a record to a log or to one of its streams.
 *
 * <p>{@code append} returns when the record and all before it are durable in the ring. {@code enqueue} returns when the
 * record is accepted; the engine makes it durable in the background. {@code offer} is an {@code enqueue} that never
 * waits. Each takes a whole array, the remaining bytes of a buffer, or a {@link RecordBuffer}. A {@code RecordBuffer}
 * is not copied in Java, and its caller gives an event time; an array or a buffer gets the current time.
 *
 * <p>Every method may be called by any thread at any time, and allocates nothing once the thread's buffer has grown to
 * the size of its records. All throw {@link BurstException} with one of the codes {@code RECORD_TOO_LARGE},
 * {@code TIMED_OUT}, {@code UNDECIDED} (the record may still become durable), {@code CLOSED} or {@code FORKED}. They
 * throw {@link RingFullException} if the ring is full and {@link OnFull#FAIL} is set, and {@link RingFailedException}
 * if the ring has failed. With {@code UNDECIDED}, and with {@link RingFailedException} if the ring failed under the
 * call, the record may be in the log; any other call that throws has written nothing.
 */
public sealed interface RecordWriter permits BurstLog, BurstStream {

    /** {@return the longest record allowed, in bytes} */
    long maxRecordBytes();

    /**
     * Appends a record; durable on return.
     *
     * @param record left as it is
     * @param eventTimeNanos kept with the record; any clock, normally nanoseconds since 1970
     * @return the record's sequence, or 0 if it was discarded because the ring is full ({@link OnFull#DISCARD})
     */
    long append(RecordBuffer record, long eventTimeNanos);

    /**
     * Appends as {@link #append(RecordBuffer, long)} does, but its parameters replace {@code onFull} and
     * {@code blockTimeout} of the {@link StreamConfig} for this call.
     *
     * @param onFull the way to act if the ring is full
     * @param timeout the longest time to wait, for space and for other threads; zero or less does not wait
     */
    long append(RecordBuffer record, long eventTimeNanos, OnFull onFull, Duration timeout);

    /**
     * Appends a whole array as {@link #append(RecordBuffer, long)} does.
     *
     * @param record 0 bytes to the longest record allowed
     */
    default long append(byte[] record) {
        return ScratchBuffers.append(this, copyOf(record), nowNanos());
    }

    /**
     * Appends the remaining bytes of a heap or direct buffer as {@link #append(RecordBuffer, long)} does.
     *
     * @param record its position moves to its limit if the call returns, and stays if the call throws
     */
    default long append(ByteBuffer record) {
        long sequence = ScratchBuffers.append(this, copyOf(record), nowNanos());
        record.position(record.limit());
        return sequence;
    }

    /**
     * Accepts a record, which a background commit makes durable. If the ring fails before that,
     * {@link BurstStats#lostEnqueued()} counts the record and every later call throws.
     *
     * @param record left as it is; it may be changed as soon as the call returns
     * @param eventTimeNanos kept with the record; any clock, normally nanoseconds since 1970
     * @return as {@link #append(RecordBuffer, long)}
     */
    long enqueue(RecordBuffer record, long eventTimeNanos);

    /**
     * Enqueues as {@link #enqueue(RecordBuffer, long)} does, with the parameters of {@link #append(RecordBuffer, long,
     * OnFull, Duration)} for this call.
     *
     * @param onFull the way to act if the ring is full
     * @param timeout the longest time to wait, for space and for other threads; zero or less does not wait
     */
    long enqueue(RecordBuffer record, long eventTimeNanos, OnFull onFull, Duration timeout);

    /**
     * Enqueues a whole array as {@link #enqueue(RecordBuffer, long)} does.
     *
     * @param record 0 bytes to the longest record allowed
     */
    default long enqueue(byte[] record) {
        return ScratchBuffers.enqueue(this, copyOf(record), nowNanos());
    }

    /**
     * Enqueues the remaining bytes of a heap or direct buffer as {@link #enqueue(RecordBuffer, long)} does.
     *
     * @param record its position moves to its limit if the call returns, and stays if the call throws
     */
    default long enqueue(ByteBuffer record) {
        long sequence = ScratchBuffers.enqueue(this, copyOf(record), nowNanos());
        record.position(record.limit());
        return sequence;
    }

    /**
     * Enqueues as {@link #enqueue(RecordBuffer, long)} does, but never waits and never discards, whatever
     * {@link StreamConfig#onFull()} says.
     *
     * @param record left as it is; it may be changed as soon as the call returns
     * @param eventTimeNanos kept with the record; any clock, normally nanoseconds since 1970
     * @return the record's sequence, or -1 if the ring is full; nothing was written then
     */
    long offer(RecordBuffer record, long eventTimeNanos);

    /**
     * Offers a whole array as {@link #offer(RecordBuffer, long)} does.
     *
     * @param record 0 bytes to the longest record allowed
     */
    default long offer(byte[] record) {
        RecordBuffer copy = copyOf(record);
        try {
            return offer(copy, nowNanos());
        } finally {
            ScratchBuffers.release(copy);
        }
    }

    /**
     * Offers the remaining bytes of a heap or direct buffer as {@link #offer(RecordBuffer, long)} does.
     *
     * @param record its position moves to its limit if the record is accepted, and stays otherwise
     */
    default long offer(ByteBuffer record) {
        RecordBuffer copy = copyOf(record);
        try {
            long sequence = offer(copy, nowNanos());
            if (sequence > 0) {
                record.position(record.limit());
            }
            return sequence;
        } finally {
            ScratchBuffers.release(copy);
        }
    }

    private RecordBuffer copyOf(byte[] record) {
        requireAllowed(record.length);
        return ScratchBuffers.take().put(record, 0, record.length);
    }

    private RecordBuffer copyOf(ByteBuffer record) {
        requireAllowed(record.remaining());
        return ScratchBuffers.copyOf(record);
    }

    /**
     * Checks the length as the engine does, so that no scratch buffer grows for a record that the engine would refuse.
     */
    private void requireAllowed(int length) {
        if (length > maxRecordBytes()) {
            throw new BurstException(
                    BurstException.Code.RECORD_TOO_LARGE,
                    "The record has " + length
                            + " bytes, more than the " + maxRecordBytes() + " bytes that " + this
                            + " allows; nothing was written. Raise maxRecordBytes, at most to a quarter of the ring.");
        }
    }

    private static long nowNanos() {
        return TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
    }
}
