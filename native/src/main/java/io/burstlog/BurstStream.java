// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import io.burstlog.binding.Engine;
import io.burstlog.binding.RecordCalls;
import io.burstlog.binding.RollRequestStruct;
import io.burstlog.binding.StreamStatsStruct;
import java.lang.ref.Reference;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One of several streams of a {@link BurstLog}, with a log file of its own: orders, audit, diagnostics.
 *
 * <pre>{@code
 * try (BurstLog log = BurstLog.open(BurstConfig.builder().ring("app.ring").build());
 *         BurstStream orders = log.stream("orders", StreamConfig.builder().fileName("orders.log").build());
 *         BurstStream audit = log.stream("audit", StreamConfig.builder().fileName("audit.log").build())) {
 *     audit.enqueue("order 1 comes\n".getBytes(UTF_8));
 *     orders.append("order 1\n".getBytes(UTF_8));       // durable when it returns, and so is what audit was given
 * }
 * }</pre>
 *
 * <p>The streams of a log share its order, its sequences, its group commits and the space of its ring. So
 * {@link BurstLog#awaitDurable} and {@link BurstLog#flush} wait for the records of all streams. A record stays in its
 * stream: it goes to the log file of that stream even after a crash, and even if the stream is never opened again. A
 * log file that cannot be written holds up its own stream only, until the records of that stream fill the ring.
 *
 * <p><b>Thread safety, allocation and failures</b> are as for {@link BurstLog}. Methods that write throw with code
 * {@link BurstException.Code#CLOSED} once the stream or its log is closed.
 */
public final class BurstStream implements RecordWriter, AutoCloseable {

    private static final Runnable NOTHING = () -> {};

    private final String text;
    private final long handle;
    private final RecordCalls calls;
    private final long maxRecordBytes;
    private final Duration closeTimeout;
    private final ParkedWrites parked;
    private final CopyWaits copy;
    private final Lock closing = new ReentrantLock();
    private boolean isAllDrained;

    BurstStream(
            String text,
            long handle,
            RecordCalls calls,
            ParkedWrites parked,
            CopyWaits copy,
            long maxRecordBytes,
            Duration closeTimeout) {
        this.text = text;
        this.handle = handle;
        this.calls = calls;
        this.parked = parked;
        this.copy = copy;
        this.maxRecordBytes = maxRecordBytes;
        this.closeTimeout = closeTimeout;
    }

    @Override
    public long maxRecordBytes() {
        return maxRecordBytes;
    }

    /** Returns the writes of virtual threads. */
    ParkedWrites parked() {
        return parked;
    }

    @Override
    public long append(RecordBuffer record, long eventTimeNanos) {
        if (VirtualThreads.isCurrent()) {
            return parked.write(record, eventTimeNanos, true, NOTHING);
        }
        return accepted(record, calls.append(handle, record.address(), record.length(), eventTimeNanos));
    }

    @Override
    public long append(RecordBuffer record, long eventTimeNanos, OnFull onFull, Duration timeout) {
        long nanos = NativeTime.nanosOf(timeout);
        int rule = onFull.ordinal();
        if (VirtualThreads.isCurrent()) {
            return parked.write(record, eventTimeNanos, true, onFull, nanos, NOTHING);
        }
        return accepted(
                record, calls.appendWithin(handle, record.address(), record.length(), eventTimeNanos, rule, nanos));
    }

    /**
     * Appends as {@link #append(RecordBuffer, long, OnFull, Duration)} does, and gives the record's memory back as
     * early as possible: a virtual thread that waits needs none. For callers with few buffers and many threads.
     *
     * @param giveBack runs once, also if this method throws; afterwards others may use the buffer
     * @return as {@link #append(RecordBuffer, long)}
     */
    public long append(RecordBuffer record, long eventTimeNanos, OnFull onFull, Duration timeout, Runnable giveBack) {
        if (VirtualThreads.isCurrent()) {
            return parked.write(record, eventTimeNanos, true, onFull, NativeTime.nanosOf(timeout), giveBack);
        }
        try {
            return append(record, eventTimeNanos, onFull, timeout);
        } finally {
            giveBack.run();
        }
    }

    /**
     * Enqueues as {@link #enqueue(RecordBuffer, long, OnFull, Duration)} does, and gives the record's memory back as
     * {@link #append(RecordBuffer, long, OnFull, Duration, Runnable)} does.
     *
     * @param giveBack runs once, also if this method throws; afterwards others may use the buffer
     * @return as {@link #append(RecordBuffer, long)}
     */
    public long enqueue(RecordBuffer record, long eventTimeNanos, OnFull onFull, Duration timeout, Runnable giveBack) {
        if (VirtualThreads.isCurrent()) {
            return parked.write(record, eventTimeNanos, false, onFull, NativeTime.nanosOf(timeout), giveBack);
        }
        try {
            return enqueue(record, eventTimeNanos, onFull, timeout);
        } finally {
            giveBack.run();
        }
    }

    @Override
    public long enqueue(RecordBuffer record, long eventTimeNanos) {
        if (VirtualThreads.isCurrent()) {
            return parked.write(record, eventTimeNanos, false, NOTHING);
        }
        return accepted(record, calls.enqueue(handle, record.address(), record.length(), eventTimeNanos));
    }

    @Override
    public long enqueue(RecordBuffer record, long eventTimeNanos, OnFull onFull, Duration timeout) {
        long nanos = NativeTime.nanosOf(timeout);
        int rule = onFull.ordinal();
        if (VirtualThreads.isCurrent()) {
            return parked.write(record, eventTimeNanos, false, onFull, nanos, NOTHING);
        }
        return accepted(
                record, calls.enqueueWithin(handle, record.address(), record.length(), eventTimeNanos, rule, nanos));
    }

    @Override
    public long offer(RecordBuffer record, long eventTimeNanos) {
        long sequence = calls.offer(handle, record.address(), record.length(), eventTimeNanos);
        Reference.reachabilityFence(record);
        return sequence == -Engine.EAGAIN ? -1 : accepted(record, sequence);
    }

    /** Keeps the record's memory alive until the engine has read it. */
    private static long accepted(RecordBuffer record, long sequence) {
        Reference.reachabilityFence(record);
        return sequence >= 0 ? sequence : fail(sequence);
    }

    /**
     * Ends the log file behind the records accepted so far, and begins the next one. The roll is a record of the
     * stream, durable when this method returns. The drain performs it once it has written all records before it. After
     * a crash the next open performs it, at the same byte.
     *
     * @param roll the bytes that the files get, and their names
     * @param timeNanos the time of the roll, in nanoseconds since 1970: the birth of the file that begins
     * @return the sequence of the record; 0 if the ring was full and the stream discards
     * @throws BurstException if the roll was not accepted; the stream then stays in the same file
     */
    public long roll(Roll roll, long timeNanos) {
        return VirtualThreads.onPlatformThread(() -> {
            long sequence = Engine.burst_stream_roll(handle, NativeRoll.of(roll), timeNanos);
            return sequence >= 0 ? sequence : fail(sequence);
        });
    }

    /**
     * Rolls as {@link #roll(Roll, long)} does, and never waits: the roll becomes durable with the next record that is.
     *
     * @param roll the bytes that the files get, and their names
     * @param timeNanos the time of the roll, in nanoseconds since 1970: the birth of the file that begins
     * @return the sequence of the record; -1 if the ring is full, or if a roll of another thread or records of an
     *     earlier run come first in a stream that {@linkplain Rolling rolls by itself}
     * @throws BurstException if the roll was not accepted; the stream then stays in the same file
     */
    public long offerRoll(Roll roll, long timeNanos) {
        long sequence = Engine.burst_stream_offer_roll(handle, NativeRoll.of(roll), timeNanos);
        return sequence == -Engine.EAGAIN ? -1 : sequence >= 0 ? sequence : fail(sequence);
    }

    /**
     * Ends the log file now.
     *
     * @param target the absolute path that the file is renamed to; if a file has that path, the engine adds a number.
     *     Null: the file gets the next name of {@link Rolling}
     * @return as {@link #roll(Roll, long)}
     * @throws BurstException as {@link #roll(Roll, long)}
     */
    public long roll(String target) {
        return roll(Roll.to(target), TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis()));
    }

    /**
     * Waits until the drain arrives at a roll, in a stream opened with {@link StreamConfig.Builder#rollsByCaller}. The
     * method returns a roll again until it is answered.
     *
     * @param timeout the longest time to wait; zero or less does not wait
     * @return the roll, to be answered by {@link #rolled} or {@link #rollFailed}; null if there is none within the time
     * @throws BurstException with code {@link BurstException.Code#CLOSED} once the stream is closed
     */
    public RollRequest nextRoll(Duration timeout) {
        return VirtualThreads.onPlatformThread(() -> {
            RollRequestStruct request = new RollRequestStruct();
            int result = check(Engine.burst_stream_next_roll(handle, request, NativeTime.nanosOf(timeout)));
            return result > 0 ? NativeRoll.toRequest(request) : null;
        });
    }

    /**
     * Answers a roll: the drain goes on in the next file.
     *
     * @param sequence the sequence of the request
     * @param target the absolute path to which the drain renames the file; null: the caller has renamed the file, or
     *     the file keeps its name
     * @param nextFile the absolute path of the file that begins; null: the path that the roll says
     * @throws BurstException if the drain does not wait for this answer
     */
    public void rolled(long sequence, String target, String nextFile) {
        check(Engine.burst_stream_rolled(
                handle, sequence, 0, Engine.zeroTerminated(target), Engine.zeroTerminated(nextFile)));
    }

    /**
     * Answers that a roll cannot be done; the drain goes on in the same file.
     *
     * @param sequence the sequence of the request
     * @param errno the reason as the system's error number; 0 if there is none
     * @throws BurstException if the drain does not wait for this answer
     */
    public void rollFailed(long sequence, int errno) {
        check(Engine.burst_stream_rolled(handle, sequence, errno > 0 ? -errno : -Engine.EIO, null, null));
    }

    /**
     * Waits until every record of the stream that was accepted so far is durable in its log file. The call asks for a
     * sync of that file now. Records of other streams may still wait for theirs.
     *
     * @param timeout the longest time to wait; zero or less does not wait
     * @return whether all of them are durable within the time
     * @throws RingFailedException if the ring failed before that
     */
    public boolean awaitDrained(Duration timeout) {
        return VirtualThreads.isCurrent()
                ? parked.awaitDrained(NativeTime.nanosOf(timeout))
                : check(Engine.burst_stream_await_drained(handle, NativeTime.nanosOf(timeout))) > 0;
    }

    /**
     * {@return the highest sequence that the second copy of the log has together with all before it, but for those that
     * it lacks since it was away, and those that the ring has lost; it never goes back}
     *
     * @throws BurstException with code {@link BurstException.Code#INVALID_ARGUMENT} without a
     *     {@link BurstConfig.Builder#copy copy}
     */
    public long copiedSequence() {
        return copy.copiedSequence();
    }

    /**
     * Waits until a record is durable in the ring, and stored in the second copy of the log with all before it.
     *
     * @param sequence what the write of the record returned; for 0, a discarded record, there is no wait
     * @param timeout the longest time to wait; zero or less does not wait
     * @return whether it has two copies within the time
     * @throws RingFailedException if the ring failed before that
     * @throws BurstException with code {@link BurstException.Code#COPY_AWAY} if the record has one copy: the second one
     *     is away, or was away and lacks it; or if the open found that the ring has lost the record, which the copy may
     *     have or not; {@link BurstException.Code#CLOSED} if the log was closed first;
     *     {@link BurstException.Code#INVALID_ARGUMENT} without a {@link BurstConfig.Builder#copy copy}
     */
    public boolean awaitCopied(long sequence, Duration timeout) {
        return copy.await(sequence, NativeTime.nanosOf(timeout));
    }

    /** {@return the figures of this stream now; for a closed stream its last ones} */
    public StreamStats stats() {
        StreamStatsStruct stats = new StreamStatsStruct();
        check(Engine.burst_stream_stats(handle, stats));
        return NativeStats.toStats(stats);
    }

    /**
     * Returns the log file that the stream writes now. It differs from {@link StreamConfig#fileName()} after a failed
     * sync, or after others have written into the file.
     *
     * @return an absolute path
     */
    public String currentFile() {
        return Engine.currentFile(handle);
    }

    /**
     * Tells whether it is time for a header.
     *
     * @return whether the log file was new or empty when the stream was opened, and no record was waiting for it
     */
    public boolean destinationEmpty() {
        return stats().destinationEmpty();
    }

    /** As {@link #close(Duration)}, within {@link BurstConfig#shutdownTimeout()} of the log. */
    @Override
    public void close() {
        close(closeTimeout);
    }

    /**
     * Refuses new records of the stream, waits until its log file has those that were accepted, and lets go of the
     * file. A concurrent call on another thread is either acknowledged or throws, also one that waits for space in the
     * ring and finds none meanwhile; a second close waits for the first. Closing again does nothing. A log that is
     * closed has closed its streams.
     *
     * @param timeout the longest time to wait; zero or less does not wait
     * @return whether every record of the stream is durable in its log file. The drain moves the other records as long
     *     as the log is open, or after its next open. The answer is false for a stream that its log has closed
     * @throws RingFailedException if the ring failed before that; the stream is closed all the same
     */
    public boolean close(Duration timeout) {
        return VirtualThreads.onPlatformThread(() -> {
            closing.lock();
            try {
                int result = Engine.burst_stream_close(handle, NativeTime.nanosOf(timeout));
                if (result != -Engine.ESHUTDOWN) {
                    isAllDrained = check(result) > 0;
                }
                return isAllDrained;
            } finally {
                closing.unlock();
            }
        });
    }

    @Override
    public String toString() {
        return text;
    }

    static int check(int result) {
        return result >= 0 ? result : (int) fail(result);
    }

    static long fail(long result) {
        throw BurstException.ofCall((int) -result, Engine.lastError());
    }
}
