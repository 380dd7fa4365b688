// SPDX-License-Identifier: Apache-2.0
package io.burstlog.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.burstlog.copy.CopyBlock.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CopyBlockTest {

    private static final CopyBlock BLOCK = RingRecords.from(41)
            .add(0, "order 1\n")
            .add(3, "")
            .roll(0)
            .add(3, "audit: £\n")
            .block();

    private static CopyBlock read(byte[] bytes) throws IOException {
        return CopyBlock.read(ByteBuffer.wrap(bytes), "entry 5 of ledger 2");
    }

    @Test
    void aBlockStandsAlone() throws Exception {
        CopyBlock read = read(BLOCK.bytes());

        assertThat(read.ring()).isEqualTo(RingRecords.RING);
        assertThat(read.firstSequence()).isEqualTo(41);
        assertThat(read.lastSequence()).isEqualTo(44);
        assertThat(read.epoch()).isEqualTo(7);
        assertThat(read.isMark()).isFalse();
        assertThat(read.durableSequence()).isEqualTo(42); // RingRecords: one is under way before each
        assertThat(read.streams()).isEqualTo(Map.of(0, "/logs/orders.log", 3, "stream 3"));
        assertThat(read.records())
                .extracting(
                        CopyBlock.Record::stream,
                        CopyBlock.Record::streamName,
                        CopyBlock.Record::sequence,
                        CopyBlock.Record::eventTimeNanos,
                        CopyBlock.Record::kind,
                        record ->
                                StandardCharsets.UTF_8.decode(record.payload()).toString())
                .containsExactly(
                        tuple(0, "/logs/orders.log", 41L, 41_000L, Kind.RECORD, "order 1\n"),
                        tuple(3, "stream 3", 42L, 42_000L, Kind.RECORD, ""),
                        tuple(0, "/logs/orders.log", 43L, 43_000L, Kind.ROLL, "roll"),
                        tuple(3, "stream 3", 44L, 44_000L, Kind.RECORD, "audit: £\n"));
    }

    @Test
    void aMarkHasNoRecords() throws Exception {
        CopyBlock mark = read(CopyBlock.mark(RingRecords.RING, 96, 3).bytes());

        assertThat(mark.isMark()).isTrue();
        assertThat(mark.firstSequence()).isEqualTo(96);
        assertThat(mark.lastSequence()).isEqualTo(95);
        assertThat(mark.epoch()).isEqualTo(3);
        assertThat(mark.records()).isEmpty();
        assertThat(mark.durableSequence()).isZero(); // not known
    }

    @Test
    void aMarkKnowsWhatWasDurable() throws Exception {
        for (long durable : new long[] {95, 94, 1}) {
            CopyBlock mark =
                    read(CopyBlock.mark(RingRecords.RING, 96, 3, durable).bytes());
            assertThat(mark.durableSequence()).isEqualTo(durable);
            assertThat(mark.bytes()[60]).isEqualTo((byte) (96 - durable));
        }
    }

    @Test
    void aLastRecordThatIsDamagedTellsNothing() throws Exception {
        ByteBuffer records = RingRecords.from(5).add(0, "one").add(0, "two").bytes();
        byte[] damaged = new byte[records.remaining()];
        records.get(damaged);
        damaged[64 + 44] ^= 1;
        assertThat(CopyBlock.of(RingRecords.RING, ByteBuffer.wrap(damaged), stream -> "a")
                        .durableSequence())
                .isZero();
    }

    @Test
    void theBytesAreThoseOfTheFormat() {
        String bytes = HexFormat.of()
                .formatHex(CopyBlock.mark(RingRecords.RING, 0x96, 3).bytes());

        assertThat(bytes)
                .hasSize(128)
                .startsWith("4255525354435059") // BURSTCPY
                .endsWith(
                        "40000000" // length
                                + RingRecords.RING
                                + "9600000000000000"
                                + "9500000000000000"
                                + "03000000" // epoch
                                + "0100" // version
                                + "0000" // streams
                                + "00000000" // bytes of their names
                                + "00000000");
    }

    @Test
    void eachChangedBitIsFound() {
        for (int bit = 0; bit < BLOCK.bytes().length * 8; bit++) {
            byte[] bytes = BLOCK.bytes().clone();
            bytes[bit / 8] ^= (byte) (1 << bit % 8);
            assertThatThrownBy(() -> read(bytes))
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith("entry 5 of ledger 2 is ")
                    .hasMessageContaining("block of a copy");
        }
    }

    @Test
    void aBlockThatIsCutIsFound() {
        byte[] bytes = BLOCK.bytes();
        for (int length = 0; length < bytes.length; length++) {
            ByteBuffer cut = ByteBuffer.wrap(bytes, 0, length);
            assertThatThrownBy(() -> CopyBlock.read(cut, "it")).isInstanceOf(IOException.class);
        }
    }

    /** The sum over the block holds, as if the copier had been given damaged memory. */
    @Test
    void aRecordThatWasDamagedBeforeItWasSentIsFound() {
        ByteBuffer records = RingRecords.from(1).add(0, "one").add(0, "two").bytes();
        for (int at : new int[] {8, 20, 24, 40, 56}) {
            byte[] damaged = new byte[records.remaining()];
            records.get(records.position(), damaged);
            damaged[64 + at] ^= 8;
            CopyBlock block = CopyBlock.of(RingRecords.RING, ByteBuffer.wrap(damaged), stream -> "a");
            assertThatThrownBy(block::records).hasMessageContaining("is damaged in its copy");
        }
    }

    @Test
    void theRecordsOfAnotherRingAreFound() {
        String other = RingRecords.RING.replace('f', 'e');
        CopyBlock block = CopyBlock.of(other, RingRecords.from(1).add(0, "one").bytes(), stream -> "a");

        assertThatThrownBy(block::records).hasMessageContaining("record 1 of ring " + other + " is damaged");
    }

    @Test
    void aVersionThatIsNotKnownIsRefused() {
        byte[] bytes = CopyBlock.mark(RingRecords.RING, 1, 0).bytes().clone();
        bytes[52] = 2;
        java.util.zip.CRC32C crc = new java.util.zip.CRC32C();
        crc.update(bytes, 12, bytes.length - 12);
        ByteBuffer.wrap(bytes).order(java.nio.ByteOrder.LITTLE_ENDIAN).putInt(8, (int) crc.getValue());

        assertThatThrownBy(() -> read(bytes)).hasMessageContaining("in version 2, and this version of Burstlog reads");
    }
}
