// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.burstlog.BurstConsumer;
import io.burstlog.BurstLog;
import io.burstlog.BurstStream;
import io.burstlog.ConsumerLag;
import io.burstlog.RecordBuffer;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The figures of an archiver, and those that management clients see. */
class ArchiverStatsTest {

    private static final Duration LONG_ENOUGH = Duration.ofSeconds(60);

    @TempDir
    private Path directory;

    private final List<String> events = new CopyOnWriteArrayList<>();
    private final RecordBuffer record = RecordBuffer.allocate(64, 64);
    private BurstLog log;
    private BurstStream stream;
    private long appended;

    @BeforeEach
    void openLog() throws IOException {
        OrdersLog orders = OrdersLog.open(directory, 4 << 20);
        log = orders.log();
        stream = orders.stream();
        SigningKey.make("example.com/orders", keyFile());
        Archiver.create(archive(), keyFile(), null);
    }

    @AfterEach
    void closeLog() {
        log.close();
    }

    private Path keyFile() {
        return directory.resolve("orders.key");
    }

    private Path archive() {
        return directory.resolve("archive");
    }

    private String segments() {
        return OrdersLog.segments(directory);
    }

    /** Each record has ten bytes, and the event time that is given. */
    private void append(int count, long eventTimeNanos) {
        for (int i = 0; i < count; i++) {
            byte[] text = "record %02d\n".formatted(++appended).getBytes(UTF_8);
            stream.append(record.clear().put(ByteBuffer.wrap(text)), eventTimeNanos);
        }
        assertThat(log.awaitDrained(LONG_ENOUGH)).isTrue();
    }

    private static long nanosOfNow() {
        return System.currentTimeMillis() * 1_000_000;
    }

    private Archiver start(Anchor... anchors) {
        ArchiverConfig.Builder config = ArchiverConfig.builder()
                .folder(segments())
                .archive(archive().toString())
                .key(keyFile().toString())
                .interval(Duration.ofMillis(20))
                .clocks(Written.CLOCKS)
                .listener(event -> events.add(event.severity() + " " + event.text()));
        for (Anchor each : anchors) {
            config.anchor(each);
        }
        return Archiver.start(config.build());
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + LONG_ENOUGH.toNanos();
        while (!condition.getAsBoolean() && System.nanoTime() < end) {
            Thread.sleep(10);
        }
        assertThat(condition.getAsBoolean()).isTrue();
    }

    @Test
    void itCountsFromItsStartAndTellsOfTheHead() throws Exception {
        append(30, nanosOfNow());
        long begin = System.currentTimeMillis();
        try (Archiver archiver = start()) {
            await(() -> archiver.stats().leaves() == 31);
            ArchiverStats stats = archiver.stats();
            assertThat(stats.records()).isEqualTo(30);
            assertThat(stats.bytes()).isEqualTo(30 * 10);
            assertThat(stats.sequence())
                    .isEqualTo(ArchiveReader.open(archive()).leaf(30).sequence());
            assertThat(stats.headMillis()).isBetween(begin, System.currentTimeMillis());
            assertThat(stats.failures()).isZero();
            assertThat(stats.anchors()).isEmpty();
        }
        append(20, nanosOfNow());
        try (Archiver archiver = start()) {
            await(() -> archiver.stats().leaves() == 51);
            assertThat(archiver.stats().records()).isEqualTo(20);
        }
    }

    /** Records that nobody can archive yet stay in the folder, and are told at the end. */
    @Test
    void withoutItsKeyItTellsHowFarItIsBehindAndHoldsTheSegments() throws Exception {
        Path elsewhere = Files.move(keyFile(), directory.resolve("elsewhere"));
        append(30, nanosOfNow() - Duration.ofMinutes(10).toNanos());
        try (Archiver archiver = start()) {
            await(() -> archiver.stats().lagRecords() == 30);
            assertThat(archiver.stats().lagSeconds()).isBetween(600.0, 700.0);
            assertThat(archiver.stats().lagBytes()).isGreaterThan(30 * 10);
            assertThat(archiver.stats().failures()).isPositive();
            archiver.close(LONG_ENOUGH);
        }
        assertThat(Path.of(segments(), "consumers", "to-archive")).exists();
        assertThat(events).last().asString().contains("lacks the last 30 records of " + segments());
        Files.move(elsewhere, keyFile());
        try (Archiver archiver = start()) {
            await(() -> archiver.stats().leaves() == 31);
            archiver.close(LONG_ENOUGH);
            await(() -> archiver.stats().lagRecords() == 0);
        }
        assertThat(events).last().asString().startsWith("INFO");
    }

    /** Nothing is appended behind an act before all is removed that it is about. */
    @Test
    void aPayloadFileThatCannotBeDeletedStopsArchivingUntilItCan() throws Exception {
        try (FolderDisk disk = new FolderDisk(archive());
                ArchiveWriter writer = ArchiveWriter.open(
                        disk,
                        SigningKey.read(keyFile()),
                        KeptHead.of(KeptHead.beside(keyFile())),
                        Written.NO_FENCE,
                        Clocks::now)) {
            Written.append(writer, Tiles.PAYLOAD_LEAVES, Tiles.PAYLOAD_LEAVES);
            writer.act(Leaf.Kind.EXPIRED, "first: 0\nlast: 65535\n");
            writer.commit();
        }
        Path file = archive().resolve("payload/000.zst");
        Files.delete(file);
        Files.createDirectories(file.resolve("something"));
        append(10, nanosOfNow());
        try (Archiver archiver = start()) {
            await(() -> archiver.stats().failures() > 1);
            assertThat(events)
                    .singleElement()
                    .isEqualTo("WARN the archive " + archive() + " gets no records for the moment: " + file
                            + " cannot be deleted: DirectoryNotEmptyException; they wait in " + segments());
            assertThat(archiver.stats().lagRecords()).isEqualTo(10);
            Files.delete(file.resolve("something"));
            await(() -> archiver.stats().records() == 10);
            assertThat(file).doesNotExist();
        }
        assertThat(events).last().asString().endsWith(" gets records again");
    }

