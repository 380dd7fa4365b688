// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class RecordBufferTest {

    @Test
    void growingKeepsWhatIsWritten() {
        RecordBuffer record = RecordBuffer.allocate(0, 10_000);
        for (int i = 0; i < 1000; i++) {
            record.ensureRemaining(Integer.BYTES).putInt(i);
        }
        ByteBuffer written = record.buffer().duplicate().flip();
        assertThat(record.length()).isEqualTo(4000);
        for (int i = 0; i < 1000; i++) {
            assertThat(written.getInt()).isEqualTo(i);
        }
    }

    @Test
    void growingBeyondTheLimitIsRefusedNamingBothSizesAndKeepsTheRecord() {
        RecordBuffer record = RecordBuffer.allocate(10, 100).put(new byte[90], 0, 90);
        assertThatExceptionOfType(BurstException.class)
                .isThrownBy(() -> record.ensureRemaining(11))
                .withMessageContaining("101")
                .withMessageContaining("100")
                .extracting(BurstException::code)
                .isEqualTo(BurstException.Code.RECORD_TOO_LARGE);
        assertThat(record.length()).isEqualTo(90);
        assertThat(record.ensureRemaining(10).remaining()).isGreaterThanOrEqualTo(10);
    }

    @Test
    void aRecordOfExactlyTheLimitFits() {
        RecordBuffer record = RecordBuffer.allocate(0, 100).put(new byte[100], 0, 100);
        assertThat(record.length()).isEqualTo(100);
    }

    @Test
    void aRangeBeyondItsSourceIsRefusedAsSuchAndNothingGrows() {
        RecordBuffer record = RecordBuffer.allocate(10, 100);
        int capacity = record.buffer().capacity();
        for (int length : new int[] {5, 90, 1000, -1}) {
            assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> record.put(new byte[4], 0, length));
        }
        assertThat(record.buffer().capacity()).isEqualTo(capacity);
        assertThat(record.length()).isZero();
    }

    @Test
    void anEncoderMayLimitTheBufferAndStillAskForRoom() {
        RecordBuffer record = RecordBuffer.allocate(64, 64).put(new byte[4], 0, 4);
        record.buffer().limit(8);
        assertThat(record.ensureRemaining(40).remaining()).isEqualTo(60);
        assertThat(record.length()).isEqualTo(4);
    }

    @Test
    void impossibleSizesAreRefusedInOneSentence() {
        int[][] impossible = {{-1, 10}, {0, 0}, {11, 10}};
        for (int[] sizes : impossible) {
            assertThatExceptionOfType(BurstException.class)
                    .isThrownBy(() -> RecordBuffer.allocate(sizes[0], sizes[1]))
                    .withMessageContaining(sizes[0] + " bytes")
                    .withMessageContaining(sizes[1] + " bytes");
        }
    }

    @Test
    void aSourceBufferThatDoesNotFitIsLeftUnread() {
        RecordBuffer record = RecordBuffer.allocate(10, 10);
        ByteBuffer source = ByteBuffer.allocate(11);
        assertThatExceptionOfType(BurstException.class).isThrownBy(() -> record.put(source));
        assertThat(source.position()).isZero();
        assertThat(record.length()).isZero();
    }
}
