// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Kills and power cuts at every operation: no head is ever signed that the disk lacks, and there is one history. */
@Tag("newest-jdk") // No JDK can matter: it computes, on a disk in memory.
class CrashTest {

    private static final int CUTS_A_PLACE = 3;

    /** The work of a writer, on a disk that may halt at any time. */
    private interface Work {
        void on(MemoryDisk disk) throws IOException;
    }

    private static int operationsOf(MemoryDisk begin, Work work) throws IOException {
        MemoryDisk disk = new MemoryDisk(begin);
        work.on(disk);
        return disk.operations();
    }

    /** Halts the work before each of its operations, in several ways, and looks at what is there then. */
    private static void cutEverywhere(MemoryDisk begin, Work work, long last) throws IOException {
        int operations = operationsOf(begin, work);
        for (int halt = 0; halt < operations; halt++) {
            for (int way = 0; way < CUTS_A_PLACE; way++) {
                MemoryDisk disk = new MemoryDisk(begin);
                disk.haltAt(halt);
                assertThatThrownBy(() -> work.on(disk)).isInstanceOf(MemoryDisk.HaltedException.class);
                MemoryDisk after = after(disk, way, halt);
                goOn(disk, after, last, "operation " + halt + " of " + operations + ", way " + way);
            }
        }
    }

    /** The first way is a kill, after which the kernel has all that was written; the others are cuts of the power. */
    private static MemoryDisk after(MemoryDisk disk, int way, int halt) {
        return switch (way) {
            case 0 -> new MemoryDisk(disk);
            case 1 -> disk.cut();
            default -> disk.cut(new Random(halt));
        };
    }

    private static void goOn(MemoryDisk before, MemoryDisk after, long last, String when) throws IOException {
        for (String each : before.seenHeads) {
            assertThat(after.kept().read().size())
                    .as(when)
                    .isGreaterThanOrEqualTo(Checkpoint.of(each).size());
        }
        try (ArchiveWriter writer = Written.open(after)) {
            ArchiveReader reader = new ArchiveReader(after, writer.head());
            for (String each : before.seenHeads) {
                Checkpoint seen = Checkpoint.of(each);
                assertThat(writer.head().size()).as(when).isGreaterThanOrEqualTo(seen.size());
                assertThat(reader.root(seen.size())).as(when).isEqualTo(seen.root());
            }
            Written.append(writer, last, 1000);
        }
        Verification.Report report = assertIntact(after, when);
        assertThat(report.records()).as(when).isEqualTo(last);
    }

    private static Verification.Report assertIntact(MemoryDisk disk, String when) throws IOException {
        Verification.Report report = Written.verify(disk);
        assertThat(report.findings()).as(when).isEmpty();
        return report;
    }

    @Test
    void aNewArchiveMayBeCutAtEachOperation() throws IOException {
        cutEverywhere(new MemoryDisk(), disk -> Written.open(disk).close(), 5);
    }

    @Test
    void anArchiveThatGrowsMayBeCutAtEachOperation() throws IOException {
        cutEverywhere(Written.archive(200, 200), disk -> append(disk, 330, 80), 340);
    }

    @Test
    void theNextPayloadFileMayBeCutAtEachOperation() throws IOException {
        long records = Tiles.PAYLOAD_LEAVES;
        cutEverywhere(
                Written.archive(records - 10, Tiles.PAYLOAD_LEAVES),
                disk -> append(disk, records + 20, 20),
                records + 20);
    }

    @Test
    void aBundleThatIsFilledUpMayBeCutAtEachOperation() throws IOException {
        byte[] half = new byte[PayloadWriter.SHARED_BYTES / 2 + 1];
        cutEverywhere(
                Written.archive(200, 200),
                disk -> {
                    try (ArchiveWriter writer = Written.open(disk)) {
                        writer.append(Written.leaf(201, 0, half), half);
                        writer.commit();
                        writer.append(Written.leaf(202, 0, half), half);
                        writer.commit();
                        assertThat(writer.size()).isEqualTo(Tiles.WIDTH + 1);
                    }
                },
                210);
    }

    @Test
    void aRotationMayBeCutAtEachOperation() throws IOException {
        MemoryDisk begin = Written.archive(300, 100);
        Work work = disk -> {
            try (ArchiveWriter writer = Written.open(disk)) {
                writer.rotate(Written.key(2), ofNext(disk));
            }
        };
        int operations = operationsOf(begin, work);
        for (int halt = 0; halt < operations; halt++) {
            for (int way = 0; way < CUTS_A_PLACE; way++) {
                MemoryDisk disk = new MemoryDisk(begin);
                disk.haltAt(halt);
                assertThatThrownBy(() -> work.on(disk)).isInstanceOf(MemoryDisk.HaltedException.class);
                MemoryDisk after = after(disk, way, halt);
                finishRotation(after);
                assertIntact(after, "operation " + halt + ", way " + way);
            }
        }
    }

    private static KeptHead ofNext(MemoryDisk disk) {
        return new KeptHead(disk.beside(), "next.key.head");
    }

