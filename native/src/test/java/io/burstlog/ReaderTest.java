// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import static io.burstlog.TempLog.line;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
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
                .hasMessageContaining("there is no ring, log file, folder of segments or signed archive at");
        temp.open().close();
        assertThatThrownBy(() -> reader().stream("audit").open()).hasMessageContaining("no stream audit");
        assertThatThrownBy(() -> reader().fromSequence(0).open()).hasMessageContaining("record 0");
        BurstReader reader = reader().open();
        reader.close();
        reader.close();
        assertThatThrownBy(() -> reader.poll(4096, Duration.ZERO)).hasMessageContaining("is closed");
        assertThat(Set.of(reader.toString())).containsExactly("BurstReader[" + temp.ring() + "]");
    }

    /** A stream whose segments are deleted as soon as bytes follow them and each consumer has passed them. */
    private BurstStream openSegments(BurstLog log, String name) {
        return log.stream(
                name,
                StreamConfig.builder()
                        .fileName(temp.directory().resolve(name + ".log").toString())
                        .segments(Segments.in(temp.directory().resolve(name).toString())
                                .bytes(1 << 16)
                                .keepBytes(1))
                        .build());
    }

    private static void writeLong(BurstLog log, List<BurstStream> streams) {
        RecordBuffer record = RecordBuffer.allocate(1024, 1024);
        byte[] text = line("x".repeat(1000));
        for (int i = 0; i < 100; i++) {
            for (BurstStream stream : streams) {
                record.clear();
                stream.enqueue(record.put(text, 0, text.length), 0);
            }
        }
        assertThat(log.awaitDrained(TempLog.LONG_ENOUGH)).isTrue();
    }

    private Path oldestSegment(String folder) throws IOException {
        try (Stream<Path> files = Files.list(temp.directory().resolve(folder))) {
            return files.filter(file -> file.toString().endsWith(".seg"))
                    .sorted()
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Test
    void aReaderHoldsNoSegmentBackAndAConsumerDoes() throws Exception {
        try (BurstLog log = BurstLog.open(temp.config().fileName(null).build());
                BurstStream read = openSegments(log, "read");
                BurstStream held = openSegments(log, "held")) {
            writeLong(log, List.of(read, held));
            Path firstHeld = oldestSegment("held");
            String folder = temp.directory().resolve("read").toString();
            int written = 100;
            try (BurstConsumer fast = BurstConsumer.open(folder, "fast");
                    BurstConsumer slow =
                            BurstConsumer.open(temp.directory().resolve("held").toString(), "slow");
                    BurstReader reader = BurstReader.of(folder).open()) {
                assertThat(reader.poll(1, Duration.ZERO).isEmpty()).isFalse();
                // When segments were deleted twice, those of the other stream have been looked at.
                for (int times = 1; times <= 2; times++) {
                    Path oldest = oldestSegment("read");
                    long until = System.nanoTime() + TempLog.LONG_ENOUGH.toNanos();
                    while (Files.exists(oldest)) {
                        assertThat(System.nanoTime()).as("%s is kept", oldest).isLessThan(until);
                        writeLong(log, List.of(read, held));
                        written += 100;
                        while (!fast.poll(1 << 16, Duration.ZERO).isEmpty()) {
                            fast.ack();
                        }
                    }
                }
                assertThat(firstHeld).exists();
                assertThat(slow.poll(1 << 16, Duration.ZERO).next()).isTrue();
                reader.stream().count();
                assertThat(reader.state().missed())
                        .as("records of segments that were deleted")
                        .isPositive();
                assertThat(reader.state().records() + reader.state().missed())
                        .as("%s", reader.state())
                        .isEqualTo(written);
            }
        }
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
