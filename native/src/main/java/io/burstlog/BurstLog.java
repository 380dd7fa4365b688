// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import com.sun.jna.ptr.LongByReference;
import io.burstlog.binding.Engine;
import io.burstlog.binding.EngineLibrary;
import io.burstlog.binding.RecordCalls;
import io.burstlog.binding.StatsStruct;
import java.time.Duration;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

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
 * <p>Records go synchronously to the ring; a drain thread of the engine moves them in large batches to the log file and
 * adds nothing to them. After any crash the next open finishes what was interrupted: the log file then holds every
 * acknowledged record exactly once, in order.
 *
 * <p><b>Three ways to write.</b> {@code append} returns when the record and all before it are durable in the ring.
 * {@code enqueue} returns when the record is accepted; the engine makes it durable in the background, and
 * {@link #awaitDurable} or {@link #flush} wait for that. {@code offer} is an {@code enqueue} that never waits.
 *
 * <p><b>Streams.</b> A log may have several streams, each with a log file of its own. The stream of
 * {@link BurstConfig#main()} is the main one, to which the methods of this class write; {@link #stream} opens others.
 * Without a main stream the log itself refuses every record, with the code
 * {@link BurstException.Code#INVALID_ARGUMENT}.
 *
 * <p><b>Sequences</b> start at 1, have no gap and go on over reopens. Order per thread is kept.
 *
 * <p><b>Thread safety.</b> Every method may be called by any thread at any time, {@link #close()} included. Writing a
 * record takes no lock in Java and allocates nothing, once the thread's buffer has grown to the size of its records. A
 * wait neither heeds nor changes the interrupt flag of its thread.
 *
 * <p><b>Virtual threads.</b> A virtual thread that waits in a method of a log or a stream is parked, and other virtual
 * threads run meanwhile. In native code it only copies its record. A daemon thread of the log, {@code burstlog-waker},
 * which the first virtual thread that waits starts, writes the records of virtual threads and releases them.
 *
 * <p><b>Failures.</b> All methods throw {@link BurstException}; on a closed log the methods that write throw it with
 * the code {@link BurstException.Code#CLOSED}. A method that does not acknowledge its record throws, with two
 * exceptions that the caller asks for when the ring is full: {@link OnFull#DISCARD} returns 0, and {@code offer}
 * returns -1.
 */
public final class BurstLog implements RecordWriter, AutoCloseable {

    private static final long LISTENER_FAREWELL_MILLIS = 1000;
    private static final Duration DEFAULT_SHUTDOWN_TIMEOUT = Duration.ofSeconds(10);

    private final String ring;
    private final long handle;
    private final RecordCalls calls;
    private final Duration closeTimeout;
    private final Thread listener;
    private final Waker waker;
    private final CopyWaits copy;
    private final Lock closing = new ReentrantLock();

    private final SegmentFolders segments = new SegmentFolders();

    /**
     * The stream for records that are written to the log itself. It refuses every record if the log has no main stream.
     */
    private final BurstStream main;

    private BurstLog(BurstConfig config, long handle, RecordCalls calls, Thread listener) {
        this.ring = config.ring();
        this.handle = handle;
        this.calls = calls;
        this.closeTimeout = config.shutdownTimeout().isZero() ? DEFAULT_SHUTDOWN_TIMEOUT : config.shutdownTimeout();
        this.listener = listener;
        this.waker = new Waker(config.ring(), handle, calls);
        this.copy = new CopyWaits(handle, waker);
        long mainHandle = Engine.burst_main_stream(handle);
        this.main = new BurstStream(
                toString(),
                mainHandle,
                calls,
                new ParkedWrites(waker, calls, mainHandle, toString(), this::acceptedSequence, config.main()),
                copy,
                statsOf(handle).maxRecordBytes,
                closeTimeout);
        if (config.main() != null) {
            note("", config.main());
        }
    }

    /**
     * Opens ring and log file, finishes the work that a crash interrupted, and starts the drain. Ring and log file stay
     * locked against other writers until {@link #close()}.
     *
     * @param config the configuration
     * @return the open log
     * @throws BurstException if it cannot be opened; ring and log file are then as they were. Among the codes are
     *     {@link BurstException.Code#BUSY}, {@link BurstException.Code#MEDIUM_TOO_WEAK},
     *     {@link BurstException.Code#INVALID_ARGUMENT} and {@link BurstException.Code#LIBRARY}
     */
    public static BurstLog open(BurstConfig config) {
        return VirtualThreads.onPlatformThread(() -> openHere(config));
    }

    private static BurstLog openHere(BurstConfig config) {
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
            return new BurstLog(config, handle, calls, listener);
        } catch (Throwable noMemoryOrThread) {
            // Only this method knows the handle; unless it is closed here, the ring stays locked as long as the process
            // lives.
            Engine.burst_close(handle);
            throw noMemoryOrThread;
        }
    }

    @Override
    public long maxRecordBytes() {
        return main.maxRecordBytes();
    }

    @Override
    public long append(RecordBuffer record, long eventTimeNanos) {
        return main.append(record, eventTimeNanos);
    }

    @Override
    public long append(RecordBuffer record, long eventTimeNanos, OnFull onFull, Duration timeout) {
        return main.append(record, eventTimeNanos, onFull, timeout);
    }

    @Override
    public long enqueue(RecordBuffer record, long eventTimeNanos) {
        return main.enqueue(record, eventTimeNanos);
    }

    @Override
    public long enqueue(RecordBuffer record, long eventTimeNanos, OnFull onFull, Duration timeout) {
        return main.enqueue(record, eventTimeNanos, onFull, timeout);
    }

    @Override
    public long offer(RecordBuffer record, long eventTimeNanos) {
        return main.offer(record, eventTimeNanos);
    }

    /**
     * Opens a further stream of this log, with its log file. Records that wait in the ring for that stream go to the
     * file first. The ring has durably noted the stream when this method returns. {@link #close()} closes all streams
     * that are still open.
     *
     * <p>The call waits until the drain has finished its step. It may take over a log file that another stream has
     * given up, because that stream got another file or is not opened any more. It does so once the file has every
     * record that waits for it.
     *
     * @param name the name that the stream keeps over restarts, less than 256 bytes of UTF-8; null or empty: the
     *     absolute path of its log file. A stream may get another file under the same name: records that wait for the
     *     old file go to the old file first
     * @param config the configuration
     * @return the open stream
     * @throws BurstException if the stream cannot be opened; the call then leaves no log file that it has made. Among
     *     the codes are {@link BurstException.Code#BUSY} if the stream or its log file is open already,
     *     {@link BurstException.Code#MEDIUM_TOO_WEAK}, {@link BurstException.Code#INVALID_ARGUMENT}, and
     *     {@link BurstException.Code#OTHER} if 63 streams beside the main one are open or hold records
     */
    public BurstStream stream(String name, StreamConfig config) {
        return VirtualThreads.onPlatformThread(() -> streamHere(name, config));
    }

    private BurstStream streamHere(String name, StreamConfig config) {
        ConfigChecks.requireUsable("name", name);
        String text = "BurstStream[" + SegmentFolders.nameOf(name, config) + " of " + ring + "]";
        LongByReference opened = new LongByReference();
        int result = Engine.burst_stream_open(handle, NativeConfig.of(name, config), opened);
        if (result < 0) {
            throw BurstException.ofOpen(-result, Engine.lastError());
        }
        try {
            ParkedWrites parked =
                    new ParkedWrites(waker, calls, opened.getValue(), text, this::acceptedSequence, config);
            BurstStream stream =
                    new BurstStream(text, opened.getValue(), calls, parked, copy, maxRecordBytes(), closeTimeout);
            note(SegmentFolders.nameOf(name, config), config);
            return stream;
        } catch (Throwable noMemory) {
            // Only this method knows the handle; unless it is closed here, this log cannot open the stream again.
            Engine.burst_stream_close(opened.getValue(), 0);
            throw noMemory;
        }
    }

    /** Prepares for the rolls of a stream that was opened, and notes its folder of segments for {@link #consumer}. */
    private void note(String stream, StreamConfig config) {
        if (config.rollsByCaller()) {
            NativeRoll.prepare();
        }
        segments.note(stream, config);
    }

    /**
     * Opens a consumer of a stream of this log that was opened with {@link StreamConfig.Builder#segments}. The consumer
     * does not end with the log: close it.
     *
     * @param name as in {@link BurstConsumer#open(String, String)}
     * @param stream the name of the stream, or, if it has none, its log file as the configuration gave it; empty: the
     *     main stream
     * @return the open consumer
     * @throws BurstException as {@link BurstConsumer#open(String, String)}; with code
     *     {@link BurstException.Code#INVALID_ARGUMENT} if this log has not opened such a stream
     */
    public BurstConsumer consumer(String name, String stream) {
        return segments.consumer(this, name, stream);
    }

    /**
     * Ends the log file of the main stream now.
     *
     * @param target as in {@link BurstStream#roll(String)}
     * @return as {@link BurstStream#roll(Roll, long)}
     * @throws BurstException as {@link BurstStream#roll(Roll, long)}
     */
    public long roll(String target) {
        return main.roll(target);
    }

    /**
     * Returns the stream to which the methods of this class write. It is closed with its log, and not by itself.
     *
     * @return the stream of {@link BurstConfig#main()}; if the log has none, a stream that refuses every record and has
     *     no figures
     */
    public BurstStream mainStream() {
        return main;
    }

    /** {@return the highest sequence that is durable together with all before it, or 0; it never goes back} */
    public long durableSequence() {
        long sequence = calls.durableSequence(handle);
        return sequence >= 0 ? sequence : BurstStream.fail(sequence);
    }

    /**
     * Waits until a record and all before it are durable in the ring.
     *
     * @param sequence the sequence that {@code enqueue} or {@code offer} returned; for 0, a discarded record, there is
     *     no wait
     * @param timeout the longest time to wait; zero or less does not wait
     * @return whether it is durable
     * @throws RingFailedException if the ring failed before that
     * @throws BurstException with code {@link BurstException.Code#INVALID_ARGUMENT} if no such record was ever accepted
     */
    public boolean awaitDurable(long sequence, Duration timeout) {
        long nanos = NativeTime.nanosOf(timeout);
        if (VirtualThreads.isCurrent()) {
            return main.parked().awaitDurable(sequence, nanos);
        }
        int result = calls.awaitDurable(handle, sequence, nanos);
        return result >= 0 ? result > 0 : BurstStream.fail(result) > 0;
    }

    /**
     * Waits until everything accepted so far is durable in the ring.
     *
     * @throws RingFailedException if the ring failed before that
     */
    public void flush() {
        if (VirtualThreads.isCurrent()) {
            main.parked().awaitDurable(acceptedSequence(), NativeTime.FOREVER);
        } else {
            BurstStream.check(Engine.burst_flush(handle, NativeTime.FOREVER));
        }
    }

    /**
     * Waits until every record accepted so far is durable in the log file of its stream. The call asks for a sync of
     * these files now.
     *
     * @param timeout the longest time to wait; zero or less does not wait
     * @return whether all of them are durable within the time
     * @throws RingFailedException if the ring failed before that
     */
    public boolean awaitDrained(Duration timeout) {
        return VirtualThreads.isCurrent()
                ? waker.awaitDrained(0, acceptedSequence(), NativeTime.nanosOf(timeout))
                : BurstStream.check(Engine.burst_await_drained(handle, NativeTime.nanosOf(timeout))) > 0;
    }

    /** As {@link BurstStream#copiedSequence}: the copy is one of the log. */
    public long copiedSequence() {
        return copy.copiedSequence();
    }

    /** As {@link BurstStream#awaitCopied}. */
    public boolean awaitCopied(long sequence, Duration timeout) {
        return copy.await(sequence, NativeTime.nanosOf(timeout));
    }

    /**
     * Returns what gives the records of this log to the keeper of its second copy.
     *
     * @throws BurstException with code {@link BurstException.Code#INVALID_ARGUMENT} without a
     *     {@link BurstConfig.Builder#copy copy}
     */
    public CopyFeed copyFeed() {
        copy.copiedSequence();
        return new CopyFeed(handle, copy, "copy " + stats().copy().name() + " of ring " + ring);
    }

    /** {@return the id of the ring, 32 hexadecimal digits} */
    public String ringId() {
        return Engine.ringId(handle);
    }

    /** {@return the figures of this log now; for a closed log its last ones} */
    public BurstStats stats() {
        return NativeStats.toStats(statsOf(handle));
    }

    /**
     * Returns the times of a stage since open; for a closed log until it was closed.
     *
     * @param stage the stage
     * @return a snapshot
     */
    public StageHistogram histogram(Stage stage) {
        return StageHistogram.of(
                words -> BurstStream.check(Engine.burst_stage_histogram(handle, stage.ordinal(), words)));
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
        return records >= 0 ? records : BurstStream.fail(records);
    }

    /**
     * Returns the log file that the main stream writes now. It differs from {@link StreamConfig#fileName()} after a
     * failed sync, or after others have written into the file.
     *
     * @return an absolute path; empty if there is no main stream
     */
    public String currentFile() {
        return main.currentFile();
    }

    /**
     * {@return whether it is time for a header: at open the log file was new or empty, and no record was waiting for
     * it}
     */
    public boolean destinationEmpty() {
        return statsOf(handle).destinationEmpty != 0;
    }

    /**
     * Refuses new records, makes all accepted ones durable, drains, and lets go of ring and log file, all that within
     * {@link BurstConfig#shutdownTimeout()}. The next open moves the records that are left in the ring: in
     * {@link #stats()} these are the sequences above the drained one, up to the accepted one. A concurrent call on
     * another thread is either acknowledged or throws. Closing again does nothing.
     *
     * @throws RingFailedException if accepted records could not be made durable; the log is closed all the same
     * @throws BurstException with code {@link BurstException.Code#UNDECIDED} if the time is over first because a medium
     *     does not answer: the close goes on by itself, and the ring cannot be opened again until that has ended
     */
    @Override
    public void close() {
        closeBy(() -> ended(Engine.burst_close(handle), LISTENER_FAREWELL_MILLIS));
    }

    /**
     * Closes the log as {@link #close()} does, within another time. It waits for a close that runs on another thread.
     *
     * @param timeout the longest time to wait
     */
    public void close(Duration timeout) {
        closeBy(() -> {
            long begin = System.nanoTime();
            long result = Engine.burst_close_within(handle, NativeTime.nanosOf(timeout));
            long left = timeout.minusNanos(System.nanoTime() - begin).toMillis();
            ended(result, Math.min(LISTENER_FAREWELL_MILLIS, left));
        });
    }

    private void closeBy(Runnable call) {
        VirtualThreads.onPlatformThread(() -> {
            closing.lock();
            try {
                call.run();
            } finally {
                closing.unlock();
            }
            return null;
        });
    }

    private void ended(long result, long farewellMillis) {
        if (result == -Engine.ESHUTDOWN) {
            return;
        }
        BurstException failure = result < 0 ? BurstException.ofCall((int) -result, Engine.lastError()) : null;
        waker.end();
        copy.releaseAll();
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

    private long acceptedSequence() {
        return statsOf(handle).acceptedSequence;
    }

    private static StatsStruct statsOf(long handle) {
        StatsStruct stats = new StatsStruct();
        BurstStream.check(Engine.burst_stats(handle, stats));
        return stats;
    }
}
