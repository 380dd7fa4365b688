// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * The tree's entry for one record, or of one act of the archive itself.
 *
 * <pre>
 * bytes    big-endian
 *   0   1  version: 1
 *   1   1  kind
 *   2   2  zeros
 *   4   4  length of the payload
 *   8   8  taken: nanoseconds since 1970 when the archiver had it; it was durable before
 *  16   8  event time, as it was appended
 *  24   8  sequence that the ring gave it
 *  32   8  number in its folder of segments: from 1, without a gap
 *  40   8  count: of lost or missing records; 1 for a record
 *  48  16  id of the folder of segments
 *  64  16  id of the ring
 *  80  32  SHA-256 of the payload
 * 112      acts of the archive: lines "name: value", UTF-8
 * </pre>
 *
 * <p>Immutable.
 */
public final class Leaf {

    /** The kinds of leaves; those from {@link #KEY} on are acts of the archive, and have a text. */
    public enum Kind {
        /** A record, as it was appended. */
        RECORD(1),
        /** The log file ended here. */
        ROLL(2),
        /** The ring lost {@link Leaf#count()} records. */
        LOST(3),
        /** {@link Leaf#count()} numbers up to this one were deleted before the archiver took them. */
        MISSING(4),
        /** Heads are signed by this key from here on. */
        KEY(16),
        /** The payload of a leaf was erased; its hash stays. */
        ERASED(17),
        /** The payloads of a range of leaves were deleted, since their time is over. */
        EXPIRED(18),
        /** The state of the clock that gives the times. */
        CLOCK(32),
        /** The clock was set. */
        CLOCK_STEP(33),
        /** Anchors are to confirm heads as often as it says, from here on. */
        SEALING(34),
        /** It fills its bundle: the next payload would have made the frame of the bundle too long. */
        PADDING(35);

        private static final Kind[] BY_CODE = new Kind[256];

        static {
            for (Kind kind : values()) {
                BY_CODE[kind.code] = kind;
            }
        }

        private final int code;

        Kind(int code) {
            this.code = code;
        }

        /** {@return whether it is about the stream; else it is an act of the archive} */
        public boolean isOfStream() {
            return code < KEY.code;
        }

        /** Whether it says of payloads that they are to be removed. */
        boolean isRemoval() {
            return this == ERASED || this == EXPIRED;
        }
    }

    static final int HEAD_BYTES = 112;

    /** The longest leaf: its length has two bytes in a bundle. */
    static final int MOST_BYTES = 0xFFFF;

    private static final byte VERSION = 1;
    private static final int KIND = 1;
    private static final int LENGTH = 4;
    private static final int TAKEN = 8;
    private static final int EVENT_TIME = 16;
    private static final int SEQUENCE = 24;
    private static final int NUMBER = 32;
    private static final int COUNT = 40;
    private static final int FOLDER = 48;
    private static final int RING = 64;
    private static final int ID_BYTES = 16;
    private static final int DIGEST = 80;
    private static final byte[] NOTHING = Sha256.of(new byte[0], 0, 0);

    private final byte[] bytes;
    private final ByteBuffer fields;

    private Leaf(byte[] bytes) {
        this.bytes = bytes;
        fields = ByteBuffer.wrap(bytes);
    }

    /** {@return whether these bytes are a leaf} */
    static boolean isLeaf(byte[] bytes) {
        return bytes.length >= HEAD_BYTES && bytes[0] == VERSION && Kind.BY_CODE[bytes[KIND] & 0xFF] != null;
    }

    /**
     * Reads a leaf.
     *
     * @param bytes as {@link #bytes()} returned them
     * @return the leaf
     * @throws IllegalArgumentException if they are no leaf that this version knows
     */
    public static Leaf of(byte[] bytes) {
        if (!isLeaf(bytes)) {
            throw new IllegalArgumentException("These " + bytes.length + " bytes are no leaf of an archive of version "
                    + VERSION + ": use a newer version of burstlog-archive, if there is one.");
        }
        return new Leaf(bytes.clone());
    }

    static Leaf ofStream(
            Kind kind,
            byte[] folder,
            long number,
            byte[] ring,
            long sequence,
            long eventTimeNanos,
            long count,
            long takenNanos,
            byte[] payload) {
        Leaf leaf = new Leaf(new byte[HEAD_BYTES]);
        leaf.fill(
                kind,
                takenNanos,
                payload.length,
                payload.length == 0 ? NOTHING : Sha256.of(payload, 0, payload.length));
        leaf.fields
                .putLong(EVENT_TIME, eventTimeNanos)
                .putLong(SEQUENCE, sequence)
                .putLong(NUMBER, number)
                .putLong(COUNT, count);
        System.arraycopy(folder, 0, leaf.bytes, FOLDER, ID_BYTES);
        System.arraycopy(ring, 0, leaf.bytes, RING, ID_BYTES);
        return leaf;
    }

