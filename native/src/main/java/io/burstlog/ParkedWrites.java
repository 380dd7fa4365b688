// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import io.burstlog.binding.Engine;
import io.burstlog.binding.RecordCalls;
import java.lang.ref.Reference;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Writes the records of virtual threads to a stream. In native code such a thread only copies its record; it waits for
 * space and for durability parked, and holds neither its carrier nor a buffer meanwhile.
 */
final class ParkedWrites {

    private final Waker waker;
    private final RecordCalls calls;
    private final long stream;
    private final String text;
    private final LongSupplier accepted;
    private final OnFull onFull;
    private final long timeoutNanos;

    /**
     * @param stream the handle of the stream
     * @param text its name, for sentences
     * @param accepted the highest sequence of the log
     * @param config the rule for calls that have none of their own; null: a stream that refuses every record
     */
    ParkedWrites(Waker waker, RecordCalls calls, long stream, String text, LongSupplier accepted, StreamConfig config) {
        this.waker = waker;
        this.calls = calls;
        this.stream = stream;
        this.text = text;
        this.accepted = accepted;
        this.onFull = config == null ? OnFull.BLOCK : config.onFull();
        this.timeoutNanos = config == null || config.blockTimeout().isZero()
                ? NativeTime.FOREVER
                : NativeTime.nanosOf(config.blockTimeout());
    }

    /** Waits as {@link Waker#awaitDurable(long, long)} does. */
    boolean awaitDurable(long sequence, long limitNanos) {
        return waker.awaitDurable(sequence, limitNanos);
    }

    /** Waits until all records of the stream that were accepted so far are in its log file. */
    boolean awaitDrained(long limitNanos) {
        return waker.awaitDrained(stream, accepted.getAsLong(), limitNanos);
    }

    /** Writes under the rule of the stream. */
    long write(RecordBuffer record, long eventTimeNanos, boolean isAwaited, Runnable giveBack) {
        return write(record, eventTimeNanos, isAwaited, onFull, timeoutNanos, giveBack);
    }

    /**
     * Writes a record.
     *
     * @param isAwaited whether to return only once the record is durable
     * @param giveBack runs once, as soon as the record's memory is not needed any more: before the thread waits
     * @return as {@link RecordWriter#append(RecordBuffer, long)}
     */
    long write(
            RecordBuffer record,
            long eventTimeNanos,
            boolean isAwaited,
            OnFull rule,
            long limitNanos,
            Runnable giveBack) {
        long deadline = limitNanos > 0 ? System.nanoTime() + limitNanos : 0;
        int length = record.length();
        boolean waitsForSpace = false;
        long sequence;
        WaitingRecord waiting = null;
        try {
            waker.start();
            boolean mustQueue = rule == OnFull.BLOCK && waker.isSpaceAwaited();
            sequence = mustQueue ? -Engine.EAGAIN : put(record, eventTimeNanos, isAwaited, rule);
            waitsForSpace = sequence == -Engine.EAGAIN && rule == OnFull.BLOCK;
            if (waitsForSpace && limitNanos != 0) {
                waiting = new WaitingRecord(stream, record.copy(), eventTimeNanos, isAwaited);
                waiting.isRetry = !mustQueue;
            } else if (sequence < 0 && !waitsForSpace) {
                BurstStream.fail(sequence);
            }
        } finally {
            Reference.reachabilityFence(record);
            giveBack.run();
        }
        boolean isLimited = limitNanos >= 0;
        if (waitsForSpace) {
            sequence = waiting == null ? -Engine.ETIMEDOUT : waker.awaitSpace(waiting, deadline, isLimited);
        } else if (isAwaited && sequence > 0 && !waker.awaitDurable(sequence, deadline, isLimited)) {
            throw undecided(limitNanos);
        }
        return sequence >= 0 ? sequence : failed(sequence, length, limitNanos);
    }

    private long put(RecordBuffer record, long eventTimeNanos, boolean isAwaited, OnFull rule) {
        return calls.put(
                stream,
                record.address(),
                record.length(),
                eventTimeNanos,
                rule.ordinal(),
                isAwaited ? 0 : RecordCalls.ENQUEUED);
    }

    private long failed(long sequence, int length, long limitNanos) {
        if (sequence == -Engine.EINPROGRESS) {
            throw undecided(limitNanos);
        }
        if (sequence == -Engine.ETIMEDOUT) {
            throw BurstException.ofCall(
                    Engine.ETIMEDOUT,
                    text + " had no space for a record of " + length + " bytes within blockTimeout, "
                            + millis(limitNanos) + ", and nothing was written: its records do not get to the log file"
                            + " as fast as they come; make room there, or find out what slows its disk");
        }
        throw new BurstException(BurstException.Code.CLOSED, text + " is closed; nothing was written.");
    }

    private BurstException undecided(long limitNanos) {
        return BurstException.ofCall(
                Engine.EINPROGRESS,
                "a record was not durable on " + text + " within blockTimeout, " + millis(limitNanos)
                        + "; it may still become so");
    }

    private static String millis(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(nanos) + " ms";
    }
}
