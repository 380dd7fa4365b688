// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.burstlog.BurstLog;
import io.burstlog.BurstReader;
import io.burstlog.BurstStream;
import io.burstlog.ReadRecords;
import io.burstlog.RecordBuffer;
import io.burstlog.Roll;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Readers of logs, which are not the archive's own, with an archive as their source. */
class LogReaderTest {

    private static final Duration LONG_ENOUGH = Duration.ofSeconds(60);

    /** More than the leaves of a payload file. */
    private static final int RECORDS = 66_500;

    private static final int POLL_BYTES = 1 << 20;

    @TempDir
    private Path directory;

    private final RecordBuffer record = RecordBuffer.allocate(64, 4096);
    private final Random random = new Random(31);
    private BurstLog log;
    private BurstStream stream;
    private long appended;

    /** An entry that a reader got, but for what only one of two sources knows. */
    private record Got(ReadRecords.Kind kind, long sequence, long eventTimeNanos, String text) {

        static Got of(ReadRecords records) {
            // An archive has no data of rolls.
            boolean isRoll = records.kind() == ReadRecords.Kind.ROLL;
            return new Got(
                    records.kind(),
                    records.sequence(),
                    records.eventTimeNanos(),
                    isRoll ? "" : UTF_8.decode(records.data()).toString());
        }
    }

    @BeforeEach
    void openLog() throws IOException {
        OrdersLog orders = OrdersLog.open(directory, 16 << 20);
        log = orders.log();
        stream = orders.stream();
        SigningKey.make("example.com/orders", directory.resolve("orders.key"));
        Archiver.create(directory.resolve("archive"), directory.resolve("orders.key"), null);
    }

    @AfterEach
    void closeLog() {
        log.close();
    }

    private String segments() {
        return OrdersLog.segments(directory);
    }

    private String archive() {
        return directory.resolve("archive").toString();
    }

    /** Up to three records have one event time. */
    private void append(int count) {
        for (int i = 0; i < count; i++) {
            appended++;
            String text = "order " + appended + " " + "x".repeat(random.nextInt(300)) + "\n";
            stream.enqueue(record.clear().put(ByteBuffer.wrap(text.getBytes(UTF_8))), 1_000_000 * (appended / 3));
        }
    }

    private ArchiverConfig.Builder config() {
        return ArchiverConfig.builder()
                .folder(segments())
                .archive(archive())
                .key(directory.resolve("orders.key").toString())
                .interval(Duration.ofMillis(5));
    }

    private void archiveAll() {
        assertThat(log.awaitDrained(LONG_ENOUGH)).isTrue();
        try (Archiver archiver = Archiver.start(config().build())) {
            archiver.close(LONG_ENOUGH);
        }
    }

    private static List<Got> readAll(String source) {
        List<Got> all = new ArrayList<>();
        try (BurstReader reader = BurstReader.of(source).open()) {
            ReadRecords records;
            do {
                records = reader.poll(POLL_BYTES, Duration.ZERO);
                while (records.next()) {
                    all.add(Got.of(records));
                }
            } while (!all.isEmpty() && !records.isEmpty());
        }
        return all;
    }

    private static Got first(BurstReader.Options options) {
        try (BurstReader reader = options.open()) {
            ReadRecords records = reader.poll(4096, Duration.ZERO);
            return records.next() ? Got.of(records) : null;
        }
    }

    private static Got firstAt(List<Got> all, long time) {
        return all.stream()
                .filter(each -> each.eventTimeNanos() >= time)
                .findFirst()
                .orElseThrow();
    }

    private static byte[] output(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        byte[] output = process.getInputStream().readAllBytes();
        assertThat(process.waitFor()).as(Arrays.toString(command)).isZero();
        return output;
    }

    @Test
    void anArchiveGivesWhatTheSegmentsGive() throws IOException, InterruptedException {
        append(500);
        stream.roll(Roll.to(directory.resolve("orders-1.log").toString()), 1_000_000 * (appended / 3));
        append(RECORDS - 500);
        archiveAll();
        List<Got> ofSegments = readAll(segments());
        assertThat(ofSegments).hasSize(RECORDS + 1);
        assertThat(readAll(archive())).isEqualTo(ofSegments);

        for (int i = 0; i < 200; i++) {
            long sequence = 1 + random.nextInt(RECORDS + 1);
            long time = random.nextLong(1_000_000L * (RECORDS / 3));
            Got bySequence = first(BurstReader.of(archive()).fromSequence(sequence));
            Got byTime = first(BurstReader.of(archive()).fromTime(time));
            assertThat(bySequence).as("sequence %d", sequence).isEqualTo(ofSegments.get((int) sequence - 1));
            assertThat(byTime).as("time %d", time).isEqualTo(firstAt(ofSegments, time));
            if (i < 3) { // the segments have no index, and are read through
                assertThat(first(BurstReader.of(segments()).fromSequence(sequence)))
                        .isEqualTo(bySequence);
                assertThat(first(BurstReader.of(segments()).fromTime(time))).isEqualTo(byTime);
            }
        }
        assertThat(first(BurstReader.of(archive()).fromLast(300)))
                .isEqualTo(first(BurstReader.of(segments()).fromLast(300)));

        String command = Path.of("..", "native", "target", "cmake", "burstlog").toString();
        byte[] rolled = Files.readAllBytes(directory.resolve("orders-1.log"));
        byte[] live = Files.readAllBytes(directory.resolve("orders.log"));
        byte[] lines = Arrays.copyOf(rolled, rolled.length + live.length);
        System.arraycopy(live, 0, lines, rolled.length, live.length);
        assertThat(output(command, "cat", archive())).isEqualTo(lines);
        assertThat(new String(output(command, "grep", "^order 4711 ", archive()), UTF_8))
                .isEqualTo(ofSegments.get(4711).text());
    }

