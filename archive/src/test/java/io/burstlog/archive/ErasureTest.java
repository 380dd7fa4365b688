// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Payloads that were erased are gone, and all else is as it was. */
@Tag("newest-jdk") // No JDK can matter: it computes, on a disk in memory.
class ErasureTest {

    private static List<Long> erase(MemoryDisk disk, Long... leaves) throws IOException {
        try (ArchiveWriter writer = Written.open(disk)) {
            return Erasure.erase(disk, writer, "file 12 of the court", List.of(leaves));
        }
    }

    private static ArchiveReader reader(Disk disk) throws IOException {
        return new ArchiveReader(disk, ArchiveReader.head(disk));
    }

    private static String text(Disk disk, long leaf) throws IOException {
        return new String(reader(disk).payload(leaf), UTF_8);
    }

    private static String blank(long number) {
        return " ".repeat(Written.payload(number).length - 1) + "\n";
    }

    private static Verification.Report assertIntact(Disk disk) throws IOException {
        Verification.Report report = Written.verify(disk);
        assertThat(report.findings()).isEmpty();
        return report;
    }

    @Test
    void anErasedPayloadIsGoneAndAllProofsHold() throws IOException {
        MemoryDisk disk = Written.archive(700, 700);
        Proof before = reader(disk).prove(5);
        byte[] digest = reader(disk).leaf(5).digest();
        assertThat(erase(disk, 5L, 300L, 690L)).containsExactly(5L, 300L, 690L);

        for (long each : List.of(5L, 300L, 690L)) {
            assertThat(text(disk, each)).isEqualTo(blank(each));
            assertThat(text(disk, each - 1)).isEqualTo(new String(Written.payload(each - 1), UTF_8));
            assertThat(text(disk, each + 1)).isEqualTo(new String(Written.payload(each + 1), UTF_8));
        }
        assertThat(reader(disk).leaf(5).digest()).isEqualTo(digest);
        assertThat(before.check(Written.key(1).verifier(), Written.payload(5))).isNull();
        assertThat(reader(disk).prove(5).check(Written.key(1).verifier(), Written.payload(5)))
                .isNull();
        Leaf act = reader(disk).leaf(701);
        assertThat(act.kind()).isEqualTo(Leaf.Kind.ERASED);
        assertThat(act.text()).isEqualTo("leaf: 5\nreason: file 12 of the court\n");
        assertThat(assertIntact(disk).erased()).isEqualTo(3);
    }

    /** Lines that repeat, and lines that are empty, stand where they stood. */
    @Test
    void anErasedPayloadIsKnownAlthoughTheNextOneStandsElsewhereToo() throws IOException {
        List<byte[]> lines = Stream.of("A", "B", "C", "B", "", "D")
                .map(each -> (each + "\n").getBytes(UTF_8))
                .toList();
        for (List<Long> each : List.of(List.of(1L, 2L), List.of(1L), List.of(4L), List.of(4L, 6L))) {
            MemoryDisk disk = Written.archive(lines);
            assertThat(erase(disk, each.toArray(Long[]::new))).isEqualTo(each);
            assertThat(assertIntact(disk).erased()).isEqualTo(each.size());
        }
    }

    @Test
    void aFullFileKeepsItsTableAndNoOtherFileHasThePayload() throws IOException {
        MemoryDisk disk = Written.archive(Tiles.PAYLOAD_LEAVES + 300, Tiles.PAYLOAD_LEAVES);
        erase(disk, 77L, Tiles.PAYLOAD_LEAVES + 5L, Tiles.PAYLOAD_LEAVES + 290L);
        assertThat(assertIntact(disk).erased()).isEqualTo(3);
        assertThat(text(disk, 77)).isEqualTo(blank(77));
        assertThat(SeekTable.read(disk, "payload/000.zst", Tiles.WIDTH)).hasSize(Tiles.WIDTH);
        assertThat(disk.names().stream().filter(each -> each.startsWith("payload")))
                .containsExactly("payload/000.zst", "payload/001.p/304.zst", "payload/001.zst");
    }

    @Test
    void aRestoredPayloadIsNamedAndErasedAgain() throws IOException {
        MemoryDisk disk = Written.archive(300, 300);
        byte[] copy = disk.read("payload/000.zst");
        erase(disk, 5L);
        disk.put("payload/000.zst", copy);
        assertThat(Written.verify(disk).findings()).extracting(Finding::kind).containsExactly(Finding.Kind.KEPT);
        assertThat(erase(disk, 5L)).isEmpty();
        assertThat(text(disk, 5)).isEqualTo(blank(5));
        assertIntact(disk);
    }

    @Test
    void aLeafWithoutPayloadIsRefusedAndNothingIsErased() throws IOException {
        MemoryDisk disk = Written.archive(100, 100);
        assertThatThrownBy(() -> erase(disk, 0L, 5L)).hasMessageContaining("has no payload, it is KEY");
        assertThatThrownBy(() -> erase(disk, 5L, 101L)).hasMessageContaining("leaf 101 is not in");
        assertThat(ArchiveReader.head(disk).size()).isEqualTo(101);
        assertThat(text(disk, 5)).isEqualTo(new String(Written.payload(5), UTF_8));
    }

    @Test
    void theCommandTellsWhatItErasedAndIsRefusedWhileAnArchiverRuns(@TempDir Path folder) throws Exception {
        Path key = folder.resolve("orders.key");
        Path archive = folder.resolve("archive");
        SigningKey signing = SigningKey.make("example.com/orders", key);
        Archiver.create(archive, key, null);
        try (FolderDisk disk = new FolderDisk(archive);
                ArchiveWriter writer = ArchiveWriter.open(
                        disk, signing, KeptHead.of(KeptHead.beside(key)), Written.NO_FENCE, Clocks::now)) {
            Written.append(writer, 20, 20);
        }
        try (Owner running = Owner.take(archive)) {
            assertThat(run(Main.REFUSED, archive, "7", "--key", key, "--reason", "r"))
                    .contains("end that one first");
            running.check();
        }
        assertThat(run(Main.USAGE, archive, "7", "--key", key)).contains("--reason is missing.");
        assertThat(run(Main.USAGE, archive, "7", "--key", key, "--reason", "a\nb"))
                .contains("in 2 lines: write one line");
        assertThat(run(0, archive, "7", "8", "--key", key, "--reason", "r")).isEqualTo("7\n8\n");
        try (FolderDisk disk = new FolderDisk(archive)) {
            assertThat(text(disk, 7)).isEqualTo(blank(7));
        }
        Verification.Report report =
                Verification.of(archive).key(signing.verifier()).threads(1).run();
        assertThat(report.findings()).isEmpty();
        assertThat(report.erased()).isEqualTo(2);
    }

    private static String run(int code, Object... words) {
        String[] all = new String[words.length + 1];
        all[0] = "erase";
        for (int i = 0; i < words.length; i++) {
            all[i + 1] = words[i].toString();
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrintStream print = new PrintStream(out, true, UTF_8);
        assertThat(Main.run(print, print, all)).isEqualTo(code);
        return out.toString(UTF_8);
    }
}