    /** When it has all, it need not have looked just now: the figure grows until it has looked again. */
    @Test
    void anArchiveThatHasAllIsBehindByTheTimeSinceTheLastLook() throws Exception {
        append(10, nanosOfNow() - Duration.ofMinutes(10).toNanos());
        try (Archiver archiver = start()) {
            await(() -> archiver.stats().leaves() == 11);
            await(() -> archiver.stats().lagRecords() == 0 && archiver.stats().lagSeconds() < 60);
            archiver.close();
            double before = archiver.stats().lagSeconds();
            await(() -> archiver.stats().lagSeconds() > before);
        }
    }

    @Test
    void whatIsMissingIsNoYoungerThanWhatWaitedBefore() {
        Figures figures = new Figures();
        figures.look(
                new ConsumerLag(3, 300, nanosOfNow() - Duration.ofMinutes(10).toNanos()));
        figures.look(new ConsumerLag(2, 0, 0));
        assertThat(figures.stats(List.of()).lagRecords()).isEqualTo(2);
        assertThat(figures.stats(List.of()).lagSeconds()).isGreaterThan(599);
        figures.look(new ConsumerLag(0, 0, 0));
        assertThat(figures.stats(List.of()).lagSeconds()).isLessThan(600);
    }

    /** The next session takes the records again that no signed head has. */
    @Test
    void recordsOfASessionThatFailedAreCountedOnce() throws IOException {
        Figures figures = new Figures();
        Checkpoint head = ArchiveReader.open(archive()).head();
        figures.begin();
        figures.sign(new ArchiveWriter.Signed(head, null, 2, 20), true);
        figures.begin();
        figures.sign(new ArchiveWriter.Signed(head, null, 0, 0), false);
        assertThat(figures.stats(List.of()).records()).isEqualTo(2);
        figures.sign(new ArchiveWriter.Signed(head, null, 1, 10), true);
        assertThat(figures.stats(List.of()).records()).isEqualTo(3);
        assertThat(figures.stats(List.of()).bytes()).isEqualTo(30);
    }

    private static final class Moody implements Anchor {

        private volatile boolean refuses = true;

        @Override
        public String name() {
            return "moody";
        }

        @Override
        public byte[] confirm(Checkpoint head, ArchiveReader archive) throws IOException {
            if (refuses) {
                throw new IOException("it is out of sorts");
            }
            return "yes".getBytes(UTF_8);
        }
    }

    @Test
    void anAnchorTellsHowFarItHasConfirmed() throws Exception {
        Moody moody = new Moody();
        append(10, nanosOfNow());
        try (Archiver archiver = start(moody)) {
            await(() -> archiver.stats().anchors().get(0).failures() > 0);
            assertThat(archiver.stats().anchors())
                    .singleElement()
                    .satisfies(each -> assertThat(each.name()).isEqualTo("moody"))
                    .satisfies(each -> assertThat(each.leaves()).isZero())
                    .satisfies(each -> assertThat(each.failure()).isEqualTo("it is out of sorts"));
            moody.refuses = false;
            await(() -> archiver.stats().anchors().get(0).failure() == null);
            assertThat(archiver.stats().anchors().get(0).leaves()).isPositive();
        }
    }

    @Test
    void managementClientsSeeTheSameAsLongAsItRuns() throws Exception {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        String key = "folder=" + ObjectName.quote(segments()) + ",archive="
                + ObjectName.quote(archive().toString());
        ObjectName ofArchiver = new ObjectName("io.burstlog:type=Archiver," + key);
        ObjectName ofAnchor = new ObjectName("io.burstlog:type=Anchor," + key + ",name=\"moody\"");
        append(10, nanosOfNow());
        try (Archiver archiver = start(new Moody())) {
            await(() -> archiver.stats().records() == 10);
            await(() -> archiver.stats().anchors().get(0).failures() > 0);
            ArchiverStats stats = archiver.stats();
            assertThat(server.getAttribute(ofArchiver, "Leaves")).isEqualTo(stats.leaves());
            assertThat(server.getAttribute(ofArchiver, "Records")).isEqualTo(10L);
            assertThat(server.getAttribute(ofArchiver, "Bytes")).isEqualTo(100L);
            assertThat(server.getAttribute(ofArchiver, "Sequence")).isEqualTo(stats.sequence());
            assertThat(server.getAttribute(ofArchiver, "HeadSeconds")).isEqualTo(stats.headMillis() / 1e3);
            assertThat(server.getAttribute(ofArchiver, "Failures")).isEqualTo(0L);
            assertThat((double) server.getAttribute(ofArchiver, "LagSeconds")).isBetween(0.0, 60.0);
            assertThat(server.getAttribute(ofArchiver, "Failure")).isNull();
            assertThat(server.getAttribute(ofAnchor, "Leaves")).isEqualTo(0L);
            assertThat(server.getAttribute(ofAnchor, "Failing")).isEqualTo(true);
            assertThat((long) server.getAttribute(ofAnchor, "Failures")).isPositive();
            assertThat(server.getAttribute(ofAnchor, "Failure")).isEqualTo("it is out of sorts");
        }
        assertThat(server.isRegistered(ofArchiver)).isFalse();
        assertThat(server.isRegistered(ofAnchor)).isFalse();
        try (BurstConsumer consumer = BurstConsumer.open(segments(), "to-archive")) {
            assertThat(consumer.lag().records()).isZero();
        }
    }
}