    /** As an operator would: rotates with the old key, unless the archive says that it has the new one. */
    private static void finishRotation(MemoryDisk disk) throws IOException {
        try (ArchiveWriter writer = Written.open(disk)) {
            writer.rotate(Written.key(2), ofNext(disk));
        } catch (RefusedException rotated) {
            assertThat(rotated).hasMessageContaining(Written.key(2).verifier().toString());
        }
        try (ArchiveWriter writer = ArchiveWriter.open(disk, Written.key(2), ofNext(disk), Written.NO_FENCE, () -> 0)) {
            Written.append(writer, 400, 100);
        }
    }

    private static void erase(MemoryDisk disk, Long... leaves) throws IOException {
        try (ArchiveWriter writer = Written.open(disk)) {
            Erasure.erase(disk, writer, "file 12 of the court", List.of(leaves));
        }
    }

    /** Halts an erasure before each operation; the next start ends it, and the power fails again. */
    private static void cutErasure(MemoryDisk begin, Long... leaves) throws IOException {
        int operations = operationsOf(begin, disk -> erase(disk, leaves));
        long size = ArchiveReader.head(begin).size();
        for (int halt = 0; halt < operations; halt++) {
            for (int way = 0; way < CUTS_A_PLACE; way++) {
                MemoryDisk disk = new MemoryDisk(begin);
                disk.haltAt(halt);
                assertThatThrownBy(() -> erase(disk, leaves)).isInstanceOf(MemoryDisk.HaltedException.class);
                MemoryDisk after = after(disk, way, halt);
                String when = "operation " + halt + " of " + operations + ", way " + way;
                Written.open(after).close();
                if (ArchiveReader.head(after).size() > size) {
                    assertThat(assertIntact(after.cut(), when).erased())
                            .as(when)
                            .isEqualTo(leaves.length);
                }
                goOn(disk, after, 900, when);
            }
        }
        MemoryDisk done = new MemoryDisk(begin);
        erase(done, leaves);
        assertThat(assertIntact(done.cut(), "done").erased()).isEqualTo(leaves.length);
    }

    @Test
    void anErasureMayBeCutAtEachOperation() throws IOException {
        cutErasure(Written.archive(700, 700), 5L, 300L, 690L);
    }

    @Test
    void anErasureWhoseActFillsItsBundleMayBeCutAtEachOperation() throws IOException {
        cutErasure(Written.archive(510, 510), 400L);
    }

    private static void expire(MemoryDisk disk) throws IOException {
        Retention retention = new Retention(null, 1, Written.CLOCKS, "orders", event -> {});
        try (ArchiveWriter writer = Written.open(disk)) {
            retention.begin(disk, writer.head());
            retention.look(writer);
        }
    }

    @Test
    void anExpiryMayBeCutAtEachOperation() throws IOException {
        long records = Tiles.PAYLOAD_LEAVES + 20;
        MemoryDisk begin = Written.archive(records, Tiles.PAYLOAD_LEAVES);
        long size = ArchiveReader.head(begin).size();
        int operations = operationsOf(begin, CrashTest::expire);
        for (int halt = 0; halt < operations; halt++) {
            for (int way = 0; way < CUTS_A_PLACE; way++) {
                MemoryDisk disk = new MemoryDisk(begin);
                disk.haltAt(halt);
                assertThatThrownBy(() -> expire(disk)).isInstanceOf(MemoryDisk.HaltedException.class);
                MemoryDisk after = after(disk, way, halt);
                append(after, records + 10, 10);
                boolean isSaid = ArchiveReader.head(after).size() > size + 10;
                // The power fails again; it may bring back a partial file.
                String when = "operation " + halt + " of " + operations + ", way " + way;
                Verification.Report report = Written.verify(after.cut());
                assertThat(report.findings()).as(when).noneMatch(Finding::isFault);
                assertThat(report.records()).as(when).isEqualTo(records + 10);
                assertThat(report.expired()).as(when).isEqualTo(isSaid ? Tiles.PAYLOAD_LEAVES : 0);
            }
        }
        assertThat(operations).isGreaterThan(8);
    }

    @Test
    void aFullDiskLosesNothing() throws IOException {
        MemoryDisk disk = Written.archive(200, 100);
        disk.fill(true);
        assertThatThrownBy(() -> append(disk, 600, 100)).hasMessage("No space left on device");
        disk.fill(false);
        append(disk, 600, 100);
        assertThat(assertIntact(disk, "full").records()).isEqualTo(600);
    }

    @Test
    void aFencedArchiverSignsNothing() throws IOException {
        MemoryDisk disk = Written.archive(200, 100);
        boolean[] isFenced = {false};
        ArchiveWriter.Fence fence = () -> {
            if (isFenced[0]) {
                throw new RefusedException("fenced");
            }
        };
        try (ArchiveWriter writer = Written.open(disk, Written.key(1), fence)) {
            isFenced[0] = true;
            assertThatThrownBy(() -> Written.append(writer, 300, 50)).hasMessage("fenced");
        }
        assertThat(ArchiveReader.head(disk).size()).isEqualTo(201);
    }