    /** The payloads of 256 leaves share a frame: these are too long for that. */
    @Test
    void longRecordsAreGivenAsTheSegmentsGiveThem() throws IOException {
        RecordBuffer large = RecordBuffer.allocate(64, 1 << 20);
        byte[] text = new byte[900_000];
        for (int i = 0; i < 24; i++) {
            Arrays.fill(text, (byte) ('a' + i));
            stream.enqueue(large.clear().put(ByteBuffer.wrap(text)), 1_000_000L * ++appended);
        }
        archiveAll();
        List<Got> ofSegments = readAll(segments());
        assertThat(ofSegments).hasSize(24);
        assertThat(readAll(archive()).equals(ofSegments)).isTrue();
        for (long sequence : new long[] {2, 18, 19, 24}) {
            assertThat(first(BurstReader.of(archive()).fromSequence(sequence)).text())
                    .startsWith(ofSegments.get((int) sequence - 1).text().substring(0, 10));
        }
        assertThat(ArchiveReader.open(Path.of(archive())).size()).isGreaterThan(Tiles.WIDTH);
        Verification.Report report = Verification.of(Path.of(archive()))
                .key(SigningKey.read(directory.resolve("orders.key")).verifier())
                .run();
        assertThat(report.findings()).isEmpty();
        assertThat(report.records()).isEqualTo(24);
    }

    @Test
    void payloadsWhoseTimeWasOverAreToldAndReadersGoOnBehindThem() throws IOException {
        append(RECORDS);
        archiveAll();
        append(10);
        assertThat(log.awaitDrained(LONG_ENOUGH)).isTrue();
        List<String> told = new ArrayList<>();
        try (Archiver archiver = Archiver.start(
                config().keepBytes(1).listener(event -> told.add(event.text())).build())) {
            archiver.close(LONG_ENOUGH);
        }
        assertThat(told)
                .contains("the archive " + archive()
                        + ": the time of the payloads of leaves 0 to 65535 was over, by their"
                        + " size: they are deleted");
        assertThat(directory.resolve("archive/payload/000.zst")).doesNotExist();
        List<Got> ofSegments = readAll(segments());
        List<Got> ofArchive = readAll(archive());
        assertThat(ofArchive).hasSize(RECORDS + 10);
        long erased = ofArchive.stream()
                .filter(each -> each.kind() == ReadRecords.Kind.ERASED)
                .count();
        assertThat(erased).isBetween(65_000L, 65_536L);
        assertThat(ofArchive.subList((int) erased, RECORDS + 10))
                .isEqualTo(ofSegments.subList((int) erased, RECORDS + 10));
        Verification.Report report = Verification.of(Path.of(archive()))
                .key(SigningKey.read(directory.resolve("orders.key")).verifier())
                .run();
        assertThat(report.findings()).isEmpty();
        assertThat(report.expired()).isEqualTo(65_536);
    }

    @Test
    void anArchiveIsFollowedWhileItsArchiverAdds() {
        append(1);
        archiveAll();
        long next = 1;
        try (Archiver archiver = Archiver.start(config().build());
                BurstReader reader = BurstReader.of(archive()).fromOldest().open()) {
            while (next <= 10_000) {
                if (appended < 10_000) {
                    append(1 + random.nextInt(97));
                }
                ReadRecords records = reader.poll(POLL_BYTES, appended < 10_000 ? Duration.ZERO : LONG_ENOUGH);
                assertThat(appended < 10_000 || !records.isEmpty()).isTrue();
                while (records.next()) {
                    assertThat(records.kind()).isEqualTo(ReadRecords.Kind.RECORD);
                    assertThat(records.sequence()).isEqualTo(next);
                    assertThat(records.place()).isEqualTo(ReadRecords.Place.ARCHIVE);
                    assertThat(UTF_8.decode(records.data()).toString()).startsWith("order " + next + " ");
                    assertThat(records.durableNanos()).isPositive();
                    next++;
                }
            }
            assertThat(archiver.failure()).isNull();
        }
    }
}
