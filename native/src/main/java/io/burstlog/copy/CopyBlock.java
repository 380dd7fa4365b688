// SPDX-License-Identifier: Apache-2.0
package io.burstlog.copy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.zip.CRC32C;

/**
 * A block of the second copy of a ring: the same bytes in every store, described in docs/media-format.md. It holds
 * records as they stand in the ring, and the names of their streams, so each block stands alone.
 *
 * <p>A <b>mark</b> is a block without records. It says that the copy goes on with the record {@link #firstSequence}:
 * all records from that one on in blocks before the mark are void.
 *
 * <p>Immutable, but for the array of {@link #bytes}.
 */
public final class CopyBlock {

    /** The kinds of records. */
    public enum Kind {
        /** A record, as it was appended. */
        RECORD,
        /** The log file of the stream ended here. The payload is what the ring keeps of a roll. */
        ROLL
    }

    /**
     * A record of a block.
     *
     * @param stream the number of its stream
     * @param streamName the name of that stream; if it has none, the path that its log file had
     * @param sequence its sequence in the ring
     * @param eventTimeNanos the event time that its writer gave
     * @param kind its kind
     * @param payload its bytes, read-only
     */
    public record Record(
            int stream, String streamName, long sequence, long eventTimeNanos, Kind kind, ByteBuffer payload) {}

    private static final long MAGIC = 0x5950435453525542L;
    private static final int VERSION = 1;
    private static final int HEAD_BYTES = 64;
    private static final int CRC = 8;
    private static final int BYTES = 12;
    private static final int RING = 16;
    private static final int FIRST = 32;
    private static final int LAST = 40;
    private static final int EPOCH = 48;
    private static final int VERSION_AT = 52;
    private static final int STREAMS = 54;
    private static final int NAMES_BYTES = 56;
    private static final int IN_FLIGHT = 60;
    private static final int RING_BYTES = 16;
    private static final int NAME_HEAD_BYTES = 4;

    private final byte[] bytes;
    private final ByteBuffer view;
    private final Map<Integer, String> streams;

    private CopyBlock(byte[] bytes, Map<Integer, String> streams) {
        this.bytes = bytes;
        this.view = littleEndian(ByteBuffer.wrap(bytes));
        this.streams = streams;
    }

