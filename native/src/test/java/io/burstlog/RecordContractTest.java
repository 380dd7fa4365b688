// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import static io.burstlog.TempLog.LONG_ENOUGH;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A call's effect on the caller's buffer, for each kind of buffer, and the bytes that it takes. */
@EachBinding
class RecordContractTest {

    private interface Write {
        long write(BurstLog log, ByteBuffer record);
    }

    private interface WriteRecord {
        long write(BurstLog log, RecordBuffer record);
    }

    private static final List<Write> WRITES = List.of(BurstLog::append, BurstLog::enqueue, BurstLog::offer);
    private static final List<WriteRecord> RECORD_WRITES = List.of(
            (log, record) -> log.append(record, 0),
            (log, record) -> log.enqueue(record, 0),
            (log, record) -> log.offer(record, 0));

    private final Binding binding;
    private TempLog temp;

    RecordContractTest(Binding binding) {
        this.binding = binding;
    }

    @BeforeEach
    void createDirectory(@TempDir Path directory) {
        temp = new TempLog(directory, binding);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Each holds "record" and a line feed between position and limit, and other bytes around it. */
    private static List<ByteBuffer> records() {
        byte[] array = bytes("###record\n###");
        ByteBuffer direct = ByteBuffer.allocateDirect(array.length).put(array).clear();
        List<ByteBuffer> records = new ArrayList<>();
        for (ByteBuffer whole : new ByteBuffer[] {ByteBuffer.wrap(array), direct}) {
            for (ByteOrder order : new ByteOrder[] {ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN}) {
                ByteBuffer part = whole.duplicate().position(3).limit(10);
                records.add(part.duplicate().order(order));
                records.add(part.asReadOnlyBuffer().order(order));
                records.add(part.slice().order(order));
                records.add(part.slice().asReadOnlyBuffer().order(order));
                records.add(whole.slice(2, 9).position(1).limit(8).order(order));
            }
        }
        return records;
    }

    @Test
    void everyKindOfBufferIsConsumedAndOtherwiseLeftAsItIs() throws IOException {
        int count = 0;
        try (BurstLog log = temp.open()) {
            for (Write write : WRITES) {
                for (ByteBuffer record : records()) {
                    ByteBuffer before = record.duplicate().order(record.order());
                    assertThat(write.write(log, record)).isEqualTo(++count);
                    assertThat(record.position()).isEqualTo(before.limit());
                    assertThat(record.limit()).isEqualTo(before.limit());
                    assertThat(record.order()).isEqualTo(before.order());
                    assertThat(record.capacity()).isEqualTo(before.capacity());
                    assertThat(record.duplicate().position(before.position())).isEqualTo(before);
                }
            }
        }
        assertThat(temp.lines()).hasSize(count).containsOnly("record");
    }

    @Test
    void anEmptyBufferIsARecordOfNoBytes() throws IOException {
        try (BurstLog log = temp.open()) {
            for (Write write : WRITES) {
                for (ByteBuffer empty : new ByteBuffer[] {
                    ByteBuffer.allocate(0),
                    ByteBuffer.allocateDirect(9).position(5).limit(5)
                }) {
                    int position = empty.position();
                    assertThat(write.write(log, empty)).isPositive();
                    assertThat(empty.position()).isEqualTo(position);
                    assertThat(empty.limit()).isEqualTo(position);
                }
            }
            log.append(new byte[0]);
            assertThat(log.stats().acceptedSequence()).isEqualTo(7);
        }
        assertThat(temp.file()).isEmptyFile();
    }

    @Test
    void aBufferThatTheFullRingDoesNotTakeIsLeftAsItIs() {
        try (BurstLog log = BurstLog.open(temp.config()
                .ringBytes(TempLog.SMALL_RING_BYTES)
                .drainInterval(TempLog.LONG_ENOUGH.multipliedBy(10))
                .build())) {
            ByteBuffer record = ByteBuffer.allocate(100_010).position(10);
            long sequence = 1;
            for (int i = 0; i < 10_000 && sequence > 0; i++) {
                record.position(10);
                sequence = log.offer(record);
                assertThat(record.position()).isEqualTo(sequence > 0 ? 100_010 : 10);
            }
            assertThat(record.limit()).isEqualTo(100_010);
        }
    }

    @Test
    void aCallUnderARuleOfItsOwnIsAsTheOthersWhileTheRingHasSpace() throws IOException {
        RecordBuffer record = RecordBuffer.allocate(64, 64).put(ByteBuffer.wrap(bytes("record\n")));
        try (BurstLog log = temp.open()) {
            long sequence = 0;
            for (OnFull onFull : OnFull.values()) {
                for (Duration timeout : List.of(LONG_ENOUGH, Duration.ofSeconds(Long.MAX_VALUE))) {
                    assertThat(log.append(record, 1, onFull, timeout)).isEqualTo(++sequence);
                    assertThat(log.durableSequence()).isEqualTo(sequence);
                    assertThat(log.enqueue(record, 1, onFull, timeout)).isEqualTo(++sequence);
                }
            }
        }
        assertThat(Files.readString(temp.file())).isEqualTo("record\n".repeat(12));
    }

    @Test
    void theArrayMayBeChangedAsSoonAsTheCallReturns() throws IOException {
        byte[] array = bytes("record\n");
        ByteBuffer direct = ByteBuffer.allocateDirect(7);
        RecordBuffer own = RecordBuffer.allocate(64, 64);
        try (BurstLog log = temp.open()) {
            for (int i = 0; i < 100; i++) {
                log.enqueue(array);
                log.offer(direct.clear().put(array).flip());
                log.enqueue(own.clear().put(array, 0, 7), 0);
                for (int k = 0; k < 6; k++) {
                    array[k] = '#';
                    direct.put(k, (byte) '#');
                    own.buffer().put(k, (byte) '#');
                }
                System.arraycopy(bytes("record\n"), 0, array, 0, 7);
            }
        }
        assertThat(temp.lines()).hasSize(300).containsOnly("record");
    }

    @Test
    void aRecordBufferGoesInUpToItsPositionAndIsLeftAsItIs() throws IOException {
        RecordBuffer record = RecordBuffer.allocate(64, 1024);
        record.buffer().order(ByteOrder.LITTLE_ENDIAN);
        try (BurstLog log = temp.open()) {
            for (WriteRecord write : RECORD_WRITES) {
                record.clear().put(bytes("record\n###"), 0, 10).buffer().position(7);
                ByteBuffer buffer = record.buffer();
                assertThat(write.write(log, record)).isPositive();
                assertThat(record.buffer()).isSameAs(buffer);
                assertThat(record.length()).isEqualTo(7);
                assertThat(buffer.limit()).isEqualTo(buffer.capacity());
                assertThat(buffer.order()).isEqualTo(ByteOrder.LITTLE_ENDIAN);
                assertThat(buffer.get(9)).isEqualTo((byte) '#');
            }
            record.clear();
            assertThat(log.append(record, 0)).isEqualTo(4);
        }
        assertThat(temp.lines()).containsExactly("record", "record", "record");
    }

    @Test
    void aRecordBufferThatHasGrownGoesInFromItsNewPlace() throws IOException {
        RecordBuffer record = RecordBuffer.allocate(0, 1 << 20);
        try (BurstLog log = temp.open()) {
            for (int i = 0; i < 10; i++) {
                record.ensureRemaining(10_000 << i / 2);
                log.append(record.clear().put(bytes("record\n"), 0, 7), 0);
                record.put(new byte[10_000 << i / 2], 0, 10_000 << i / 2);
            }
        }
        assertThat(Files.readString(temp.file())).isEqualTo("record\n".repeat(10));
    }
}
