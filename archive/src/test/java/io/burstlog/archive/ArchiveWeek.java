// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * The days of an archive in minutes: records come at a rate of simulated time, with heads, the state of the clock each
 * ten minutes, payloads that are deleted for their age, and an anchor that keeps the promise to confirm a head within
 * ten minutes. Then all of it is verified. scripts/bench/archive-days runs it.
 *
 * <pre>
 * FOLDER RECORDS-A-SECOND SECONDS HEAD-SECONDS KEEP-SECONDS      all seconds are simulated ones
 * </pre>
 */
final class ArchiveWeek {

    private static final long SECOND = 1_000_000_000;
    private static final long BEGIN = 1_800_000_000 * SECOND;
    private static final int ANCHOR_SECONDS = 300;
    private static final int LOOKS = 8;
    private static final Sealing SEALING = new Sealing(List.of("file"), 1_000_000_000, 2L * ANCHOR_SECONDS);

    private final Disk disk;
    private final FileAnchor anchor;
    private final int rate;
    private final long begin = System.nanoTime();
    private long seconds;
    private long heads;
    private long looked = begin;
    private long lookedAt;

    private ArchiveWeek(Disk disk, FileAnchor anchor, int rate) {
        this.disk = disk;
        this.anchor = anchor;
        this.rate = rate;
    }

    public static void main(String[] arguments) throws IOException {
        Path folder = Files.createDirectories(Path.of(arguments[0]));
        try (FolderDisk disk = FolderDisk.forManyFiles(folder.resolve("archive"))) {
            Files.createDirectories(folder.resolve("archive"));
            Verification.Report report = run(
                    disk,
                    KeptHead.of(folder.resolve("head")),
                    folder.resolve("heads"),
                    Integer.parseInt(arguments[1]),
                    Long.parseLong(arguments[2]),
                    Integer.parseInt(arguments[3]),
                    Duration.ofSeconds(Long.parseLong(arguments[4])));
            report.findings().forEach(System.out::println);
            System.out.println(report.isIntact() ? "intact" : "NOT INTACT");
        }
    }

    /**
     * Archives and verifies.
     *
     * @param heads the file of the anchor
     * @param rate records a second
     * @param keepFor so long payloads are kept
     */
    static Verification.Report run(
            Disk disk, KeptHead kept, Path heads, int rate, long seconds, int headSeconds, Duration keepFor)
            throws IOException {
        ArchiveWeek week = new ArchiveWeek(disk, new FileAnchor("file", heads), rate);
        week.archive(kept, seconds, headSeconds, keepFor);
        double took = (System.nanoTime() - week.begin) / 1e9;
        long begin = System.nanoTime();
        Verification.Report report = Verification.of(disk)
                .key(Written.key(1).verifier())
                .anchor("file", FileAnchor.check(heads))
                .run();
        print(
                "%,d simulated seconds in %.0f s: %,d leaves, %,d heads, %,d payloads expired; verified in %.0f s%n",
                seconds, took, report.leaves(), week.heads, report.expired(), (System.nanoTime() - begin) / 1e9);
        return report;
    }

    private static void print(String format, Object... values) {
        System.out.printf(Locale.ROOT, format, values);
    }

    private void archive(KeptHead kept, long last, int headSeconds, Duration keepFor) throws IOException {
        Clocks clocks = new Clocks(
                () -> BEGIN + seconds * SECOND, () -> seconds * SECOND, () -> "source: kernel\nbound-ns: 1000\n");
        Statements statements =
                new Statements(clocks, SEALING, new Retention(keepFor, 0, clocks, "orders", event -> {}));
        try (ArchiveWriter writer = ArchiveWriter.create(disk, Written.key(1), kept, Written.NO_FENCE, clocks.day())) {
            statements.promise(writer, disk);
            for (long number = 1; seconds < last; seconds++) {
                statements.beforeRecords(writer);
                for (int i = 0; i < rate; i++, number++) {
                    append(writer, number);
                }
                if (seconds % headSeconds == 0) {
                    statements.beforeCommit(writer);
                    writer.beginCommit();
                    heads++;
                }
                if (seconds % ANCHOR_SECONDS == 0) {
                    confirm(writer.commit());
                }
                if (seconds > 0 && seconds % Math.max(1, last / LOOKS) == 0) {
                    look(writer);
                }
            }
            confirm(writer.commit());
        }
    }

    private void append(ArchiveWriter writer, long number) throws IOException {
        byte[] payload = ("order " + number + " accepted\n").getBytes(UTF_8);
        long time = BEGIN + seconds * SECOND;
        writer.append(
                Leaf.ofStream(Leaf.Kind.RECORD, Written.FOLDER, number, Written.RING, number, time, 1, time, payload),
                payload);
    }

    private void confirm(Checkpoint head) throws IOException {
        disk.write(Anchors.headName("file", head.size()), head.toString().getBytes(UTF_8));
        disk.write(Anchors.answerName("file", head.size()), anchor.confirm(head, new ArchiveReader(disk, head)));
    }

    private void look(ArchiveWriter writer) {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        long now = System.nanoTime();
        print(
                "%,d s: %,d leaves, %,.0f a second since the last look, %,d KiB of heap in use%n",
                seconds,
                writer.size(),
                (writer.size() - lookedAt) * 1e9 / (now - looked),
                (runtime.totalMemory() - runtime.freeMemory()) >> 10);
        looked = now;
        lookedAt = writer.size();
    }
}
