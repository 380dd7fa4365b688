// SPDX-License-Identifier: Apache-2.0
package io.burstlog.copy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import java.util.zip.CRC32C;

/** Records as they stand in a ring, one after the other: docs/media-format.md#record. */
final class CopyRecords {

    private static final int SEQUENCE = 8;
    private static final int LENGTH = 16;
    private static final int TYPE = 20;
    private static final int FLAGS = 21;
    private static final int STREAM = 22;
    private static final int EVENT_TIME = 24;
    private static final int EPOCH = 40;
    private static final int IN_FLIGHT = 44;
    private static final int PAYLOAD_CRC = 48;
    private static final int HEADER_CRC = 52;
    private static final int HEAD_BYTES = 56;
    private static final byte DATA = 1;
    private static final int ROLL = 4;

    private final ByteBuffer bytes;
    private final byte[] ring;
    private int at;
    private int next;

    /** @param ring the id of the ring, whose bytes the sums over the headers begin with */
    CopyRecords(ByteBuffer bytes, String ring) {
        this.bytes = bytes.slice().order(ByteOrder.LITTLE_ENDIAN);
        this.ring = HexFormat.of().parseHex(ring);
    }

    static int rounded(int length) {
        return (length + 7) & ~7;
    }

    /** Takes whole records off the front: as many as fit into {@code most} bytes, and at least one. */
    static ByteBuffer cut(ByteBuffer records, int most) {
        ByteBuffer bytes = records.slice().order(ByteOrder.LITTLE_ENDIAN);
        int end = 0;
        while (bytes.capacity() - end >= HEAD_BYTES) {
            int next = Math.min(bytes.capacity(), end + HEAD_BYTES + rounded(bytes.getInt(end + LENGTH)));
            if (end > 0 && next > most) {
                break;
            }
            end = next;
        }
        records.position(records.position() + end);
        return bytes.slice(0, end);
    }

    /** Goes to the next record. Returns false if no whole one is left. */
    boolean next() {
        int left = bytes.capacity() - next;
        if (left < HEAD_BYTES) {
            return false;
        }
        int length = bytes.getInt(next + LENGTH);
        if (length < 0 || length > left - HEAD_BYTES) {
            return false;
        }
        at = next;
        next = Math.min(bytes.capacity(), at + HEAD_BYTES + rounded(length));
        return true;
    }

    boolean isValid() {
        return bytes.get(at + TYPE) == DATA
                && crc(ring, bytes.slice(at, HEADER_CRC)) == bytes.getInt(at + HEADER_CRC)
                && crc(new byte[0], payload()) == bytes.getInt(at + PAYLOAD_CRC);
    }

    private static int crc(byte[] seed, ByteBuffer of) {
        CRC32C crc = new CRC32C();
        crc.update(seed);
        crc.update(of);
        return (int) crc.getValue();
    }

    long sequence() {
        return bytes.getLong(at + SEQUENCE);
    }

    int stream() {
        return bytes.getShort(at + STREAM);
    }

    int epoch() {
        return bytes.getInt(at + EPOCH);
    }

    /** {@return the sequence of the last record that was durable in the ring when this one was sealed; 0: none was} */
    long durableSequence() {
        return sequence() - Integer.toUnsignedLong(bytes.getInt(at + IN_FLIGHT)) - 1;
    }

    long eventTimeNanos() {
        return bytes.getLong(at + EVENT_TIME);
    }

    boolean isRoll() {
        return (bytes.get(at + FLAGS) & ROLL) != 0;
    }

    ByteBuffer payload() {
        return bytes.slice(at + HEAD_BYTES, bytes.getInt(at + LENGTH)).asReadOnlyBuffer();
    }
}