    private static ByteBuffer littleEndian(ByteBuffer buffer) {
        return buffer.order(ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Makes a mark that does not know which records are durable in the ring.
     *
     * @param ring the id of the ring, 32 hexadecimal digits
     * @param firstSequence the copy goes on with this record
     * @param epoch of the ring when the copy went on there
     * @return the mark
     */
    public static CopyBlock mark(String ring, long firstSequence, int epoch) {
        return mark(ring, firstSequence, epoch, firstSequence);
    }

    /**
     * Makes a mark.
     *
     * @param ring the id of the ring, 32 hexadecimal digits
     * @param firstSequence the copy goes on with this record
     * @param epoch of the ring when the copy went on there
     * @param durableSequence of the last record before {@code firstSequence} that was durable in the ring then
     * @return the mark
     */
    static CopyBlock mark(String ring, long firstSequence, int epoch, long durableSequence) {
        int inFlight = (int) (firstSequence - durableSequence);
        return make(ring, firstSequence, firstSequence - 1, epoch, inFlight, ByteBuffer.allocate(0), new TreeMap<>());
    }

    /**
     * Makes a block of records.
     *
     * @param ring the id of the ring, 32 hexadecimal digits
     * @param records at least one, as they stand in the ring, one after the other, between position and limit, which
     *     stay as they are
     * @param names gives the name of a stream by its number
     * @return the block
     */
    public static CopyBlock of(String ring, ByteBuffer records, IntFunction<String> names) {
        CopyRecords each = new CopyRecords(records, "");
        Map<Integer, String> streams = new TreeMap<>();
        long first = 0;
        while (each.next()) {
            first = first == 0 ? each.sequence() : first;
            streams.computeIfAbsent(each.stream(), names::apply);
        }
        return make(ring, first, each.sequence(), each.epoch(), 0, records.duplicate(), streams);
    }

    private static CopyBlock make(
            String ring,
            long first,
            long last,
            int epoch,
            int inFlight,
            ByteBuffer records,
            Map<Integer, String> streams) {
        List<byte[]> names = new ArrayList<>();
        int namesBytes = 0;
        for (String name : streams.values()) {
            byte[] text = name.getBytes(StandardCharsets.UTF_8);
            names.add(text);
            namesBytes += NAME_HEAD_BYTES + text.length;
        }
        namesBytes = CopyRecords.rounded(namesBytes);
        byte[] bytes = new byte[HEAD_BYTES + namesBytes + records.remaining()];
        ByteBuffer to = littleEndian(ByteBuffer.wrap(bytes));
        to.putLong(MAGIC).putInt(0).putInt(bytes.length);
        to.put(HexFormat.of().parseHex(ring)).putLong(first).putLong(last).putInt(epoch);
        to.putShort((short) VERSION).putShort((short) streams.size()).putInt(namesBytes);
        to.putInt(inFlight);
        to.position(HEAD_BYTES);
        int at = 0;
        for (int stream : streams.keySet()) {
            byte[] text = names.get(at++);
            to.putShort((short) stream).putShort((short) text.length).put(text);
        }
        to.position(HEAD_BYTES + namesBytes);
        to.put(records);
        to.putInt(CRC, crc(to));
        return new CopyBlock(bytes, Collections.unmodifiableMap(streams));
    }

    /**
     * Reads a block, and checks all of it but its records: {@link #records} checks these.
     *
     * @param bytes the block, between position and limit; it is copied
     * @param place where it was read, for sentences
     * @return the block
     * @throws IOException if it is no block, or damaged
     */
    public static CopyBlock read(ByteBuffer bytes, String place) throws IOException {
        ByteBuffer from = littleEndian(bytes.duplicate());
        int length = from.remaining();
        int at = from.position();
        if (length < HEAD_BYTES || from.getLong(at) != MAGIC) {
            throw new IOException(place + " is no block of a copy: its " + length + " bytes do not begin as one");
        }
        byte[] own = new byte[length];
        from.get(own);
        ByteBuffer view = littleEndian(ByteBuffer.wrap(own));
        if (view.getInt(BYTES) != length || view.getInt(CRC) != crc(view)) {
            throw new IOException(place + " is a damaged block of a copy: the sum over its " + length
                    + " bytes is not the one in it");
        }
        if (view.getShort(VERSION_AT) != VERSION) {
            throw new IOException(place + " is a block of a copy in version " + view.getShort(VERSION_AT)
                    + ", and this version of Burstlog reads version " + VERSION + " only");
        }
        return new CopyBlock(own, Collections.unmodifiableMap(streamsOf(view, own)));
    }

    private static Map<Integer, String> streamsOf(ByteBuffer view, byte[] own) {
        Map<Integer, String> streams = new TreeMap<>();
        int at = HEAD_BYTES;
        for (int left = view.getShort(STREAMS); left > 0; left--) {
            int length = Short.toUnsignedInt(view.getShort(at + 2));
            String name = new String(own, at + NAME_HEAD_BYTES, length, StandardCharsets.UTF_8);
            streams.put((int) view.getShort(at), name);
            at += NAME_HEAD_BYTES + length;
        }
        return streams;
    }

    private static int crc(ByteBuffer block) {
        CRC32C crc = new CRC32C();
        crc.update(block.duplicate().position(BYTES).limit(block.capacity()));
        return (int) crc.getValue();
    }

    /** {@return the block as it is stored: its own array, which nobody may change} */
    public byte[] bytes() {
        return bytes;
    }

    /** {@return the id of the ring, 32 hexadecimal digits} */
    public String ring() {
        return HexFormat.of().formatHex(bytes, RING, RING + RING_BYTES);
    }

    /** {@return the sequence of its first record; of a mark: of the record with which the copy goes on} */
    public long firstSequence() {
        return view.getLong(FIRST);
    }

    /** {@return the sequence of its last record; of a mark: the one before {@link #firstSequence}} */
    public long lastSequence() {
        return view.getLong(LAST);
    }

    /** {@return the epoch of all its records; of a mark: of the ring when the copy went on there} */
    public int epoch() {
        return view.getInt(EPOCH);
    }

    /**
     * {@return the sequence of the last record that was durable in the ring when the last record of this block was
     * sealed, or the mark was made; 0: none was, or it is not known}
     */
    public long durableSequence() {
        if (isMark()) {
            int inFlight = view.getInt(IN_FLIGHT);
            return inFlight == 0 ? 0 : firstSequence() - Integer.toUnsignedLong(inFlight);
        }
        CopyRecords each = eachRecord();
        while (each.next()) {
            // up to the last one
        }
        return each.sequence() == lastSequence() && each.isValid() ? each.durableSequence() : 0;
    }

    private CopyRecords eachRecord() {
        return new CopyRecords(view.duplicate().position(HEAD_BYTES + view.getInt(NAMES_BYTES)), ring());
    }

    /** {@return whether it is a mark} */
    public boolean isMark() {
        return lastSequence() < firstSequence();
    }

    /** {@return the names of the streams of its records, by their numbers} */
    public Map<Integer, String> streams() {
        return streams;
    }

    /**
     * Returns its records, and checks each: the sums over its header and payload, its epoch, and that none is left out.
     *
     * @return one for each sequence from {@link #firstSequence} to {@link #lastSequence}, in order
     * @throws IOException if a record is damaged, or not the one that belongs there
     */
    public List<Record> records() throws IOException {
        CopyRecords each = eachRecord();
        List<Record> records = new ArrayList<>();
        for (long sequence = firstSequence(); sequence <= lastSequence(); sequence++) {
            boolean isThere = each.next();
            String name = isThere ? streams.get(each.stream()) : null;
            if (!isThere || !each.isValid() || each.sequence() != sequence || each.epoch() != epoch() || name == null) {
                throw new IOException(
                        "record " + sequence + " of ring " + ring() + " is damaged in its copy: the ring's"
                                + " own sums over it do not hold, although that over the block does");
            }
            Kind kind = each.isRoll() ? Kind.ROLL : Kind.RECORD;
            records.add(new Record(each.stream(), name, sequence, each.eventTimeNanos(), kind, each.payload()));
        }
        return records;
    }

    @Override
    public String toString() {
        return isMark()
                ? "mark " + firstSequence() + " of ring " + ring()
                : "records " + firstSequence() + " to " + lastSequence() + " of ring " + ring();
    }
}