    @Test
    void aTreeThatDoesNotMatchItsHeadIsLeftAsItIs() throws IOException {
        MemoryDisk disk = Written.archive(300, 100);
        byte[] tile = disk.read("tile/0/001.p/45");
        tile[7]++;
        disk.put("tile/0/001.p/45", tile);
        assertThatThrownBy(() -> Written.open(disk))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("do not make the root");
        assertThatThrownBy(() -> Written.open(Written.archive(300, 100), Written.key(2), Written.NO_FENCE))
                .hasMessageContaining("and not by");
    }

    private static void assertRefused(MemoryDisk disk, String sentence) {
        Set<String> before = Set.copyOf(disk.names());
        assertThatThrownBy(() -> Written.open(disk))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining(sentence);
        assertThat(disk.names()).isEqualTo(before);
    }

    /** {@return the archive of one disk with the key of another} */
    private static MemoryDisk with(MemoryDisk archive, MemoryDisk key) throws IOException {
        MemoryDisk disk = new MemoryDisk(archive);
        disk.kept().write(key.kept().read());
        return disk;
    }

    @Test
    void anOlderStateOfTheArchiveIsRefused() throws IOException {
        MemoryDisk now = Written.archive(200, 100);
        List<MemoryDisk> older = new ArrayList<>(List.of(new MemoryDisk(), new MemoryDisk(now)));
        for (long last : new long[] {201, 256, 600}) {
            append(now, last, 100);
            for (MemoryDisk each : older) {
                assertRefused(with(each, now), "is older than its key");
            }
            append(with(now, now), last + 1, 100);
            older.add(new MemoryDisk(now));
        }
    }

    @Test
    void anotherHistoryIsRefused() throws IOException {
        assertRefused(with(Written.archive(300, 100), Written.archive(200, 100)), "it is another history");
        assertRefused(with(Written.archive(200, 100), Written.archive(200, 100)), "do not make the root");
    }

    @Test
    void aHeadOfAnAuditorTakesThePlaceOfTheOneThatWasLost() throws IOException {
        MemoryDisk disk = Written.archive(200, 100);
        Checkpoint ofAuditor = ArchiveReader.head(disk);
        append(disk, 300, 100);
        disk.kept().write(ofAuditor);
        append(disk, 400, 100);
        assertThat(disk.kept().read().size()).isEqualTo(401);
        assertThat(assertIntact(disk, "an auditor's head").records()).isEqualTo(400);
    }

    @Test
    void withoutItsKeptHeadAnArchiveIsLeftAsItIs() throws IOException {
        MemoryDisk disk = Written.archive(200, 100);
        KeptHead none = new KeptHead(disk.beside(), "none");
        assertThatThrownBy(() -> ArchiveWriter.open(disk, Written.key(1), none, Written.NO_FENCE, () -> 0))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("is missing");
        disk.beside().put("none", new byte[9]);
        assertThatThrownBy(() -> ArchiveWriter.open(disk, Written.key(1), none, Written.NO_FENCE, () -> 0))
                .hasMessageContaining("has none");
        none.write(Checkpoint.sign("example.com/others", 1, new byte[32], List.of(Written.key(1))));
        assertThatThrownBy(() -> ArchiveWriter.open(disk, Written.key(1), none, Written.NO_FENCE, () -> 0))
                .hasMessageContaining("name the key and the head of one archive");
    }

    @Test
    void anArchiveIsMadeOnceAndByAKeyThatHasSignedNone() throws IOException {
        MemoryDisk disk = Written.archive(20, 20);
        KeptHead none = new KeptHead(disk.beside(), "none");
        assertThatThrownBy(() -> ArchiveWriter.create(disk, Written.key(2), none, Written.NO_FENCE, () -> 0))
                .hasMessageContaining("has an archive already");
        assertThatThrownBy(() ->
                        ArchiveWriter.create(new MemoryDisk(), Written.key(1), disk.kept(), Written.NO_FENCE, () -> 0))
                .hasMessageContaining("has signed a head of 21 leaves");
    }

    @Test
    void aKeyThatHasSignedAnotherArchiveIsTheNextOneOfNone() throws IOException {
        MemoryDisk disk = Written.archive(20, 20);
        for (long records : new long[] {10, 30}) {
            MemoryDisk other = new MemoryDisk();
            try (ArchiveWriter writer = Written.open(other, Written.key(2), Written.NO_FENCE)) {
                Written.append(writer, records, 10);
            }
            ofNext(disk).write(other.kept().read());
            try (ArchiveWriter writer = Written.open(disk)) {
                assertThatThrownBy(() -> writer.rotate(Written.key(2), ofNext(disk)))
                        .isInstanceOf(RefusedException.class)
                        .hasMessageContaining("it would have two histories; make another key");
            }
            assertThat(ofNext(disk).read()).hasToString(other.kept().read().toString());
            assertThat(ArchiveReader.head(disk).size()).isEqualTo(21);
        }
    }

    private static void append(MemoryDisk disk, long last, int each) throws IOException {
        try (ArchiveWriter writer = Written.open(disk)) {
            Written.append(writer, last, each);
        }
    }
}
