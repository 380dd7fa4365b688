// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import static io.burstlog.TempLog.line;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReaderTest {

    private static final int RECORDS = 500;

    private TempLog temp;

    @BeforeEach
    void createDirectory(@TempDir Path directory) {
        temp = new TempLog(directory, Binding.AUTO);
    }

    private static void write(BurstLog log, int from, int to) {
        RecordBuffer record = RecordBuffer.allocate(64, 64);
        for (int i = from; i <= to; i++) {
            byte[] text = line("order " + i);
            record.clear();
            log.enqueue(record.put(text, 0, text.length), i);
        }
        log.flush();
    }

    private BurstReader.Options reader() {
        return BurstReader.of(temp.ring().toString()).window(temp.directory().toString());
    }

    private static List<Long> sequences(BurstReader reader) {
        return reader.stream().map(ReadRecord::sequence).toList();
    }

    @Test
    void aClosedLogIsReadToItsEnd() {
        try (BurstLog log = temp.open()) {
            write(log, 1, RECORDS);
        }
        try (BurstReader reader = reader().fromRing().open()) {
            int next = 0;
            for (ReadRecord record : reader) {
                assertThat(record.sequence()).isEqualTo(++next);
                assertThat(record.eventTimeNanos()).isEqualTo(next);
                assertThat(record.kind()).isEqualTo(ReadRecords.Kind.RECORD);
                assertThat(record.data()).isEqualTo(line("order " + next));
            }
            assertThat(next).isEqualTo(RECORDS);
            assertThat(reader.state().durableSequence()).isEqualTo(RECORDS);
            assertThat(reader.state().records()).isEqualTo(RECORDS);
            assertThat(reader.state().how()).contains("reads the medium");
            reader.seekLast(3);
            assertThat(sequences(reader)).containsExactly(498L, 499L, 500L);
            reader.seekSequence(499);
            assertThat(sequences(reader)).containsExactly(499L, 500L);
            reader.seekTime(500);
            assertThat(sequences(reader)).containsExactly(500L);
        }
    }

    @Test
    void aReaderFollowsALogThroughItsWindowOverARestart() {
        BurstConfig config =
                temp.config().window(temp.directory().toString()).io(Io.PWRITE).build();
        List<String> read = new ArrayList<>();
        try (BurstLog first = BurstLog.open(config)) {
            try (BurstReader reader =
                    reader().fromRing().wait(BurstReader.Wait.SLEEP).open()) {
                write(first, 1, 10);
                follow(reader, read, 10);
                assertThat(reader.state().place()).isEqualTo(ReadRecords.Place.RING);
                assertThat(reader.state().how()).contains("through its window");
                first.close();
                try (BurstLog second = BurstLog.open(config)) {
                    write(second, 11, 20);
                    follow(reader, read, 20);
                }
                assertThat(reader.state().missed()).isZero();
            }
        }
        assertThat(read).hasSize(20).startsWith("order 1").endsWith("order 20").doesNotHaveDuplicates();
    }

    private static void follow(BurstReader reader, List<String> read, int count) {
        for (long until = System.nanoTime() + TempLog.LONG_ENOUGH.toNanos();
                read.size() < count && System.nanoTime() < until; ) {
            ReadRecords records = reader.poll(1 << 16, Duration.ofSeconds(1));
            while (records.next()) {
                read.add(
                        StandardCharsets.UTF_8.decode(records.data()).toString().strip());
            }
        }
    }

    @Test
    void aLogFileIsReadAsLines() throws Exception {
        try (BurstLog log = temp.open()) {
            write(log, 1, RECORDS);
        }
        try (BurstReader reader = BurstReader.of(temp.file().toString()).open()) {
            List<String> lines = reader.stream()
                    .map(record -> new String(record.data(), StandardCharsets.UTF_8).strip())
                    .toList();
            assertThat(lines).isEqualTo(Files.readAllLines(temp.file()));
            reader.seekLast(1);
            ReadRecords last = reader.poll(4096, Duration.ZERO);
            assertThat(last.next()).isTrue();
            assertThat(last.kind()).isEqualTo(ReadRecords.Kind.LINE);
            assertThat(last.sequence()).isZero();
            assertThat(last.stream()).isEqualTo(-1);
            assertThatThrownBy(() -> reader.seekSequence(5)).hasMessageContaining("knows neither sequences nor times");
        }
    }

    @Test
    void whatCannotBeReadGetsASentence() {
        assertThatThrownBy(() -> BurstReader.of(temp.ring().toString()).open())
                .isInstanceOf(BurstException.class)
                .hasMessageContaining("there is no ring, log file or folder of segments at");
        temp.open().close();
        assertThatThrownBy(() -> reader().stream("audit").open()).hasMessageContaining("no stream audit");
        assertThatThrownBy(() -> reader().fromSequence(0).open()).hasMessageContaining("record 0");
        BurstReader reader = reader().open();
        reader.close();
        reader.close();
        assertThatThrownBy(() -> reader.poll(4096, Duration.ZERO)).hasMessageContaining("is closed");
        assertThat(Set.of(reader.toString())).containsExactly("BurstReader[" + temp.ring() + "]");
    }

    @Test
    void goingThroughRecordsAllocatesNothing() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long thread = Thread.currentThread().getId();
        try (BurstLog log = temp.open()) {
            write(log, 1, RECORDS);
        }
        try (BurstReader reader = reader().fromRing().open()) {
            long least = Long.MAX_VALUE;
            for (int round = 0; round < 200 && least > 0; round++) {
                reader.seekLast(RECORDS);
                long before = threads.getThreadAllocatedBytes(thread);
                long sum = 0;
                ReadRecords records = reader.poll(1 << 18, Duration.ZERO);
                while (records.next()) {
                    sum += records.sequence()
                            + records.data().remaining()
                            + records.kind().ordinal();
                }
                least = Math.min(least, threads.getThreadAllocatedBytes(thread) - before);
                assertThat(sum).isPositive();
            }
            assertThat(least).isZero();
        }
    }
}
