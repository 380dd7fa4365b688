// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The records of one {@link BurstReader#poll poll}, as views of its memory: valid until the next poll, seek or close of
 * the same reader.
 *
 * <pre>{@code
 * while (records.next()) {
 *     if (records.kind() == ReadRecords.Kind.RECORD) {
 *         apply(records.sequence(), records.data());
 *     }
 * }
 * }</pre>
 *
 * <p>Going through them allocates nothing. Before {@link #next()} has returned true there is no record to ask about.
 * Not thread-safe.
 */
public final class ReadRecords {

    /** The kinds of entries that a reader gets. */
    public enum Kind {
        /** A record, as it was appended. */
        RECORD,
        /** A line of text that no index of its log file has: its sequence and times are unknown. */
        LINE,
        /** The log file ended here, by {@link BurstStream#roll}. */
        ROLL,
        /** The ring lost {@link #count()} records from {@link #sequence()} on: its medium was damaged. */
        LOST,
        /** The reader came too late for {@link #count()} records from {@link #sequence()} on, and no file has them. */
        MISSED,
        /**
         * A record of a signed archive whose payload was erased, or whose time was over: sequence and times are there.
         */
        ERASED
    }

    /** The places from which records are read. */
    public enum Place {
        /** The memory of the log, through its window. */
        RING,
        /** The medium of the ring. */
        MEDIUM,
        /** A log file, or an archive of one. */
        FILE,
        /** A segment. */
        SEGMENTS,
        /** A signed archive, as burstlog-archive writes it. */
        ARCHIVE
    }

    private static final Kind[] KINDS = Kind.values();
    private static final Place[] PLACES = Place.values();

    // burst_read_polled_t
    private static final int KIND = 0;
    private static final int LENGTH = 4;
    private static final int SEQUENCE = 8;
    private static final int EVENT_TIME = 16;
    private static final int COUNT = 24;
    private static final int POSITION = 32;
    private static final int STREAM = 40;
    private static final int EPOCH = 44;
    private static final int PLACE = 48;
    private static final int ENQUEUED = 52;
    private static final int DURABLE = 56;
    private static final int HEAD_BYTES = 64;

    private ByteBuffer heads;
    private ByteBuffer view;
    private int end;
    private int at;
    private int next;

    ReadRecords() {
        setMemory(ByteBuffer.allocate(0));
    }

    void setMemory(ByteBuffer memory) {
        heads = memory.duplicate().order(ByteOrder.nativeOrder());
        view = memory.asReadOnlyBuffer();
        fill(0);
    }

    void fill(int bytes) {
        end = bytes;
        rewind();
    }

    /**
     * Goes to the next record.
     *
     * @return whether there is one
     */
    public boolean next() {
        if (next >= end) {
            return false;
        }
        at = next;
        next = at + HEAD_BYTES + (length() + 7) / 8 * 8;
        return true;
    }

    /** Goes back to before the first record. */
    public void rewind() {
        at = -1;
        next = 0;
    }

    /** {@return whether there is none at all} */
    public boolean isEmpty() {
        return end == 0;
    }

    /** {@return the kind of the entry} */
    public Kind kind() {
        return KINDS[heads.getInt(at + KIND)];
    }

    /** {@return the sequence that its append returned; of a line that of a record behind it, or 0 if it is unknown} */
    public long sequence() {
        return heads.getLong(at + SEQUENCE);
    }

    /** {@return the event time that the writer gave, in nanoseconds of the clock that it used; 0 if it is unknown} */
    public long eventTimeNanos() {
        return heads.getLong(at + EVENT_TIME);
    }

    /**
     * {@return a time at which the record was durable, in nanoseconds since 1970; 0 if it is unknown, as of all records
     * that come from a ring or a segment} Log files with an index have it of most records, a signed archive of all.
     */
    public long durableNanos() {
        return heads.getLong(at + DURABLE);
    }

    /** {@return how many records are lost or missed; 1 for a record or a line} */
    public long count() {
        return heads.getLong(at + COUNT);
    }

    /**
     * {@return its position in the ring, or its offset in the file, unpacked, or its number in the segments, or that of
     * its leaf in a signed archive}
     */
    public long position() {
        return heads.getLong(at + POSITION);
    }

    /** {@return the number of its stream in {@code burstlog dump}; -1 if it is unknown} */
    public int stream() {
        return heads.getInt(at + STREAM);
    }

    /** {@return the number of the open of the log that wrote it; 0 if it is unknown} */
    public int epoch() {
        return heads.getInt(at + EPOCH);
    }

    /** {@return the place from which it was read} */
    public Place place() {
        return PLACES[heads.getInt(at + PLACE)];
    }

    /** {@return whether its caller did not wait until it was durable; false, too, if that is unknown} */
    public boolean isEnqueued() {
        return heads.getInt(at + ENQUEUED) != 0;
    }

    /** {@return its length in bytes; 0 for lost, missed or erased records} */
    public int length() {
        return heads.getInt(at + LENGTH);
    }

    /**
     * The bytes that were appended.
     *
     * @return a read-only buffer with the bytes between position and limit; the same object for each record
     */
    public ByteBuffer data() {
        int from = at + HEAD_BYTES;
        return view.limit(from + length()).position(from);
    }
}
