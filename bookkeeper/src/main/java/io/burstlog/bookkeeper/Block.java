// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bookkeeper;

import io.burstlog.ConsumedRecords;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * Consecutive records of a folder of segments in one entry of a ledger. All values are little-endian:
 *
 * <pre>
 *  0  magic "BLK1"           4  CRC32C of the bytes from 8 on
 *  8  bytes of the block    12  number of its records
 * 16  id of the folder      32  id of the ring that gave the sequences, 16 bytes each
 * 48  first number          56  last number
 * 64  the records, each: 0 length, 4 kind, 8 number, 16 sequence, 24 event time, 32 count, 40 its bytes
 * </pre>
 *
 * <p>A block is valid if and only if it is as long as it says, magic and CRC are right, its records fill it, and their
 * numbers go from the first to the last without a gap. A record of kind {@code MISSING} stands for its {@code count}
 * numbers. Immutable.
 */
final class Block {

    static final int HEAD_BYTES = 64;
    static final int RECORD_HEAD_BYTES = 40;

    private static final int MAGIC = 0x314B4C42;
    private static final int CRC = 4;
    private static final int CRC_FROM = 8;
    private static final int COUNT = 12;
    private static final int FOLDER = 16;
    private static final int RING = 32;
    private static final int FIRST = 48;
    private static final int LAST = 56;
    private static final int ID_BYTES = 16;
    private static final ConsumedRecords.Kind[] KINDS = ConsumedRecords.Kind.values();

    private final byte[] bytes;
    private final List<Entry> entries;

    /**
     * A record of a block.
     *
     * @param count how many records are lost or missing; 1 for a record
     * @param data its bytes, between position and limit
     */
    record Entry(
            ConsumedRecords.Kind kind, long number, long sequence, long eventTimeNanos, long count, ByteBuffer data) {

        /** {@return the first number that it stands for} */
        long first() {
            return kind == ConsumedRecords.Kind.MISSING ? number - count + 1 : number;
        }

        boolean isSame(Entry other) {
            return kind == other.kind
                    && number == other.number
                    && sequence == other.sequence
                    && data.equals(other.data);
        }

        static Entry of(ConsumedRecords record) {
            byte[] data = new byte[record.length()];
            record.data().get(data);
            return new Entry(
                    record.kind(),
                    record.number(),
                    record.sequence(),
                    record.eventTimeNanos(),
                    record.count(),
                    ByteBuffer.wrap(data));
        }
    }

    private Block(byte[] bytes, List<Entry> entries) {
        this.bytes = bytes;
        this.entries = entries;
    }

    /** Makes blocks of all these records: one, or several if different rings gave the sequences. */
    static List<Block> of(String folderId, ConsumedRecords records) {
        List<Block> blocks = new ArrayList<>();
        List<Entry> entries = new ArrayList<>();
        String ring = null;
        while (records.next()) {
            if (ring != null && !ring.equals(records.ring())) {
                blocks.add(of(folderId, ring, entries));
                entries.clear();
            }
            ring = records.ring();
            entries.add(Entry.of(records));
        }
        if (!entries.isEmpty()) {
            blocks.add(of(folderId, ring, entries));
        }
        return blocks;
    }

    static Block of(String folderId, String ring, List<Entry> entries) {
        int length = HEAD_BYTES
                + entries.stream()
                        .mapToInt(each -> RECORD_HEAD_BYTES + each.data().remaining())
                        .sum();
        ByteBuffer block = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
        block.putInt(MAGIC).putInt(0).putInt(length).putInt(entries.size());
        block.put(HexFormat.of().parseHex(folderId)).put(HexFormat.of().parseHex(ring));
        block.putLong(entries.get(0).first())
                .putLong(entries.get(entries.size() - 1).number());
        for (Entry each : entries) {
            block.putInt(each.data().remaining()).putInt(each.kind().ordinal());
            block.putLong(each.number()).putLong(each.sequence());
            block.putLong(each.eventTimeNanos()).putLong(each.count());
            block.put(each.data().duplicate());
        }
        block.putInt(CRC, crc(block.array()));
        return new Block(block.array(), List.copyOf(entries));
    }

    private static int crc(byte[] block) {
        CRC32C crc = new CRC32C();
        crc.update(block, CRC_FROM, block.length - CRC_FROM);
        return (int) crc.getValue();
    }

    /**
     * Reads an entry of a ledger.
     *
     * @throws RefusedException if it is no valid block of this folder
     */
    static Block read(byte[] entry, String folderId, String place) {
        ByteBuffer block = ByteBuffer.wrap(entry).order(ByteOrder.LITTLE_ENDIAN);
        if (entry.length < HEAD_BYTES || block.getInt(0) != MAGIC) {
            throw new RefusedException(place + " is no block of Burstlog");
        }
        if (block.getInt(CRC_FROM) != entry.length || block.getInt(CRC) != crc(entry)) {
            throw new RefusedException(place + " is damaged: its CRC32C or its length is wrong");
        }
        Block read = new Block(entry, entriesOf(block));
        if (!read.folderId().equals(folderId)) {
            throw new RefusedException(place + " is of folder " + read.folderId() + ", and not of folder " + folderId);
        }
        if (!read.isWhole(block.getInt(COUNT))) {
            throw new RefusedException(place + " is no valid block: its records do not go from number " + read.first()
                    + " to number " + read.last());
        }
        return read;
    }

    private static List<Entry> entriesOf(ByteBuffer block) {
        List<Entry> entries = new ArrayList<>();
        for (int at = HEAD_BYTES; block.limit() - at >= RECORD_HEAD_BYTES; ) {
            int length = block.getInt(at);
            int kind = block.getInt(at + 4);
            int from = at + RECORD_HEAD_BYTES;
            if (length < 0 || length > block.limit() - from || kind < 0 || kind >= KINDS.length) {
                return List.of();
            }
            entries.add(new Entry(
                    KINDS[kind],
                    block.getLong(at + 8),
                    block.getLong(at + 16),
                    block.getLong(at + 24),
                    block.getLong(at + 32),
                    block.slice(from, length)));
            at = from + length;
        }
        return entries;
    }

    private boolean isWhole(int count) {
        long next = first();
        int length = HEAD_BYTES;
        for (Entry each : entries) {
            if (each.first() != next || each.count() < 1) {
                return false;
            }
            next = each.number() + 1;
            length += RECORD_HEAD_BYTES + each.data().remaining();
        }
        return count == entries.size() && count > 0 && next == last() + 1 && length == bytes.length;
    }

    private ByteBuffer view() {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private String id(int from) {
        return HexFormat.of().formatHex(bytes, from, from + ID_BYTES);
    }

    /** {@return the entry of the ledger; not to be changed} */
    byte[] bytes() {
        return bytes;
    }

    String folderId() {
        return id(FOLDER);
    }

    String ring() {
        return id(RING);
    }

    long first() {
        return view().getLong(FIRST);
    }

    long last() {
        return view().getLong(LAST);
    }

    /** {@return the sequence of its last record; 0 if all its numbers are missing} */
    long lastSequence() {
        return entries.get(entries.size() - 1).sequence();
    }

    /** {@return its records, in order; at least one} */
    List<Entry> entries() {
        return entries;
    }
}
