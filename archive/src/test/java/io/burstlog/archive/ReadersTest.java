// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.Zstd;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Readers while an archiver replaces files, and readers of files that somebody made to harm them. */
@Tag("newest-jdk") // No JDK can matter: it computes, on a disk in memory.
class ReadersTest {

    private static final VerifierKey KEY = Written.key(1).verifier();

    @TempDir
    private Path folder;

    // ---------------------------------------------------------------------------------------- beside an archiver

    @ParameterizedTest
    @CsvSource({"300, 8", "300, 100", "500, 700", "65400, 60"})
    void nothingIsMissedWhileAnArchiverCommits(long records, int mostLeaves) throws IOException {
        MemoryDisk begin = Written.archive(records, 65_536);
        for (int seed = 0; seed < (records > 1000 ? 3 : 30); seed++) {
            Disk disk = new GrowingDisk(new MemoryDisk(begin), seed, mostLeaves, 2000);
            Verification.Report report =
                    Verification.of(disk).key(KEY).threads(1).run();
            assertThat(report.findings()).as("seed %d", seed).noneMatch(Finding::isFault);
            assertThat(report.records()).isGreaterThanOrEqualTo(records);
        }
    }

    @ParameterizedTest
    @CsvSource({"300, 8", "300, 100", "500, 700", "65400, 60"})
    void aReaderKeepsItsHeadWhileAnArchiverCommits(long records, int mostLeaves) throws IOException {
        MemoryDisk begin = Written.archive(records, 65_536);
        for (int seed = 0; seed < 30; seed++) {
            Disk disk = new GrowingDisk(new MemoryDisk(begin), seed, mostLeaves, 2000);
            ArchiveReader reader = new ArchiveReader(disk, ArchiveReader.head(disk));
            for (long index : new long[] {reader.size() - 1, reader.size() - 2, 1}) {
                assertThat(reader.payload(index))
                        .isEqualTo(Written.payload(reader.leaf(index).number()));
                assertThat(reader.prove(index).check(KEY, reader.payload(index)))
                        .isNull();
            }
        }
    }

    // ------------------------------------------------------------------------------------------- files made to harm

    @Test
    void aFrameThatUnpacksToALotIsNotUnpacked() throws IOException {
        byte[] bomb = Zstd.compress(new byte[64 << 20]);
        for (String name : List.of("payload/000.zst", "payload/000.p/301.zst")) {
            MemoryDisk disk = Written.archive(300, 300);
            disk.put(name, bomb);
            assertThat(Written.verify(disk).findings())
                    .anyMatch(each -> each.kind() == Finding.Kind.CHANGED
                            && each.sentence().contains("longer than"));
            ArchiveReader reader = new ArchiveReader(disk, ArchiveReader.head(disk));
            assertThatThrownBy(() -> reader.payload(name.contains(".p/") ? 300 : 3))
                    .hasMessageContaining("run verify");
        }
        MemoryDisk disk = Written.archive(300, 300);
        disk.delete("payload/000.p/301.zst");
        disk.put("payload/000.p/302.zst", bomb);
        assertThat(Written.verify(disk).findings()).anyMatch(Finding::isFault);
    }

    @Test
    void theTableOfAFullFileSaysHowLongItsContentsAre() throws IOException {
        MemoryDisk disk = Written.archive(Tiles.PAYLOAD_LEAVES, Tiles.PAYLOAD_LEAVES);
        byte[] bytes = disk.read("payload/000.zst");
        bytes[bytes.length - 9 - 4]++;
        disk.put("payload/000.zst", bytes);
        assertThat(Written.verify(disk).findings()).singleElement().satisfies(each -> {
            assertThat(each.kind()).isEqualTo(Finding.Kind.TREE);
            assertThat(each.sentence()).contains("the table at the end");
        });
    }

    @Test
    void noMoreOfAFileIsReadThanItMayHave() throws IOException {
        FolderDisk disk = new FolderDisk(folder);
        Files.createDirectories(folder.resolve("tile/0"));
        Files.write(folder.resolve("tile/0/000"), new byte[1 << 20]);
        Files.write(folder.resolve("checkpoint"), new byte[1 << 20]);
        assertThat(disk.read("tile/0/000")).hasSize(8193);
        assertThat(disk.read("checkpoint")).hasSize(65537);
    }

    @Test
    void linksAndSpecialFilesCountAsMissingAndAsStrange() throws Exception {
        Path elsewhere = Files.createDirectories(folder.resolve("elsewhere"));
        Path archive = Files.createDirectories(folder.resolve("archive"));
        Files.write(elsewhere.resolve("000"), new byte[32]);
        Files.createSymbolicLink(archive.resolve("tile"), elsewhere);
        Files.createSymbolicLink(archive.resolve("checkpoint"), elsewhere.resolve("000"));
        assertThat(new ProcessBuilder("mkfifo", archive.resolve("owner").toString())
                        .start()
                        .waitFor())
                .isZero();
        FolderDisk disk = new FolderDisk(archive);
        assertThat(disk.list("")).containsExactlyInAnyOrder("tile@", "checkpoint@", "owner@");
        assertThat(disk.list("tile")).isEmpty();
        for (String name : List.of("tile/000", "checkpoint", "owner", "../elsewhere/000", "/etc/passwd")) {
            assertThat(disk.length(name)).as(name).isEqualTo(-1);
            assertThatThrownBy(() -> disk.read(name, 0, 10)).as(name).isInstanceOf(NoSuchFileException.class);
        }
        assertThatThrownBy(() -> disk.write("tile/0/000", new byte[32])).isInstanceOf(IOException.class);
        assertThat(Files.list(elsewhere)).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({
        "tile/0/000, true",
        "tile/0/x001/234.p/7, true",
        "tile/entries/000.p/255, true",
        "payload/000.p/65535.zst, true",
        "keys/1, true",
        "anchors/a/1, true",
        "owner, true",
        "tile/0/000.p/256, false",
        "tile/0/000.p/07, false",
        "tile/0/x000/001, false",
        "tile/00/000, false",
        "payload/000.p/256.zst, false",
        "payload/000.p/65536.zst, false",
        "payload/000.gz, false",
        "keys/01, false",
        "tile/0/x999/x999/x999/x999/x999/x999/999, false",
        "tile/0/000@, false",
        "core, false"
    })
    void anArchiveHasTheseNamesAndNoOthers(String name, boolean isName) {
        assertThat(FileName.of(name) != null).isEqualTo(isName);
    }

    @Test
    void aNameIsTakenApartAsItWasMade() {
        assertThat(FileName.of(Tiles.tile(2, 1_234_567, 9)))
                .isEqualTo(new FileName(FileName.Kind.TILE, 2, 1_234_567, 9));
        assertThat(FileName.of(Tiles.payloadEdge(70, 300)))
                .isEqualTo(new FileName(FileName.Kind.PAYLOAD_EDGE, 0, 70, 300));
        assertThat(FileName.of(Tiles.keyHead(99))).isEqualTo(new FileName(FileName.Kind.KEY, 0, 99, 0));
    }
}
