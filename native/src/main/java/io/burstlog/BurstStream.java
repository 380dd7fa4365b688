// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import io.burstlog.binding.Engine;
import io.burstlog.binding.RecordCalls;
import io.burstlog.binding.RollRequestStruct;
import io.burstlog.binding.StreamStatsStruct;
import java.lang.ref.Reference;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

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
 * {@link BurstLog#awaitDurable} and {@link BurstLog#flush} wait for the records of streams too. A record stays in its
 * stream: after a crash, or once its stream is not opened any more, it goes to the log file that the stream was bound
 * to. A log file that cannot be written holds up its own stream only, until its records fill the ring.
 *
 * <p><b>Thread safety, allocation and failures</b> are as for {@link BurstLog}. The methods that write throw with code
 * {@link BurstException.Code#CLOSED} once the stream or its log is closed.
 */
public final class BurstStream implements RecordWriter, AutoCloseable {

    private final String text;
    private final long handle;
    private final RecordCalls calls;
    private final long maxRecordBytes;
    private final Duration closeTimeout;
    private boolean isAllDrained;

    BurstStream(String text, long handle, RecordCalls calls, long maxRecordBytes, Duration closeTimeout) {
        this.text = text;
        this.handle = handle;
        this.calls = calls;
        this.maxRecordBytes = maxRecordBytes;
        this.closeTimeout = closeTimeout;
    }

    @Override
    public long maxRecordBytes() {
        return maxRecordBytes;
    }

    @Override
    public long append(RecordBuffer record, long eventTimeNanos) {
        return accepted(record, calls.append(handle, record.address(), record.length(), eventTimeNanos));
    }

    @Override
    public long append(RecordBuffer record, long eventTimeNanos, OnFull onFull, Duration timeout) {
        long nanos = NativeTime.nanosOf(timeout);
        int rule = onFull.ordinal();
        return accepted(
                record, calls.appendWithin(handle, record.address(), record.length(), eventTimeNanos, rule, nanos));
    }

    @Override
    public long enqueue(RecordBuffer record, long eventTimeNanos) {
        return accepted(record, calls.enqueue(handle, record.address(), record.length(), eventTimeNanos));
    }

    @Override
    public long enqueue(RecordBuffer record, long eventTimeNanos, OnFull onFull, Duration timeout) {
        long nanos = NativeTime.nanosOf(timeout);
        int rule = onFull.ordinal();
        return accepted(
                record, calls.enqueueWithin(handle, record.address(), record.length(), eventTimeNanos, rule, nanos));
    }

    @Override
    public long offer(RecordBuffer record, long eventTimeNanos) {
        long sequence = calls.offer(handle, record.address(), record.length(), eventTimeNanos);
        Reference.reachabilityFence(record);
        return sequence == -Engine.EAGAIN ? -1 : accepted(record, sequence);
    }

    /** The engine has read the record, whose memory lives as long as this object. */
    private static long accepted(RecordBuffer record, long sequence) {
        Reference.reachabilityFence(record);
        return sequence >= 0 ? sequence : fail(sequence);
    }

    /**
     * Ends the log file behind the records accepted so far, and begins the next one. The roll is a record of the
     * stream, durable when this returns; the drain performs it when it has written all records before it. After a crash
     * the next open does that, at the same byte.
     *
     * @param roll what the files get and how they are named
     * @param timeNanos the time of the roll, in nanoseconds since 1970: the birth of the file that begins
     * @return the sequence of the record; 0 if the ring was full and the stream discards
     * @throws BurstException if it was not accepted; then the file goes on
     */
    public long roll(Roll roll, long timeNanos) {
        long sequence = Engine.burst_stream_roll(handle, NativeRoll.of(roll), timeNanos);
        return sequence >= 0 ? sequence : fail(sequence);
    }

    /**
     * Ends the log file now.
     *
     * @param target the absolute path that it is renamed to, to which a number is added if it is taken; null: of a
     *     stream with {@link Rolling}, the next name
     * @return as {@link #roll(Roll, long)}
     * @throws BurstException as {@link #roll(Roll, long)}
     */
    public long roll(String target) {
        return roll(Roll.to(target), TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis()));
    }

    /**
     * Waits for a roll at which the drain has arrived, in a stream opened with
     * {@link StreamConfig.Builder#rollsByCaller}. A roll that was not answered yet is given again.
     *
     * @param timeout how long to wait at most; zero or less does not wait
     * @return the roll, to be answered by {@link #rolled} or {@link #rollFailed}; null if there is none within the time
     * @throws BurstException with code {@link BurstException.Code#CLOSED} once the stream is closed
     */
    public RollRequest nextRoll(Duration timeout) {
        RollRequestStruct request = new RollRequestStruct();
        int result = check(Engine.burst_stream_next_roll(handle, request, NativeTime.nanosOf(timeout)));
        return result > 0 ? NativeRoll.toRequest(request) : null;
    }

    /**
     * Answers a roll: the drain goes on in the next file.
     *
     * @param sequence that of the request
     * @param target the absolute path that the drain renames the file to; null: the caller has renamed it, or it keeps
     *     its name
     * @param nextFile the absolute path of the file that begins; null: as the roll says
     * @throws BurstException if the drain does not wait for this answer
     */
    public void rolled(long sequence, String target, String nextFile) {
        check(Engine.burst_stream_rolled(
                handle, sequence, 0, Engine.zeroTerminated(target), Engine.zeroTerminated(nextFile)));
    }

    /**
     * Answers a roll: it cannot be done, and the drain goes on in the same file.
     *
     * @param sequence that of the request
     * @param errno why, as the system says it; 0 if it does not say it
     * @throws BurstException if the drain does not wait for this answer
     */
    public void rollFailed(long sequence, int errno) {
        check(Engine.burst_stream_rolled(handle, sequence, errno > 0 ? -errno : -Engine.EIO, null, null));
    }

    /**
     * Waits until every record of the stream that was accepted so far is durable in its log file, which is asked to
     * sync now. Records of other streams may still wait for theirs.
     *
     * @param timeout how long to wait at most; zero or less does not wait
     * @return whether it is
     * @throws RingFailedException if the ring failed before that
     */
    public boolean awaitDrained(Duration timeout) {
        return check(Engine.burst_stream_await_drained(handle, NativeTime.nanosOf(timeout))) > 0;
    }

    /** {@return the figures of this stream now; of a closed stream the last ones} */
    public StreamStats stats() {
        StreamStatsStruct stats = new StreamStatsStruct();
        check(Engine.burst_stream_stats(handle, stats));
        return NativeStats.toStats(stats);
    }

    /**
     * The log file that is written now. It differs from {@link StreamConfig#fileName()} after a failed sync, or when
     * others wrote into the file.
     *
     * @return an absolute path
     */
    public String currentFile() {
        return Engine.currentFile(handle);
    }

    /**
     * Tells whether it is time for a header.
     *
     * @return whether the log file was new or empty when the stream was opened, and nothing was waiting for it
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
     * Refuses new records of the stream, waits until those that were accepted are in its log file, and lets go of that.
     * A call on another thread is either acknowledged or throws, and a close under way on another thread is waited for.
     * Closing again does nothing, and so does closing a stream whose log is closed, which has closed it.
     *
     * @param timeout how long to wait at most; zero or less does not wait
     * @return whether every record of the stream is durable in its log file. What is left goes there as long as the log
     *     is open, or at its next open; a stream that its log has closed answers false
     * @throws RingFailedException if the ring failed before that; the stream is closed all the same
     */
    public synchronized boolean close(Duration timeout) {
        int result = Engine.burst_stream_close(handle, NativeTime.nanosOf(timeout));
        if (result != -Engine.ESHUTDOWN) {
            isAllDrained = check(result) > 0;
        }
        return isAllDrained;
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
