// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.LongByReference;
import io.burstlog.binding.Engine;
import io.burstlog.binding.EngineLibrary;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A named reader of the records of a stream, which has a place in its folder of segments
 * ({@link StreamConfig.Builder#segments}) that outlives it.
 *
 * <pre>{@code
 * try (BurstConsumer consumer = BurstConsumer.open("orders.segments", "to-the-database")) {
 *     while (isRunning) {
 *         ConsumedRecords records = consumer.poll(1 << 20, Duration.ofSeconds(1));
 *         while (records.next()) {
 *             pass(records.data());
 *         }
 *         consumer.ack();
 *     }
 * }
 * }</pre>
 *
 * <p>It needs the folder and nothing else: in the process of the log or another one, while the log is written or long
 * after. It gets each record in order, with its {@linkplain ConsumedRecords#number() number}, 1 and up without a gap.
 * What it gets is durable in the ring, if not yet in the segment: no crash takes it back. The log never waits for it.
 *
 * <p><b>At least once, or exactly once.</b> {@link #ack} makes durable how far it has got, and when it is opened again
 * it goes on there: what was passed on and not acknowledged comes again. Whoever stores the number of a record in the
 * same transaction as what he makes of it, and begins with {@link #seek} behind it, has each record exactly once.
 *
 * <p><b>Thread safety.</b> One thread at a time gets in; others wait. {@link #close()} ends a poll under way within a
 * tenth of a second. {@link #poll} allocates nothing, once the buffer has its size. A thread's interrupt flag neither
 * ends a wait nor is it changed by one.
 */
public final class BurstConsumer implements AutoCloseable {

    /** So long a native wait lasts at most. Each ends at once when there is a record. */
    private static final long LONGEST_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final int LEAST_BYTES = 4096;

    // burst_consumer_source_t
    private static final int FOLDER_ID = 4;
    private static final int STREAM = 20;
    private static final int SOURCE_BYTES = 276;

    private static final int LAG_WORDS = 4;

    // burst_consumer_state_t
    private static final int ACKNOWLEDGED = 8;
    private static final int ACKNOWLEDGED_AT = 16;
    private static final int NOT_ACKNOWLEDGED = 24;
    private static final int NAME = 48;
    private static final int STATE_BYTES = 248;

    private final String text;
    private final byte[] source = new byte[SOURCE_BYTES];
    private final ConsumedRecords records = new ConsumedRecords();
    private volatile boolean isClosed;
    private long handle;
    private ByteBuffer memory;
    private long address;

    private BurstConsumer(String text, long handle) {
        this.text = text;
        this.handle = handle;
        ByteBuffer.wrap(source).order(ByteOrder.nativeOrder()).putInt(0, source.length);
        BurstStream.check(Engine.burst_consumer_source(handle, source));
    }

    /**
     * Opens a folder of segments, and the consumer of that name in it: one that is new begins with the oldest record.
     *
     * @param folder what the log was told as {@link StreamConfig.Builder#segments}
     * @param name what the consumer is known by over restarts: 1 to 199 bytes of UTF-8 without a slash, not beginning
     *     with a dot
     * @return the open consumer
     * @throws BurstException if it cannot be opened. Among the codes are {@link BurstException.Code#BUSY} if it is open
     *     elsewhere, {@link BurstException.Code#RING_DAMAGED} if what the folder or the consumer's file says of itself
     *     is damaged, {@link BurstException.Code#UNKNOWN_FORMAT}, {@link BurstException.Code#INVALID_ARGUMENT}, and
     *     {@link BurstException.Code#OTHER} if there is no such folder or no log has written it yet
     */
    public static BurstConsumer open(String folder, String name) {
        ConfigChecks.requireText(folder, "folder", "a folder of segments");
        ConfigChecks.requireText(name, "name", "what the consumer is known by");
        ConfigChecks.requireUsable("folder", folder);
        ConfigChecks.requireUsable("name", name);
        EngineLibrary.load(null);
        LongByReference opened = new LongByReference();
        int result = Engine.burst_consumer_open(Engine.zeroTerminated(folder), Engine.zeroTerminated(name), opened);
        if (result < 0) {
            throw BurstException.ofOpen(-result, Engine.lastError());
        }
        try {
            return new BurstConsumer("BurstConsumer[" + name + " of " + folder + "]", opened.getValue());
        } catch (Throwable noMemory) {
            // Nobody else knows the handle; the consumer could not be opened again as long as the process lives.
            Engine.burst_consumer_close(opened.getValue());
            throw noMemory;
        }
    }

    /** As {@link #open(String, String)}. */
    public static BurstConsumer open(Path folder, String name) {
        return open(folder.toString(), name);
    }

    /**
     * Looks at every consumer of a folder, open or not, in whatever process.
     *
     * @param folder as in {@link #open(String, String)}
     * @return by their names
     * @throws BurstException as {@link #open(String, String)}
     */
    public static List<ConsumerState> look(String folder) {
        ConfigChecks.requireText(folder, "folder", "a folder of segments");
        ConfigChecks.requireUsable("folder", folder);
        EngineLibrary.load(null);
        List<ConsumerState> states = new ArrayList<>();
        ByteBuffer state = ByteBuffer.allocate(STATE_BYTES).order(ByteOrder.nativeOrder());
        byte[] path = Engine.zeroTerminated(folder);
        while (true) {
            state.putInt(0, STATE_BYTES);
            int result = Engine.burst_consumer_look(path, states.size(), state.array());
            if (result < 0) {
                throw BurstException.ofOpen(-result, Engine.lastError());
            }
            if (result == 0) {
                return states;
            }
            long at = state.getLong(ACKNOWLEDGED_AT);
            states.add(new ConsumerState(
                    Engine.terminated(Arrays.copyOfRange(state.array(), NAME, STATE_BYTES)),
                    state.getLong(ACKNOWLEDGED),
                    at == 0 ? null : Instant.ofEpochSecond(0, at),
                    new ConsumerLag(
                            state.getLong(NOT_ACKNOWLEDGED),
                            state.getLong(NOT_ACKNOWLEDGED + Long.BYTES),
                            state.getLong(NOT_ACKNOWLEDGED + 2 * Long.BYTES))));
        }
    }

    /**
     * The next records, as many as there are and as the buffer has room for. It waits for the first one alone.
     *
     * @param maxBytes how large the buffer of the records is, each with 56 to 63 bytes beside its own: 4096 at least.
     *     It grows for a single record that is larger
     * @param timeout how long to wait at most; zero or less does not wait
     * @return the same object each time, valid until the next call; empty if none came
     * @throws BurstException with code {@link BurstException.Code#CLOSED} once it is closed, also during the wait; with
     *     {@linkplain BurstException#errno() errno} 116, {@code ESTALE}, within a second, if the folder was deleted,
     *     emptied, moved away or begun anew, when all that can be read was given: close it and open it again; or if a
     *     segment cannot be read
     */
    public synchronized ConsumedRecords poll(int maxBytes, Duration timeout) {
        requireOpen();
        int room = Math.max(maxBytes, LEAST_BYTES);
        if (memory == null || memory.capacity() < room) {
            allocate(room);
        }
        long left = NativeTime.nanosOf(timeout);
        long begin = left > 0 ? System.nanoTime() : 0;
        long filled;
        do {
            long wait = left < 0 ? LONGEST_WAIT_NANOS : Math.min(LONGEST_WAIT_NANOS, left);
            filled = Engine.burst_consumer_poll(handle, address, room, wait);
            if (filled < 0) {
                BurstStream.fail(filled);
            }
            if (isClosed) {
                throw closed();
            }
            if (left > 0) {
                long now = System.nanoTime();
                left = Math.max(0, left - (now - begin));
                begin = now;
            }
        } while (filled == 0 && left != 0);
        if (filled > room) {
            allocate(Math.toIntExact(filled));
            filled = Engine.burst_consumer_poll(handle, address, filled, 0);
        }
        records.fill((int) filled);
        return records;
    }

    private void allocate(int bytes) {
        ByteBuffer larger = ByteBuffer.allocateDirect((bytes + 7) / 8 * 8);
        address = Pointer.nativeValue(Native.getDirectBufferPointer(larger));
        memory = larger;
        records.setMemory(larger);
    }

    /**
     * From now on the consumer, when it is opened again, begins behind this record, which it must have got: durable on
     * return. A number that was acknowledged before takes it back.
     *
     * @param number {@link ConsumedRecords#number()}
     * @throws BurstException if it could not be made durable, also because others deleted the consumer's file since it
     *     was opened; or with code {@link BurstException.Code#INVALID_ARGUMENT} if the consumer has not got that record
     */
    public synchronized void ack(long number) {
        requireOpen();
        BurstStream.check(Engine.burst_consumer_ack(handle, number));
    }

    /**
     * Acknowledges all that it has got: {@link #ack(long)} of the last record of the last poll.
     *
     * @throws BurstException if it could not be made durable
     */
    public synchronized void ack() {
        long last = position() - 1;
        if (last > 0) {
            ack(last);
        }
    }

    /**
     * The next record is that of this number, or what says that it is missing; one that is not written yet is waited
     * for. Nothing is acknowledged.
     *
     * @param number 1 and up
     * @throws BurstException with code {@link BurstException.Code#INVALID_ARGUMENT} if there can be no such number
     */
    public synchronized void seek(long number) {
        requireOpen();
        BurstStream.check(Engine.burst_consumer_seek(handle, number));
    }

    /**
     * As {@link #seek}, to the first record of that event time or a later one; there is none yet: to what comes next.
     * Where times are not in order it is such a record, but one in an earlier segment may be of that time, too.
     *
     * @param eventTimeNanos as it was appended
     */
    public synchronized void seekTime(long eventTimeNanos) {
        requireOpen();
        BurstStream.check(Engine.burst_consumer_seek_time(handle, eventTimeNanos));
    }

    /**
     * As {@link #seek}, to the first record of that sequence or a higher one, of the ring that wrote last; there is
     * none yet: to what comes next.
     *
     * @param sequence what an append returned
     */
    public synchronized void seekSequence(long sequence) {
        requireOpen();
        BurstStream.check(Engine.burst_consumer_seek_sequence(handle, sequence));
    }

    /** {@return the number that the next record has} */
    public synchronized long position() {
        requireOpen();
        return Engine.burst_consumer_position(handle);
    }

    /**
     * How far behind it is. The first call, and the first one after a segment has ended, goes through the newest
     * segment.
     *
     * @return the figures of this moment
     * @throws BurstException with {@linkplain BurstException#errno() errno} 116, {@code ESTALE}, at once if the folder
     *     was deleted, emptied, moved away or begun anew; or if a segment cannot be read
     */
    public synchronized ConsumerLag lag() {
        requireOpen();
        long[] words = new long[LAG_WORDS];
        words[0] = (long) words.length * Long.BYTES;
        BurstStream.check(Engine.burst_consumer_lag(handle, words));
        return new ConsumerLag(words[1], words[2], words[3]);
    }

    /**
     * {@return the id of the folder, 32 hexadecimal digits, made with it at random; with a number it names one record}
     */
    public String folderId() {
        return HexFormat.of().formatHex(source, FOLDER_ID, STREAM);
    }

    /** {@return the name of the stream when the folder was made; of a stream without one the path of its log file} */
    public String stream() {
        return Engine.terminated(Arrays.copyOfRange(source, STREAM, source.length));
    }

    /** Lets go of everything. What was not acknowledged comes again when it is opened again. Again it does nothing. */
    @Override
    public void close() {
        isClosed = true;
        synchronized (this) {
            if (handle != 0) {
                records.fill(0);
                Engine.burst_consumer_close(handle);
                handle = 0;
            }
        }
    }

    @Override
    public String toString() {
        return text;
    }

    private void requireOpen() {
        if (isClosed) {
            throw closed();
        }
    }

    private BurstException closed() {
        return new BurstException(BurstException.Code.CLOSED, text + " is closed.");
    }
}
