// SPDX-License-Identifier: Apache-2.0
package io.burstlog.copy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.zip.CRC32C;

/** Makes records as a ring has them. */
final class RingRecords {

    static final String RING = "00112233445566778899aabbccddeeff";

    private final ByteBuffer bytes = ByteBuffer.allocate(6 << 20).order(ByteOrder.LITTLE_ENDIAN);
    private long sequence;
    private int epoch = 7;

    private RingRecords(long sequence) {
        this.sequence = sequence;
    }

    static RingRecords from(long sequence) {
        return new RingRecords(sequence);
    }

    RingRecords in(int otherEpoch) {
        epoch = otherEpoch;
        return this;
    }

    RingRecords add(int stream, String payload) {
        return add(stream, 0, payload);
    }

    RingRecords roll(int stream) {
        return add(stream, 4, "roll");
    }

    private RingRecords add(int stream, int flags, String payload) {
        byte[] text = payload.getBytes(StandardCharsets.UTF_8);
        int at = bytes.position();
        bytes.putLong(sequence * 64).putLong(sequence).putInt(text.length);
        bytes.put((byte) 1).put((byte) flags).putShort((short) stream);
        bytes.putLong(sequence * 1000).putLong(0).putInt(epoch).putInt(1);
        bytes.putInt(crc(new byte[0], text));
        byte[] head = new byte[52];
        bytes.get(at, head);
        bytes.putInt(crc(HexFormat.of().parseHex(RING), head)).put(text);
        bytes.position((bytes.position() + 7) / 8 * 8);
        sequence++;
        return this;
    }

    private static int crc(byte[] seed, byte[] of) {
        CRC32C crc = new CRC32C();
        crc.update(seed);
        crc.update(of);
        return (int) crc.getValue();
    }

    ByteBuffer bytes() {
        return bytes.duplicate().flip();
    }

    CopyBlock block() {
        return CopyBlock.of(RING, bytes(), stream -> stream == 0 ? "/logs/orders.log" : "stream " + stream);
    }
}
