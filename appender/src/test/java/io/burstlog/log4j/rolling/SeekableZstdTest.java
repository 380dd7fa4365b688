// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of several frames give back what they were given, and their table says where each frame is. */
class SeekableZstdTest {

    private final Compressor zstd = Compressor.ofSuffix(".zst", 0);

    private static byte[] text(final int bytes) {
        final byte[] text = new byte[bytes];
        new Random(bytes).nextBytes(text);
        for (int at = 0; at < bytes; at++) {
            text[at] = (byte) ('a' + (text[at] & 7));
        }
        return text;
    }

    private byte[] compress(final byte[] text, final int piece) throws IOException {
        final ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (OutputStream out = zstd.compress(packed, "app.log")) {
            for (int at = 0; at < text.length; at += piece) {
                out.write(text, at, Math.min(piece, text.length - at));
            }
        }
        return packed.toByteArray();
    }

    private byte[] decompress(final byte[] packed) throws IOException {
        try (InputStream in = zstd.decompress(new ByteArrayInputStream(packed))) {
            return in.readAllBytes();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, SeekableZstd.FRAME_BYTES, SeekableZstd.FRAME_BYTES + 1, 12582907})
    void each_frame_is_where_the_table_says(final int bytes) throws IOException {
        final byte[] text = text(bytes);
        final byte[] packed = compress(text, 8192);
        assertThat(decompress(packed)).isEqualTo(text);
        final ByteBuffer file = ByteBuffer.wrap(packed).order(ByteOrder.LITTLE_ENDIAN);
        assertThat(file.getInt(packed.length - 4)).isEqualTo(0x8F92EAB1);
        final int frames = file.getInt(packed.length - 9);
        assertThat(frames).isEqualTo(Math.max(1, (bytes + SeekableZstd.FRAME_BYTES - 1) / SeekableZstd.FRAME_BYTES));
        final int table = packed.length - 9 - 8 * frames - 8;
        assertThat(file.getInt(table)).isEqualTo(0x184D2A5E);
        assertThat(file.getInt(table + 4)).isEqualTo(packed.length - table - 8);
        int at = 0;
        int begin = 0;
        for (int frame = 0; frame < frames; frame++) {
            final int length = file.getInt(table + 8 + 8 * frame);
            final int unpacked = file.getInt(table + 12 + 8 * frame);
            assertThat(decompress(Arrays.copyOfRange(packed, at, at + length)))
                    .isEqualTo(Arrays.copyOfRange(text, begin, begin + unpacked));
            at += length;
            begin += unpacked;
        }
        assertThat(at).isEqualTo(table);
        assertThat(begin).isEqualTo(bytes);
    }
}
