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
 * A named reader of the records of a stream. Its position in the stream's folder of segments
 * ({@link StreamConfig.Builder#segments}) outlives this object.
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
 * <p>A consumer needs only the folder: it may run in the process of the log or in another one, while the log is written
 * or long after. It gets the records in order, each with a {@linkplain ConsumedRecords#number() number}; the numbers
 * begin at 1 and have no gap. A record that a consumer gets is durable in the ring, if not yet in the segment: no crash
 * takes it back. The log never waits for a consumer.
 *
 * <p><b>At least once, or exactly once.</b> {@link #ack} makes durable how far the consumer has got, and the next open
 * goes on there: records that were passed on but not acknowledged come again. A program has each record exactly once if
 * it stores the record's number in the transaction with its own result, and begins behind the stored number with
 * {@link #seek}.
 *
 * <p><b>Thread safety.</b> Any thread may call any method; one call runs at a time, and others wait for it.
 * {@link #close()} ends a running poll within a tenth of a second. {@link #poll} allocates nothing once its buffer has
 * grown to its size. A wait neither heeds nor changes the interrupt flag of its thread.
 */
public final class BurstConsumer implements AutoCloseable {

    /** The longest time of one native wait. A wait ends at once when there is a record. */
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
     * Opens a consumer in a folder of segments. A new consumer begins with the oldest record.
     *
     * @param folder the folder that the log was given as {@link StreamConfig.Builder#segments}
     * @param name the name that the consumer keeps over restarts: 1 to 199 bytes of UTF-8 without a slash, not
     *     beginning with a dot
     * @return the open consumer
     * @throws BurstException if it cannot be opened. Among the codes are {@link BurstException.Code#BUSY} if it is open
     *     elsewhere, {@link BurstException.Code#RING_DAMAGED} if the description in the folder or the consumer's file
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
            // Only this method knows the handle; unless it is closed here, this process cannot open the consumer again.
            Engine.burst_consumer_close(opened.getValue());
            throw noMemory;
        }
    }

    /** As {@link #open(String, String)}. */
    public static BurstConsumer open(Path folder, String name) {
        return open(folder.toString(), name);
    }

    /**
     * Looks at every consumer of a folder, whether or not some process has it open.
     *
     * @param folder as in {@link #open(String, String)}
     * @return the states of the consumers, in the order of their names
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
     * Returns the next records: as many as there are and fit into the buffer. It waits for the first record only.
     *
     * @param maxBytes the size of the buffer, at least 4096 bytes. Each record takes 56 to 63 bytes more than its own.
     *     The buffer grows for a single record that is larger
     * @param timeout the longest time to wait; zero or less does not wait
     * @return the same object each time, valid until the next call; empty if none came
     * @throws BurstException with code {@link BurstException.Code#CLOSED} once it is closed, also during the wait; with
     *     {@linkplain BurstException#errno() errno} 116, {@code ESTALE}, if the folder was deleted, emptied, moved away
     *     or begun anew: close the consumer and open it again. The poll throws this within a second, once the consumer
     *     has got every record that can still be read. Or if a segment cannot be read
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
     * Acknowledges every record up to this one: the next open of the consumer begins behind it. This is durable on
     * return. The consumer must have got the record. A number below the last acknowledged one takes the later
     * acknowledgements back.
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
     * Acknowledges every record that the consumer has got, by {@link #ack(long)} of the last record of the last poll.
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
     * Makes the record of this number the next one. If it is missing, the next entry says so; if it is not written yet,
     * polls wait for it. This acknowledges nothing.
     *
     * @param number 1 and up
     * @throws BurstException with code {@link BurstException.Code#INVALID_ARGUMENT} if there can be no such number
     */
    public synchronized void seek(long number) {
        requireOpen();
        BurstStream.check(Engine.burst_consumer_seek(handle, number));
    }

    /**
     * Makes the first record with this event time or a later one the next record, as {@link #seek} does. If there is no
     * such record yet, the next record is the one that is written next. If event times are not in order, an earlier
     * segment may also have a record of that time.
     *
     * @param eventTimeNanos the event time, as it was appended
     */
    public synchronized void seekTime(long eventTimeNanos) {
        requireOpen();
        BurstStream.check(Engine.burst_consumer_seek_time(handle, eventTimeNanos));
    }

    /**
     * Makes the first record with this sequence or a higher one the next record, as {@link #seek} does. The sequence is
     * one of the ring that wrote last. If there is no such record yet, the next record is the one that is written next.
     *
     * @param sequence the sequence that an append returned
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
     * Tells how far the consumer is behind. The first call, and the first one after the end of a segment, reads the
     * whole newest segment.
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

    /** {@return the random id of the folder, 32 hexadecimal digits; together with a number it names one record} */
    public String folderId() {
        return HexFormat.of().formatHex(source, FOLDER_ID, STREAM);
    }

    /** {@return the name of the stream when the folder was made, or the path of its log file if it had no name} */
    public String stream() {
        return Engine.terminated(Arrays.copyOfRange(source, STREAM, source.length));
    }

    /**
     * Closes the consumer. Records that were not acknowledged come again after the next open. Closing again does
     * nothing.
     */
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
