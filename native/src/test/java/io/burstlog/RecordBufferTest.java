// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
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
            assertThatExceptionOfType(IndexOutOfBoundsException.class)
                    .isThrownBy(() -> record.put(new byte[4], 0, length));
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

    private interface Growth {
        void grow(RecordBuffer record, int count);
    }

    private static final List<Growth> GROWTHS = List.of(
            (record, count) -> record.ensureRemaining(count).position(record.length() + count),
            (record, count) -> record.put(new byte[count + 7], 5, count),
            (record, count) -> record.put(ByteBuffer.allocate(count)),
            (record, count) ->
                    record.put(ByteBuffer.allocateDirect(count + 3).position(3).order(ByteOrder.LITTLE_ENDIAN)));

    @Test
    void growingKeepsTheByteOrder() {
        for (Growth growth : GROWTHS) {
            for (ByteOrder order : new ByteOrder[] {ByteOrder.LITTLE_ENDIAN, ByteOrder.BIG_ENDIAN}) {
                RecordBuffer record = RecordBuffer.allocate(64, 10_000);
                record.buffer().order(order).putInt(0x01020304);
                growth.grow(record, 5_000);
                assertThat(record.buffer().order()).isEqualTo(order);
                record.ensureRemaining(Integer.BYTES).putInt(0x01020304);
                assertThat(record.buffer().getInt(5_004))
                        .isEqualTo(record.buffer().getInt(0))
                        .isEqualTo(0x01020304);
                assertThat(record.clear().buffer().order()).isEqualTo(order);
            }
        }
    }

    @Test
    void growingKeepsContentAndPositionAndOpensTheWholeBuffer() {
        for (Growth growth : GROWTHS) {
            RecordBuffer record = RecordBuffer.allocate(64, 10_000).put(new byte[] {1, 2, 3}, 0, 3);
            record.buffer().limit(3);
            growth.grow(record, 200);
            assertThat(record.length()).isEqualTo(203);
            assertThat(record.buffer().limit()).isEqualTo(record.buffer().capacity());
            assertThat(record.buffer().isDirect()).isTrue();
            byte[] begin = new byte[4];
            record.buffer().get(0, begin);
            assertThat(begin).containsExactly(1, 2, 3, 0);
        }
    }

    @Test
    void theBufferStaysTheSameUntilItHasToGrow() {
        RecordBuffer record = RecordBuffer.allocate(100, 1_000);
        ByteBuffer first = record.buffer();
        record.put(new byte[100], 0, 100).ensureRemaining(0);
        assertThat(record.buffer()).isSameAs(first);
        assertThat(record.clear().ensureRemaining(100)).isSameAs(first);
        assertThat(record.ensureRemaining(101)).isNotSameAs(first).isSameAs(record.buffer());
        assertThat(record.maxCapacity()).isEqualTo(1_000);
    }

    @Test
    void onlyWhatRemainsOfASourceIsTakenAndItIsConsumed() {
        byte[] array = {9, 1, 2, 3, 9};
        ByteBuffer direct = ByteBuffer.allocateDirect(5).put(array).clear();
        for (ByteBuffer whole : new ByteBuffer[] {
            ByteBuffer.wrap(array), direct, ByteBuffer.wrap(array).asReadOnlyBuffer()
        }) {
            ByteBuffer source = whole.position(1).limit(4).order(ByteOrder.LITTLE_ENDIAN);
            RecordBuffer record = RecordBuffer.allocate(0, 64).put(source);
            assertThat(record.length()).isEqualTo(3);
            assertThat(record.buffer().flip()).isEqualTo(ByteBuffer.wrap(new byte[] {1, 2, 3}));
            assertThat(source.position()).isEqualTo(4);
            assertThat(source.limit()).isEqualTo(4);
            assertThat(source.order()).isEqualTo(ByteOrder.LITTLE_ENDIAN);
        }
    }

    @Test
    void aRangeOutsideItsArrayIsRefusedAndNothingIsTaken() {
        RecordBuffer record = RecordBuffer.allocate(64, 64);
        int[][] ranges = {{-1, 5}, {0, 11}, {10, 1}, {5, -1}, {1, Integer.MAX_VALUE}};
        for (int[] range : ranges) {
            assertThatExceptionOfType(IndexOutOfBoundsException.class)
                    .isThrownBy(() -> record.put(new byte[10], range[0], range[1]));
        }
        assertThat(record.length()).isZero();
    }
}
