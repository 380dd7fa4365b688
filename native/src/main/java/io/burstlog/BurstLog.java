// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import com.sun.jna.ptr.LongByReference;
import io.burstlog.binding.Engine;
import io.burstlog.binding.EngineLibrary;
import io.burstlog.binding.RecordCalls;
import io.burstlog.binding.StatsStruct;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

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
 * <p><b>Streams.</b> A log may have several streams, each with a log file of its own. The one of
 * {@link BurstConfig#main()} is the main stream, which the methods of this class write; {@link #stream} opens others.
 * Without a main stream the log itself refuses every record, with the code
 * {@link BurstException.Code#INVALID_ARGUMENT}.
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
    private static final Duration DEFAULT_SHUTDOWN_TIMEOUT = Duration.ofSeconds(10);

    private final String ring;
    private final long handle;
    private final RecordCalls calls;
    private final Duration closeTimeout;
    private final Thread listener;

    /** The folder of segments of each stream that has one. */
    private final Map<String, String> segments = new ConcurrentHashMap<>();

    /** Writes what is written to the log itself; if the log has no main stream it refuses every record. */
    private final BurstStream main;

    private BurstLog(BurstConfig config, long handle, RecordCalls calls, Thread listener) {
        this.ring = config.ring();
        this.handle = handle;
        this.calls = calls;
        this.closeTimeout = config.shutdownTimeout().isZero() ? DEFAULT_SHUTDOWN_TIMEOUT : config.shutdownTimeout();
        this.listener = listener;
        this.main = new BurstStream(
                toString(), Engine.burst_main_stream(handle), calls, statsOf(handle).maxRecordBytes, closeTimeout);
        if (config.main() != null) {
            note("", config.main());
        }
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
            return new BurstLog(config, handle, calls, listener);
        } catch (Throwable noMemoryOrThread) {
            // Nobody else knows the handle; the ring would stay locked as long as the process lives.
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
     * Opens a further stream of this log and its log file; records that wait for it go there first. The ring notes it
     * before this returns. {@link #close()} closes all streams that are still open.
     *
     * <p>Waits for what the drain is doing at the moment. A log file that a stream has given up, by another file under
     * its name or by not being opened any more, is taken over once everything that waits for it is there.
     *
     * @param name what the stream is known by over restarts, less than 256 bytes of UTF-8; null or empty: the absolute
     *     path of its log file. Under the same name it may get another file: what waits for the old one goes there
     *     first
     * @param config what to open
     * @return the open stream
     * @throws BurstException if it cannot be opened; no log file is left of its making. Among the codes are
     *     {@link BurstException.Code#BUSY} if the stream or its log file is open already,
     *     {@link BurstException.Code#MEDIUM_TOO_WEAK}, {@link BurstException.Code#INVALID_ARGUMENT}, and
     *     {@link BurstException.Code#OTHER} if 63 streams beside the main one are open or hold records
     */
    public BurstStream stream(String name, StreamConfig config) {
        ConfigChecks.requireUsable("name", name);
        String text = "BurstStream[" + nameOf(name, config) + " of " + ring + "]";
        LongByReference opened = new LongByReference();
        int result = Engine.burst_stream_open(handle, NativeConfig.of(name, config), opened);
        if (result < 0) {
            throw BurstException.ofOpen(-result, Engine.lastError());
        }
        try {
            BurstStream stream = new BurstStream(text, opened.getValue(), calls, maxRecordBytes(), closeTimeout);
            note(nameOf(name, config), config);
            return stream;
        } catch (Throwable noMemory) {
            // Nobody else knows the handle; the stream could not be opened again as long as the log is open.
            Engine.burst_stream_close(opened.getValue(), 0);
            throw noMemory;
        }
    }

    /** What is asked of this object, and not of the engine, about a stream that is open now. */
    private void note(String stream, StreamConfig config) {
        if (config.rollsByCaller()) {
            NativeRoll.prepare();
        }
        if (config.segments() == null) {
            segments.remove(stream);
        } else {
            segments.put(stream, config.segments().folder());
        }
    }

    private static String nameOf(String name, StreamConfig config) {
        return name == null || name.isEmpty() ? config.fileName() : name;
    }

    /**
     * Opens a consumer of a stream of this log that was opened with {@link StreamConfig.Builder#segments}. It does not
     * end with the log: close it.
     *
     * @param name as in {@link BurstConsumer#open(String, String)}
     * @param stream the name of the stream, or its log file as it was given if it has none; empty: the main stream
     * @return the open consumer
     * @throws BurstException as {@link BurstConsumer#open(String, String)}; with code
     *     {@link BurstException.Code#INVALID_ARGUMENT} if this log has not opened such a stream
     */
    public BurstConsumer consumer(String name, String stream) {
        String folder = segments.get(stream);
        if (folder == null) {
            throw new BurstException(
                    BurstException.Code.INVALID_ARGUMENT,
                    "Stream \"" + stream + "\" of " + this
                            + " has no folder of segments; open it with StreamConfig.builder().segments(Segments.in(FOLDER)).");
        }
        return BurstConsumer.open(folder, name);
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
     * The stream that the methods of this class write; it is closed with its log, and not by itself.
     *
     * @return the stream of {@link BurstConfig#main()}; if there is none it refuses every record, and has no figures
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
     * @param sequence what {@code enqueue} or {@code offer} returned; 0, a discarded record, is not waited for
     * @param timeout how long to wait at most; zero or less does not wait
     * @return whether it is durable
     * @throws RingFailedException if the ring failed before that
     * @throws BurstException with code {@link BurstException.Code#INVALID_ARGUMENT} if no such record was ever accepted
     */
    public boolean awaitDurable(long sequence, Duration timeout) {
        int result = calls.awaitDurable(handle, sequence, NativeTime.nanosOf(timeout));
        return result >= 0 ? result > 0 : BurstStream.fail(result) > 0;
    }

    /**
     * Waits until everything accepted so far is durable in the ring.
     *
     * @throws RingFailedException if the ring failed before that
     */
    public void flush() {
        BurstStream.check(Engine.burst_flush(handle, NativeTime.FOREVER));
    }

    /**
     * Waits until everything accepted so far is durable in the log file, of each stream in its own. They are asked to
     * sync now.
     *
     * @param timeout how long to wait at most; zero or less does not wait
     * @return whether it is
     * @throws RingFailedException if the ring failed before that
     */
    public boolean awaitDrained(Duration timeout) {
        return BurstStream.check(Engine.burst_await_drained(handle, NativeTime.nanosOf(timeout))) > 0;
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
     * The log file of the main stream that is written now. It differs from {@link StreamConfig#fileName()} after a
     * failed sync, or when others wrote into the file.
     *
     * @return an absolute path; empty if there is no main stream
     */
    public String currentFile() {
        return main.currentFile();
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
        BurstStream.check(Engine.burst_stats(handle, stats));
        return stats;
    }
}
