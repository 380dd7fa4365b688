// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import com.sun.jna.ptr.LongByReference;
import io.burstlog.binding.Engine;
import io.burstlog.binding.EngineLibrary;
import io.burstlog.binding.RecordCalls;
import io.burstlog.binding.StatsStruct;
import java.lang.ref.Reference;
import java.time.Duration;

/**
 * A log whose append returns when the record is durable.
 *
 * <pre>{@code
 * BurstConfig config = BurstConfig.builder().ring("orders.ring").fileName("orders.log").build();
 * try (BurstLog log = BurstLog.open(config)) {
 *     long sequence = log.append("order 1\n".getBytes(UTF_8));       // durable when it returns
 * }
 * }</pre>
 *
 * <p>Records go synchronously to the ring; a drain thread of the engine moves them in large batches to the log file, as
 * they are, with nothing added. After any crash the next open finishes what was interrupted: the log file then holds
 * every acknowledged record exactly once, in order.
 *
 * <p><b>Three ways to write.</b> {@code append} returns when the record and all before it are durable in the ring.
 * {@code enqueue} returns when the record is accepted; the engine makes it durable in the background, and
 * {@link #awaitDurable} or {@link #flush} wait for that. {@code offer} is an {@code enqueue} that never waits.
 *
 * <p><b>Sequences</b> start at 1, have no gap and go on over reopens. Order per thread is kept.
 *
 * <p><b>Thread safety.</b> Every method may be called by any thread at any time, {@link #close()} included. Writing a
 * record takes no lock in Java and allocates nothing, once the thread's buffer has grown to the size of its records. A
 * thread's interrupt flag neither ends a wait nor is it changed by one. A virtual thread that waits holds its carrier.
 *
 * <p><b>Failures.</b> All methods throw {@link BurstException}; those that write do so on a closed log, with the code
 * {@link BurstException.Code#CLOSED}. What is not acknowledged is always thrown, with two exceptions that are asked
 * for: {@link OnFull#DISCARD} returns 0, and {@code offer} returns -1 when the ring is full.
 */
public final class BurstLog implements RecordWriter, AutoCloseable {

    private static final long LISTENER_FAREWELL_MILLIS = 1000;

    private final String ring;
    private final long handle;
    private final RecordCalls calls;
    private final long maxRecordBytes;
    private final Thread listener;

    private BurstLog(String ring, long handle, RecordCalls calls, long maxRecordBytes, Thread listener) {
        this.ring = ring;
        this.handle = handle;
        this.calls = calls;
        this.maxRecordBytes = maxRecordBytes;
        this.listener = listener;
    }

    /**
     * Opens ring and log file, finishes what a crash interrupted and starts the drain. Both stay locked against other
     * writers until {@link #close()}.
     *
     * @param config what to open
     * @return the open log
     * @throws BurstException if it cannot be opened; ring and log file are then as they were. Among the codes are
     *     {@link BurstException.Code#BUSY}, {@link BurstException.Code#MEDIUM_TOO_WEAK},
     *     {@link BurstException.Code#INVALID_ARGUMENT} and {@link BurstException.Code#LIBRARY}
     */
    public static BurstLog open(BurstConfig config) {
        RecordCalls calls = EngineLibrary.load(config.library()).recordCalls(config.binding());
        ScratchBuffers.prepare();
        LongByReference opened = new LongByReference();
        int result = Engine.burst_open(NativeConfig.of(config), opened);
        if (result < 0) {
            throw BurstException.ofOpen(-result, Engine.lastError());
        }
        long handle = opened.getValue();
        try {
            Thread listener = config.listener()
                    .map(consumer -> EventDelivery.start(config.ring(), handle, consumer))
                    .orElse(null);
            return new BurstLog(config.ring(), handle, calls, statsOf(handle).maxRecordBytes, listener);
        } catch (Throwable noMemoryOrThread) {
            // Nobody else knows the handle; the ring would stay locked as long as the process lives.
            Engine.burst_close(handle);
            throw noMemoryOrThread;
        }
    }

    @Override
    public long maxRecordBytes() {
        return maxRecordBytes;
    }

    @Override
    public long append(RecordBuffer record, long eventTimeNanos) {
        long sequence = calls.append(handle, record.address(), record.length(), eventTimeNanos);
        Reference.reachabilityFence(record);
        return sequence >= 0 ? sequence : fail(sequence);
    }

    @Override
    public long append(RecordBuffer record, long eventTimeNanos, OnFull onFull, Duration timeout) {
        long sequence = calls.appendWithin(
                handle,
                record.address(),
                record.length(),
                eventTimeNanos,
                onFull.ordinal(),
                NativeTime.nanosOf(timeout));
        Reference.reachabilityFence(record);
        return sequence >= 0 ? sequence : fail(sequence);
    }

    @Override
    public long enqueue(RecordBuffer record, long eventTimeNanos) {
        long sequence = calls.enqueue(handle, record.address(), record.length(), eventTimeNanos);
        Reference.reachabilityFence(record);
        return sequence >= 0 ? sequence : fail(sequence);
    }

    @Override
    public long enqueue(RecordBuffer record, long eventTimeNanos, OnFull onFull, Duration timeout) {
        long sequence = calls.enqueueWithin(
                handle,
                record.address(),
                record.length(),
                eventTimeNanos,
                onFull.ordinal(),
                NativeTime.nanosOf(timeout));
        Reference.reachabilityFence(record);
        return sequence >= 0 ? sequence : fail(sequence);
    }

