// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * The records of one {@link BurstConsumer#poll poll}, as views of its memory: valid until the next poll, or close, of
 * the same consumer.
 *
 * <pre>{@code
 * while (records.next()) {
 *     pass(records.number(), records.data());
 * }
 * }</pre>
 *
 * <p>Going through them allocates nothing. Before {@link #next()} has returned true there is no record to ask about.
 * Not thread-safe.
 */
public final class ConsumedRecords {

    /** The kinds of entries that a consumer gets. */
    public enum Kind {
        /** A record, as it was appended. */
        RECORD,
        /**
         * The log file ended here, by {@link BurstStream#roll}. The data are the bytes that the ring keeps of a roll.
         */
        ROLL,
        /** The ring lost {@link #count()} records from {@link #sequence()} on, of this stream or others. */
        LOST,
        /** The {@link #count()} numbers up to {@link #number()} are in no segment: others deleted or damaged some. */
        MISSING
    }

    private static final Kind[] KINDS = Kind.values();

    // burst_polled_t
    private static final int KIND = 0;
    private static final int LENGTH = 4;
    private static final int NUMBER = 8;
    private static final int SEQUENCE = 16;
    private static final int EVENT_TIME = 24;
    private static final int COUNT = 32;
    private static final int RING = 40;
    private static final int HEAD_BYTES = 56;

    private final byte[] ringBytes = new byte[HEAD_BYTES - RING];
    private final byte[] namedRing = new byte[HEAD_BYTES - RING];
    private String ringName = HexFormat.of().formatHex(namedRing);

    /** The records; each is found by its head. The caller gets a view of its own, whose position it may move. */
    private ByteBuffer heads;

    private ByteBuffer view;
    private int end;
    private int at;
    private int next;

    ConsumedRecords() {
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

    /** {@return the number of the record in the folder; numbers begin at 1 and have no gap} */
    public long number() {
        return heads.getLong(at + NUMBER);
    }

    /** {@return the sequence that its append returned; 0 for missing numbers} */
    public long sequence() {
        return heads.getLong(at + SEQUENCE);
    }

    /** {@return the event time that the writer gave, in nanoseconds of the clock that it used} */
    public long eventTimeNanos() {
        return heads.getLong(at + EVENT_TIME);
    }

    /** {@return how many records are lost or missing; 1 for a record} */
    public long count() {
        return heads.getLong(at + COUNT);
    }

    /** {@return its length in bytes; 0 for lost or missing records} */
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

    /** {@return the id of the ring that gave the sequence, 32 hexadecimal digits, as {@code burstlog info} shows it} */
    public String ring() {
        heads.get(at + RING, ringBytes);
        if (!Arrays.equals(ringBytes, namedRing)) {
            System.arraycopy(ringBytes, 0, namedRing, 0, ringBytes.length);
            ringName = HexFormat.of().formatHex(namedRing);
        }
        return ringName;
    }
}
