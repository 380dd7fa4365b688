// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A verification that was interrupted goes on, and nothing that was changed meanwhile passes. */
@Tag("newest-jdk") // No JDK can matter: it computes.
class VerificationStateTest {

    private static final long RECORDS = 2L * Tiles.PAYLOAD_LEAVES + 300;

    @TempDir
    private Path directory;

    private Path archive;
    private Path state;
    private final Set<String> read = new TreeSet<>();

    @BeforeEach
    void write() throws IOException {
        archive = Files.createDirectory(directory.resolve("archive"));
        state = directory.resolve("state");
        MemoryDisk disk = Written.archive(RECORDS, Tiles.PAYLOAD_LEAVES);
        for (String name : disk.names()) {
            Path file = archive.resolve(name);
            Files.createDirectories(file.getParent());
            Files.write(file, disk.read(name));
        }
    }

    private Verification verification() {
        return Verification.of(archive)
                .key(Written.key(1).verifier())
                .threads(1)
                .state(state);
    }

    /** Verifies until one payload file is checked. */
    private void interrupt() {
        assertThatThrownBy(() -> verification()
                        .progress(leaves -> {
                            throw new UncheckedIOException(new IOException("interrupted"));
                        })
                        .run())
                .isInstanceOf(UncheckedIOException.class);
        assertThat(state).isRegularFile();
    }

    private List<Finding> findings() throws IOException {
        return verification().run().findings();
    }

    @Test
    void whatWasCheckedIsNotReadAgain() throws IOException {
        interrupt();
        Disk watched = new FolderDisk(archive) {
            @Override
            public byte[] read(String name, long offset, int length) throws IOException {
                read.add(name);
                return super.read(name, offset, length);
            }
        };
        Verification.Report report = Verification.of(watched)
                .key(Written.key(1).verifier())
                .threads(1)
                .state(state)
                .run();
        assertThat(report.findings()).isEmpty();
        assertThat(report.records()).isEqualTo(RECORDS);
        assertThat(read).contains("payload/001.zst").doesNotContain("payload/000.zst", "tile/entries/003");
        assertThat(state).doesNotExist();
    }

    @Test
    void whatWasChangedMeanwhileIsFoundAlthoughItsTimeWasTurnedBack() throws IOException {
        for (String name : List.of("payload/000.zst", "tile/entries/007", "tile/0/009", "tile/1/000")) {
            interrupt();
            Path file = archive.resolve(name);
            FileTime time = Files.getLastModifiedTime(file);
            byte[] bytes = Files.readAllBytes(file);
            bytes[bytes.length / 2]++;
            Files.write(file, bytes);
            Files.setLastModifiedTime(file, time);
            assertThat(findings()).as(name).anyMatch(Finding::isFault);
            bytes[bytes.length / 2]--;
            Files.write(file, bytes);
            assertThat(state).doesNotExist();
        }
        assertThat(findings()).isEmpty();
    }

    /** The first run finds it, and ends before it can tell. */
    @Test
    void aTileThatWasWrongFromTheBeginningIsFoundByTheRunThatGoesOn() throws IOException {
        Path tile = archive.resolve("tile/0/009");
        byte[] bytes = Files.readAllBytes(tile);
        bytes[100]++;
        Files.write(tile, bytes);
        interrupt();
        assertThat(findings()).extracting(Finding::kind).containsExactly(Finding.Kind.TREE);
        Files.delete(tile);
        interrupt();
        assertThat(findings()).extracting(Finding::kind).containsExactly(Finding.Kind.TREE);
    }

    @Test
    void anAnchorsLongestTimeIsTheSameBehindAnInterruption() throws IOException {
        long size = ArchiveReader.head(new FolderDisk(archive)).size();
        for (String name : List.of(Anchors.headName("x", size), Anchors.answerName("x", size))) {
            Path file = archive.resolve(name);
            Files.createDirectories(file.getParent());
            Files.copy(archive.resolve("checkpoint"), file);
        }
        List<Verification.Anchored> whole = anchored();
        assertThat(whole.get(0).longest()).isPositive();
        interrupt();
        assertThat(anchored()).isEqualTo(whole);
    }

    private List<Verification.Anchored> anchored() throws IOException {
        return verification()
                .anchor("x", (head, answer) -> AnswerCheck.Result.confirmed(Instant.parse("2100-01-01T00:00:00Z")))
                .run()
                .anchors();
    }

    @Test
    void anOlderStateThatWasPutThereMeanwhileIsFound() throws IOException {
        interrupt();
        Files.writeString(
                archive.resolve("checkpoint"),
                ArchiveReader.head(Written.archive(900, 900)).toString());
        assertThat(findings())
                .anySatisfy(each -> assertThat(each.sentence()).contains("leaves were taken from its end"));
    }

    @Test
    void aStateOfAnotherArchiveIsRefused() throws IOException {
        interrupt();
        Files.move(archive, directory.resolve("moved"));
        assertThatThrownBy(() -> Verification.of(directory.resolve("moved"))
                        .key(Written.key(1).verifier())
                        .state(state)
                        .run())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("is of a verification of " + archive);
        Files.writeString(state, "x .\n");
        assertThatThrownBy(this::findings).isInstanceOf(IOException.class).hasMessageContaining("delete it");
    }

    @Test
    void aFirstLineThatAKillCutShortBeginsAnew() throws IOException {
        interrupt();
        Files.writeString(state, Files.readString(state).substring(0, 40));
        assertThat(findings()).isEmpty();
    }
}