    /** Makes the leaf of an act of the archive. */
    static Leaf ofArchive(Kind kind, long takenNanos, String text) {
        byte[] lines = text.getBytes(UTF_8);
        if (HEAD_BYTES + lines.length > MOST_BYTES) {
            throw new IllegalArgumentException("An act of an archive has " + lines.length + " bytes of text; at most "
                    + (MOST_BYTES - HEAD_BYTES) + " fit: shorten it.");
        }
        Leaf leaf = new Leaf(new byte[HEAD_BYTES + lines.length]);
        leaf.fill(kind, takenNanos, 0, NOTHING);
        System.arraycopy(lines, 0, leaf.bytes, HEAD_BYTES, lines.length);
        return leaf;
    }

    private void fill(Kind kind, long takenNanos, int length, byte[] digest) {
        bytes[0] = VERSION;
        bytes[KIND] = (byte) kind.code;
        fields.putInt(LENGTH, length).putLong(TAKEN, takenNanos);
        System.arraycopy(digest, 0, bytes, DIGEST, Sha256.BYTES);
    }

    /** {@return the kind} */
    public Kind kind() {
        return Kind.BY_CODE[bytes[KIND] & 0xFF];
    }

    /** {@return the length of the payload in bytes} */
    public int length() {
        return fields.getInt(LENGTH);
    }

    /** {@return when the archiver had it, in nanoseconds since 1970; it was durable before} */
    public long takenNanos() {
        return fields.getLong(TAKEN);
    }

    /** {@return the event time, as it was appended} */
    public long eventTimeNanos() {
        return fields.getLong(EVENT_TIME);
    }

    /** {@return the sequence that the append returned; 0 for missing records and for acts of the archive} */
    public long sequence() {
        return fields.getLong(SEQUENCE);
    }

    /** {@return the number in the folder of segments; 0 for acts of the archive} */
    public long number() {
        return fields.getLong(NUMBER);
    }

    /** {@return how many records are lost or missing; 1 for a record} */
    public long count() {
        return fields.getLong(COUNT);
    }

    /** {@return the id of the folder of segments, 32 hexadecimal digits} */
    public String folder() {
        return HexFormat.of().formatHex(bytes, FOLDER, FOLDER + ID_BYTES);
    }

    /** {@return the id of the ring, 32 hexadecimal digits} */
    public String ring() {
        return HexFormat.of().formatHex(bytes, RING, RING + ID_BYTES);
    }

    /** {@return the SHA-256 of the payload} */
    public byte[] digest() {
        return Arrays.copyOfRange(bytes, DIGEST, DIGEST + Sha256.BYTES);
    }

    /** Whether both come from the same folder and the same ring. */
    boolean isOfStreamOf(Leaf other) {
        return Arrays.equals(bytes, FOLDER, DIGEST, other.bytes, FOLDER, DIGEST);
    }

    boolean isDigestOf(byte[] payload, int offset) {
        return Arrays.equals(
                Sha256.of(payload, offset, length()), 0, Sha256.BYTES, bytes, DIGEST, DIGEST + Sha256.BYTES);
    }

    /** {@return the lines of an act of the archive; empty for others} */
    public String text() {
        return new String(bytes, HEAD_BYTES, bytes.length - HEAD_BYTES, UTF_8);
    }

    /** {@return the value of a line of an act of the archive; null if it has no such line} */
    public String value(String name) {
        for (String line : text().split("\n")) {
            if (line.startsWith(name + ": ")) {
                return line.substring(name.length() + 2);
            }
        }
        return null;
    }

    /** {@return the bytes that the tree hashes} */
    public byte[] bytes() {
        return bytes.clone();
    }

    /** {@return the bytes, which the caller must not change} */
    byte[] raw() {
        return bytes;
    }

    byte[] hash() {
        return MerkleTree.leafHash(bytes);
    }

    @Override
    public String toString() {
        return kind().isOfStream()
                ? kind() + " " + number() + " of folder " + folder() + ", sequence " + sequence() + " of ring " + ring()
                : kind() + " " + text().strip().replace("\n", ", ");
    }
}