    @Override
    public long offer(RecordBuffer record, long eventTimeNanos) {
        long sequence = calls.offer(handle, record.address(), record.length(), eventTimeNanos);
        Reference.reachabilityFence(record);
        if (sequence >= 0) {
            return sequence;
        }
        return sequence == -Engine.EAGAIN ? -1 : fail(sequence);
    }

    /** {@return the highest sequence that is durable together with all before it, or 0; it never goes back} */
    public long durableSequence() {
        long sequence = calls.durableSequence(handle);
        return sequence >= 0 ? sequence : fail(sequence);
    }

    /**
     * Waits until a record and all before it are durable in the ring.
     *
     * @param sequence what {@code enqueue} or {@code offer} returned; 0, a discarded record, is not waited for
     * @param timeout how long to wait at most; zero or less does not wait
     * @return whether it is durable
     * @throws RingFailedException if the ring failed before that
     * @throws BurstException with code {@link BurstException.Code#INVALID_ARGUMENT} if no such record was ever accepted
     */
    public boolean awaitDurable(long sequence, Duration timeout) {
        int result = calls.awaitDurable(handle, sequence, NativeTime.nanosOf(timeout));
        return result >= 0 ? result > 0 : fail(result) > 0;
    }

    /**
     * Waits until everything accepted so far is durable in the ring.
     *
     * @throws RingFailedException if the ring failed before that
     */
    public void flush() {
        check(Engine.burst_flush(handle, NativeTime.FOREVER));
    }

    /**
     * Waits until everything accepted so far is durable in the log file, which is asked to sync now.
     *
     * @param timeout how long to wait at most; zero or less does not wait
     * @return whether it is
     * @throws RingFailedException if the ring failed before that
     */
    public boolean awaitDrained(Duration timeout) {
        return check(Engine.burst_await_drained(handle, NativeTime.nanosOf(timeout))) > 0;
    }

    /** {@return the figures of this log now; of a closed log the last ones} */
    public BurstStats stats() {
        return NativeStats.toStats(statsOf(handle));
    }

    /**
     * How often a stage took how long since open; of a closed log until it was closed.
     *
     * @param stage where the time goes
     * @return a snapshot
     */
    public StageHistogram histogram(Stage stage) {
        return StageHistogram.of(words -> check(Engine.burst_stage_histogram(handle, stage.ordinal(), words)));
    }

    /** {@return what recovery found at open, one or more lines} */
    public String recoveryStatement() {
        return Engine.recoveryStatement(handle);
    }

    /** {@return what ring and log file survive, and the evidence for it, one line each} */
    public String durabilityStatement() {
        return Engine.durabilityStatement(handle);
    }

    /** {@return how many records recovery could prove lost at open; {@link #recoveryStatement()} names them} */
    public long provablyLost() {
        long records = Engine.provablyLost(handle);
        return records >= 0 ? records : fail(records);
    }

    /**
     * The log file that is written now. It differs from {@link BurstConfig#fileName()} after a failed sync, or when
     * others wrote into the file.
     *
     * @return an absolute path
     */
    public String currentFile() {
        return Engine.currentFile(handle);
    }

    /** {@return whether at open the log file was new or empty and nothing was waiting for it; the time for a header} */
    public boolean destinationEmpty() {
        return statsOf(handle).destinationEmpty != 0;
    }

    /**
     * Refuses new records, makes all accepted ones durable, drains, and lets go of ring and log file, all that within
     * {@link BurstConfig#shutdownTimeout()}. What is left in the ring then is moved by the next open: {@link #stats()}
     * tells it as the distance from the drained to the accepted sequence. A call on another thread is either
     * acknowledged or throws. Closing again does nothing.
     *
     * @throws RingFailedException if accepted records could not be made durable; the log is closed all the same
     * @throws BurstException with code {@link BurstException.Code#UNDECIDED} if the time is over first, because a
     *     medium does not answer: the close goes on by itself, and until it has ended the ring cannot be opened again
     */
    @Override
    public synchronized void close() {
        ended(Engine.burst_close(handle), LISTENER_FAREWELL_MILLIS);
    }

    /**
     * As {@link #close()}, within another time. A close under way on another thread is waited for.
     *
     * @param timeout how long to wait at most
     */
    public synchronized void close(Duration timeout) {
        long begin = System.nanoTime();
        long result = Engine.burst_close_within(handle, NativeTime.nanosOf(timeout));
        long left = timeout.minusNanos(System.nanoTime() - begin).toMillis();
        ended(result, Math.min(LISTENER_FAREWELL_MILLIS, left));
    }

    private void ended(long result, long farewellMillis) {
        if (result == -Engine.ESHUTDOWN) {
            return;
        }
        BurstException failure = result < 0 ? BurstException.ofCall((int) -result, Engine.lastError()) : null;
        if (failure == null || failure.code() != BurstException.Code.UNDECIDED) {
            EventDelivery.awaitEnd(listener, farewellMillis);
        }
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public String toString() {
        return "BurstLog[" + ring + "]";
    }

    private static StatsStruct statsOf(long handle) {
        StatsStruct stats = new StatsStruct();
        check(Engine.burst_stats(handle, stats));
        return stats;
    }

    private static int check(int result) {
        return result >= 0 ? result : (int) fail(result);
    }

    private static long fail(long result) {
        throw BurstException.ofCall((int) -result, Engine.lastError());
    }
}
