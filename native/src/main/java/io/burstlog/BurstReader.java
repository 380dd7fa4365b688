// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.LongByReference;
import io.burstlog.binding.Engine;
import io.burstlog.binding.EngineLibrary;
import io.burstlog.binding.ReaderConfigStruct;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Arrays;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * Reads a log that another process, this one or nobody writes: a ring with its log files, a log file, an archive, a
 * folder of segments, or a signed archive, which it believes as it stands: burstlog-archive verifies one.
 *
 * <pre>{@code
 * try (BurstReader reader = BurstReader.of("orders.ring").fromOldest().open()) {
 *     while (isRunning) {
 *         ReadRecords records = reader.poll(1 << 16, Duration.ofSeconds(1));
 *         while (records.next()) {
 *             apply(records.data());
 *         }
 *     }
 * }
 * }</pre>
 *
 * <p>A reader has read rights only: it takes no lock, holds no segment back (a {@link BurstConsumer} does), and cannot
 * slow the log down. It gets each durable record once and in order, or is told that it missed it; no crash takes back
 * what it got. It goes on when the log is closed and opened again.
 *
 * <p><b>Thread safety.</b> Any thread may call any method; one call runs at a time, and others wait for it.
 * {@link #close()} ends a running poll within a tenth of a second. {@link #poll} allocates nothing once its buffer has
 * grown to its size; {@link #iterator()} and {@link #stream()} make an object for each record. A wait neither heeds nor
 * changes the interrupt flag of its thread.
 */
public final class BurstReader implements AutoCloseable, Iterable<ReadRecord> {

    /** How a reader waits for the next record of a ring that has a window. */
    public enum Wait {
        /** It sleeps until the log wakes it. */
        SLEEP,
        /** It looks each 50 microseconds. */
        NAP,
        /** It looks without a pause, on a CPU of its own. */
        SPIN
    }

    private static final long LONGEST_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int LEAST_BYTES = 4096;
    private static final int ITERATED_BYTES = 1 << 16;

    // enum burst_read_from
    private static final int OLDEST = 0;
    private static final int RING = 1;
    private static final int SEQUENCE = 2;
    private static final int TIME = 3;
    private static final int LAST = 4;

    // burst_reader_state_t
    private static final int PLACE = 4;
    private static final int NEXT_SEQUENCE = 8;
    private static final int DURABLE_SEQUENCE = 16;
    private static final int RECORDS = 32;
    private static final int MISSED = 40;
    private static final int LOST = 48;
    private static final int HOW = 72;
    private static final int STATE_BYTES = 584;

    private final String text;
    private final ReadRecords records = new ReadRecords();
    private volatile boolean isClosed;
    private long handle;
    private ByteBuffer memory;
    private long address;

    private BurstReader(String text, long handle) {
        this.text = text;
        this.handle = handle;
    }

    /**
     * Begins the choice of what is read.
     *
     * @param source the path of a ring, of the socket of a window, of a log file or an archive of one, of a folder of
     *     segments, or of the folder of a signed archive
     * @return the options, which begin with the oldest record
     */
    public static Options of(String source) {
        return new Options(source);
    }

    /** The choice of the source, and of the record with which the reader begins. Not thread-safe. */
    public static final class Options {

        private final ReaderConfigStruct config = new ReaderConfigStruct();

        private Options(String source) {
            ConfigChecks.requireText(source, "source", "a ring, a log file, a folder of segments or a signed archive");
            ConfigChecks.requireUsable("source", source);
            config.source = source;
        }

        /**
         * The folder in which the log makes its window. Null, the default, for the folder of the ring file, or
         * {@code /run/burstlog} for a device; "" for none: the medium is read.
         */
        public Options window(String folder) {
            config.window = folder;
            return this;
        }

        /**
         * The stream: its name, its log file or its number. Null, the default, for the only one; if the ring has
         * several, for all of them without their log files.
         */
        public Options stream(String name) {
            config.stream = name;
            return this;
        }

        /**
         * A shell pattern of the archives of the log file. Null, the default, for the files beside it whose names begin
         * as its own does; "" for none.
         */
        public Options archives(String pattern) {
            config.archives = pattern;
            return this;
        }

        /** How the reader waits, {@link Wait#SLEEP} by default. */
        public Options wait(Wait choice) {
            config.wait = choice.ordinal();
            return this;
        }

        /** Begins with the oldest record that is anywhere. */
        public Options fromOldest() {
            return from(OLDEST, 0);
        }

        /** Begins with the oldest record that is in the ring. */
        public Options fromRing() {
            return from(RING, 0);
        }

        /** Begins with the first record of this sequence or a higher one. */
        public Options fromSequence(long sequence) {
            return from(SEQUENCE, sequence);
        }

        /** Begins with the first record of this event time or a later one. */
        public Options fromTime(long eventTimeNanos) {
            return from(TIME, eventTimeNanos);
        }

        /** Begins with the last so many records; 0: with those that come. */
        public Options fromLast(long count) {
            return from(LAST, count);
        }

        private Options from(int from, long value) {
            config.from = from;
            config.fromValue = value;
            return this;
        }

        /**
         * Opens the reader.
         *
         * @return the open reader
         * @throws BurstException with one sentence that says why it cannot: no such source, stream, sequence or time,
         *     no right to read, damage
         */
        public BurstReader open() {
            EngineLibrary.load(null);
            LongByReference opened = new LongByReference();
            int result = Engine.burst_reader_open(config, opened);
            if (result < 0) {
                throw BurstException.ofOpen(-result, Engine.lastError());
            }
            return new BurstReader("BurstReader[" + config.source + "]", opened.getValue());
        }
    }

    /**
     * Returns the next records: as many as there are and fit into the buffer. It waits for the first record only.
     *
     * @param maxBytes the size of the buffer, at least 4096 bytes. Each record takes 64 to 71 bytes more than its own.
     *     The buffer grows for a single record that is larger
     * @param timeout the longest time to wait; zero or less does not wait
     * @return the same object each time, valid until the next call; empty if none came
     * @throws BurstException with code {@link BurstException.Code#CLOSED} once it is closed, also during the wait; or
     *     if the log cannot be read
     */
    public synchronized ReadRecords poll(int maxBytes, Duration timeout) {
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
            filled = Engine.burst_reader_poll(handle, address, room, wait);
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
            filled = Engine.burst_reader_poll(handle, address, filled, 0);
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
     * Makes the first record of this sequence or a higher one the next record.
     *
     * @param sequence the sequence that an append returned
     * @throws BurstException if the log does not have it any more; the reader then stays where it was
     */
    public synchronized void seekSequence(long sequence) {
        seek(SEQUENCE, sequence);
    }

    /**
     * Makes the first record of this event time or a later one the next record.
     *
     * @param eventTimeNanos the event time, as it was appended
     * @throws BurstException if the time cannot be found; the reader then stays where it was
     */
    public synchronized void seekTime(long eventTimeNanos) {
        seek(TIME, eventTimeNanos);
    }

    /**
     * Makes the first of the last so many records the next one.
     *
     * @param count 0: goes to the end
     */
    public synchronized void seekLast(long count) {
        seek(LAST, count);
    }

    private void seek(int from, long value) {
        requireOpen();
        BurstStream.check(Engine.burst_reader_seek(handle, from, value));
    }

    /** {@return what the reader knows of itself} */
    public synchronized ReaderState state() {
        requireOpen();
        ByteBuffer state = ByteBuffer.allocate(STATE_BYTES).order(ByteOrder.nativeOrder());
        state.putInt(0, STATE_BYTES);
        BurstStream.check(Engine.burst_reader_state(handle, state.array()));
        return new ReaderState(
                ReadRecords.Place.values()[state.getInt(PLACE)],
                state.getLong(NEXT_SEQUENCE),
                state.getLong(DURABLE_SEQUENCE),
                state.getLong(RECORDS),
                state.getLong(MISSED),
                state.getLong(LOST),
                Engine.terminated(Arrays.copyOfRange(state.array(), HOW, STATE_BYTES)));
    }

    /**
     * The records up to the end of what is durable now. Each has a copy of its bytes. It uses {@link #poll}.
     *
     * @return an iterator that ends when no record is there at once
     */
    @Override
    public Iterator<ReadRecord> iterator() {
        return new Iterator<>() {
            private ReadRecord found;
            private ReadRecords polled;

            @Override
            public boolean hasNext() {
                if (found != null) {
                    return true;
                }
                if (polled == null || !polled.next()) {
                    polled = poll(ITERATED_BYTES, Duration.ZERO);
                    if (!polled.next()) {
                        polled = null;
                        return false;
                    }
                }
                byte[] data = new byte[polled.length()];
                polled.data().get(data);
                found = new ReadRecord(polled.kind(), polled.sequence(), polled.eventTimeNanos(), polled.count(), data);
                return true;
            }

            @Override
            public ReadRecord next() {
                if (!hasNext()) {
                    throw new NoSuchElementException(text + " has no more records now");
                }
                ReadRecord record = found;
                found = null;
                return record;
            }
        };
    }

    /** {@return the records of {@link #iterator()} as a sequential stream} */
    public Stream<ReadRecord> stream() {
        return StreamSupport.stream(
                Spliterators.spliteratorUnknownSize(iterator(), Spliterator.ORDERED | Spliterator.NONNULL), false);
    }

    /** Closes the reader. Closing again does nothing. */
    @Override
    public void close() {
        isClosed = true;
        synchronized (this) {
            if (handle != 0) {
                records.fill(0);
                Engine.burst_reader_close(handle);
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
