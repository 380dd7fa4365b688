// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.ByteBuffer;
import java.util.Map;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.appender.AppenderLoggingException;
import org.apache.logging.log4j.core.layout.AbstractLayout;
import org.apache.logging.log4j.core.layout.ByteBufferDestination;
import org.junit.jupiter.api.Test;

/** Records of about the longest length, in any pieces that a layout may write. */
class RecordEncoderTest {

    private static final int LIMIT = 1000;

    /** Writes so many pieces of so many bytes: arrays, or buffers. */
    private static final class Pieces extends AbstractLayout<byte[]> {

        private final int count;
        private final int bytes;
        private final boolean asBuffers;

        Pieces(final int count, final int bytes, final boolean asBuffers) {
            super(null, null, null);
            this.count = count;
            this.bytes = bytes;
            this.asBuffers = asBuffers;
        }

        @Override
        public void encode(final LogEvent event, final ByteBufferDestination destination) {
            for (int i = 0; i < count; i++) {
                if (asBuffers) {
                    destination.writeBytes(ByteBuffer.allocate(bytes));
                } else {
                    destination.writeBytes(new byte[bytes], 0, bytes);
                }
            }
        }

        @Override
        public byte[] toByteArray(final LogEvent event) {
            throw new AssertionError("not asked for");
        }

        @Override
        public byte[] toSerializable(final LogEvent event) {
            throw new AssertionError("not asked for");
        }

        @Override
        public Map<String, String> getContentFormat() {
            return Map.of();
        }

        @Override
        public String getContentType() {
            return "application/octet-stream";
        }
    }

    private static void assertRefused(final int pieces, final int bytes, final boolean asBuffers) {
        assertThatExceptionOfType(AppenderLoggingException.class)
                .isThrownBy(() -> new RecordEncoder().encode(new Pieces(pieces, bytes, asBuffers), null, LIMIT))
                .withMessageContaining("of " + pieces * bytes + " bytes")
                .withMessageContaining(LIMIT + " bytes");
    }

    @Test
    void aRecordOfExactlyTheLimitIsTakenAndALongerOneRefusedWithItsWholeLength() {
        final RecordEncoder encoder = new RecordEncoder();
        assertThat(encoder.encode(new byte[LIMIT], LIMIT).length()).isEqualTo(LIMIT);
        assertThatExceptionOfType(AppenderLoggingException.class)
                .isThrownBy(() -> encoder.encode(new byte[LIMIT + 1], LIMIT))
                .withMessageContaining("of " + (LIMIT + 1) + " bytes");
        for (final boolean asBuffers : new boolean[] {false, true}) {
            assertThat(encoder.encode(new Pieces(4, LIMIT / 4, asBuffers), null, LIMIT)
                            .length())
                    .isEqualTo(LIMIT);
            assertRefused(1, LIMIT + 1, asBuffers);
            assertRefused(3, LIMIT / 2, asBuffers);
            assertRefused(7, LIMIT - 1, asBuffers);
        }
        assertThat(encoder.encode(new byte[3], LIMIT).length()).isEqualTo(3);
    }

    private static void encodeAndClear(final RecordEncoder encoder, final int bytes, final int times) {
        for (int i = 0; i < times; i++) {
            encoder.encode(new byte[bytes], 1 << 20);
            encoder.clear();
        }
    }

    @Test
    void theMemoryForAHugeEventIsLetGoAfterAThousandSmallOnesInARow() {
        final RecordEncoder encoder = new RecordEncoder();
        final int huge = 300 * 1024;
        for (int round = 0; round < 3; round++) {
            encodeAndClear(encoder, huge, 1);
            encodeAndClear(encoder, 100, 999);
            assertThat(encoder.getByteBuffer().capacity()).isGreaterThanOrEqualTo(huge);
        }
        encodeAndClear(encoder, 100, 1);
        assertThat(encoder.getByteBuffer().capacity()).isLessThan(huge / 2);
    }

    @Test
    void aThreadThatEncodesWhileItEncodesHasAnEncoderForEach() {
        final RecordEncoder outer = RecordEncoders.acquire();
        final RecordEncoder inner = RecordEncoders.acquire();
        final RecordEncoder innermost = RecordEncoders.acquire();
        assertThat(inner).isNotSameAs(outer).isNotSameAs(innermost);
        assertThat(innermost).isNotSameAs(outer);
        RecordEncoders.release(innermost);
        assertThat(RecordEncoders.acquire()).isSameAs(innermost);
        RecordEncoders.release(innermost);
        RecordEncoders.release(inner);
        RecordEncoders.release(outer);
        assertThat(RecordEncoders.acquire()).isSameAs(outer);
        RecordEncoders.release(outer);
    }
}
