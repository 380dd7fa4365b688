// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.burstlog.BurstReader;
import io.burstlog.ReadRecords;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Copies of an archive, taken while its archiver is at work. */
@Tag("newest-jdk") // No JDK can matter: it computes, on a disk in memory.
class CopyTest {

    private static final VerifierKey KEY = Written.key(1).verifier();

    @TempDir
    private Path folder;

    private static void assertWhole(Disk copy, long records, String when) throws IOException {
        Verification.Report report = Written.verify(copy);
        assertThat(report.findings()).as(when).noneMatch(Finding::isFault);
        assertThat(report.records()).as(when).isGreaterThanOrEqualTo(records);
        ArchiveReader reader = new ArchiveReader(copy, ArchiveReader.head(copy));
        for (long index : new long[] {1, reader.size() / 2, reader.size() - 1}) {
            assertThat(reader.payload(index))
                    .as(when)
                    .isEqualTo(Written.payload(reader.leaf(index).number()));
            assertThat(reader.prove(index).check(KEY, reader.payload(index)))
                    .as(when)
                    .isNull();
        }
    }

    /** The archiver commits between any two reads of the copying program. */
    @ParameterizedTest
    @CsvSource({"300, 8, 40", "300, 100, 40", "500, 700, 40", "65400, 60, 3"})
    void aCopyIsWhole(long records, int mostLeaves, int seeds) throws IOException {
        MemoryDisk begin = Written.archive(records, 65_536);
        for (int seed = 0; seed < seeds; seed++) {
            MemoryDisk copy = new MemoryDisk();
            Copies.copy(new GrowingDisk(new MemoryDisk(begin), seed, mostLeaves, 2000), copy);
            assertWhole(copy, records, "seed " + seed);
        }
    }

    private static long read(Path archive) {
        long records = 0;
        try (BurstReader reader = BurstReader.of(archive.toString()).open()) {
            ReadRecords found;
            do {
                found = reader.poll(1 << 20, Duration.ZERO);
                while (found.next()) {
                    byte[] data = new byte[found.data().remaining()];
                    found.data().get(data);
                    assertThat(data).isEqualTo(Written.payload(++records));
                }
            } while (!found.isEmpty());
        }
        return records;
    }

    @Test
    void copiesOfAFolderAreReadByReadersOfLogs() throws Exception {
        MemoryDisk beside = new MemoryDisk();
        Path archive = Files.createDirectories(folder.resolve("archive"));
        AtomicBoolean isEnding = new AtomicBoolean();
        ExecutorService archiver = Executors.newSingleThreadExecutor();
        try (FolderDisk disk = new FolderDisk(archive);
                ArchiveWriter writer =
                        ArchiveWriter.create(disk, Written.key(1), beside.kept(), Written.NO_FENCE, Clocks::now)) {
            Written.append(writer, 700, 100);
            Future<?> growing = archiver.submit(() -> {
                for (long last = 701; !isEnding.get(); last++) {
                    Written.append(writer, last, 1);
                }
                return null;
            });
            for (int i = 0; i < 30; i++) {
                Path place = Files.createDirectories(folder.resolve("copy" + i));
                try (FolderDisk copy = new FolderDisk(place)) {
                    Copies.copy(disk, copy);
                    assertWhole(copy, 700, "copy " + i);
                    assertThat(read(place)).isEqualTo(ArchiveReader.head(copy).size() - 1);
                }
            }
            isEnding.set(true);
            growing.get();
        } finally {
            archiver.shutdown();
        }
    }

    @Test
    void aCopyOfTheNewestHeadGoesOnAndAnOlderOneIsRefused() throws IOException {
        MemoryDisk disk = Written.archive(400, 100);
        MemoryDisk older = new MemoryDisk();
        Copies.copy(disk, older);
        try (ArchiveWriter writer = Written.open(disk)) {
            Written.append(writer, 500, 100);
        }
        MemoryDisk copy = new MemoryDisk();
        Copies.copy(disk, copy);
        for (MemoryDisk each : new MemoryDisk[] {older, copy}) {
            each.kept().write(disk.kept().read());
        }
        assertThatThrownBy(() -> Written.open(older))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("is older than its key");
        try (ArchiveWriter writer = Written.open(copy)) {
            Written.append(writer, 600, 100);
        }
        assertWhole(copy, 600, "brought back");
    }
}
