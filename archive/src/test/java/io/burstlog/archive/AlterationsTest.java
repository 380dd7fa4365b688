// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import com.github.luben.zstd.Zstd;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Each change of an archive is found, and named: the file, or the leaves and nothing but them. */
@Tag("newest-jdk") // No JDK can matter: it computes, on a disk in memory.
class AlterationsTest {

    private static final int RECORDS = 1300;
    private static final int ALTERATIONS = Integer.getInteger("archive.alterations", 200);
    private static final int WIDTH = Tiles.WIDTH;

    private static MemoryDisk archive;

    @BeforeAll
    static void write() throws IOException {
        archive = Written.archive(RECORDS, 160);
    }

    private static List<Finding> faults(MemoryDisk disk) throws IOException {
        return Written.verify(disk).findings().stream().filter(Finding::isFault).toList();
    }

    private static List<Finding> findings(MemoryDisk disk) throws IOException {
        return Written.verify(disk).findings();
    }

    @Test
    void anArchiveThatNobodyChangedIsIntact() throws IOException {
        Verification.Report report = Written.verify(archive);
        assertThat(report.findings()).isEmpty();
        assertThat(report.records()).isEqualTo(RECORDS);
        assertThat(report.key()).isEqualTo(Written.key(1).verifier());
    }

    /** Bytes of any file are changed, taken away, added, or exchanged with those of another file. */
    @Test
    void randomChangesOfFilesAreFound() throws IOException {
        Random random = new Random(20261126);
        List<String> names = new ArrayList<>(archive.names());
        for (int i = 0; i < ALTERATIONS; i++) {
            MemoryDisk disk = new MemoryDisk(archive);
            String name = names.get(random.nextInt(names.size()));
            byte[] bytes = disk.read(name);
            String what;
            switch (random.nextInt(6)) {
                case 0 -> {
                    int place = random.nextInt(bytes.length);
                    bytes[place] ^= (byte) (1 << random.nextInt(8));
                    disk.put(name, bytes);
                    what = "bit of byte " + place;
                }
                case 1 -> {
                    int length = random.nextInt(bytes.length);
                    disk.put(name, Arrays.copyOf(bytes, length));
                    what = "cut to " + length;
                }
                case 2 -> {
                    if (isOfAnEarlierHead(name)) {
                        continue;
                    }
                    disk.delete(name);
                    what = "deleted";
                }
                case 3 -> {
                    disk.put(name, Arrays.copyOf(bytes, bytes.length + 1 + random.nextInt(300)));
                    what = "longer";
                }
                case 4 -> {
                    int from = random.nextInt(bytes.length);
                    int length = 1 + random.nextInt(Math.min(64, bytes.length - from));
                    byte[] noise = new byte[length];
                    random.nextBytes(noise);
                    noise[0] = (byte) ~bytes[from];
                    System.arraycopy(noise, 0, bytes, from, length);
                    disk.put(name, bytes);
                    what = length + " bytes from " + from;
                }
                default -> {
                    String other = names.get(random.nextInt(names.size()));
                    if (Arrays.equals(disk.read(other), bytes)) {
                        continue;
                    }
                    disk.put(name, disk.read(other));
                    disk.put(other, bytes);
                    what = "exchanged with " + other;
                }
            }
            assertThat(findings(disk)).as("%d: %s %s", i, name, what).isNotEmpty();
        }
    }

    /** Partial tiles that a later head does not need may go at any time. */
    private static boolean isOfAnEarlierHead(String name) {
        long size = RECORDS + 1;
        return name.startsWith("tile/")
                && name.contains(".p/")
                && !List.of(
                                Tiles.tile(0, size / WIDTH, (int) (size % WIDTH)),
                                Tiles.entries(size / WIDTH, (int) (size % WIDTH)),
                                Tiles.tile(1, 0, (int) (size / WIDTH)))
                        .contains(name);
    }

    // ------------------------------------------------------------------------- by somebody who knows the format

    private static List<byte[]> bundle(MemoryDisk disk, long index) throws IOException {
        return new ArrayList<>(ArchiveReader.bundle(disk, index, RECORDS + 1));
    }

    private static void putBundle(MemoryDisk disk, long index, List<byte[]> leaves) {
        int length = leaves.stream().mapToInt(each -> each.length + 2).sum();
        byte[] bytes = new byte[length];
        int at = 0;
        for (byte[] leaf : leaves) {
            bytes[at] = (byte) (leaf.length >> 8);
            bytes[at + 1] = (byte) leaf.length;
            System.arraycopy(leaf, 0, bytes, at + 2, leaf.length);
            at += 2 + leaf.length;
        }
        disk.put(Tiles.entries(index, WIDTH), bytes);
    }

    /** The payload file with the payloads of one of its bundles replaced, each frame whole again. */
    private static void putPayloads(MemoryDisk disk, int bundle, List<byte[]> payloads) throws IOException {
        List<SeekTable.Frame> frames =
                SeekTable.walk(disk, "payload/000.zst", RECORDS / WIDTH, each -> PayloadWriter.MOST_BUNDLE_BYTES);
        byte[] all = disk.read("payload/000.zst");
        SeekTable.Frame frame = frames.get(bundle);
        int length = payloads.stream().mapToInt(each -> each.length).sum();
        byte[] content = new byte[length];
        int at = 0;
        for (byte[] each : payloads) {
            System.arraycopy(each, 0, content, at, each.length);
            at += each.length;
        }
        byte[] compressed = Zstd.compress(content);
        byte[] next = new byte[all.length - frame.length() + compressed.length];
        System.arraycopy(all, 0, next, 0, (int) frame.offset());
        System.arraycopy(compressed, 0, next, (int) frame.offset(), compressed.length);
        System.arraycopy(all, (int) frame.end(), next, (int) frame.offset() + compressed.length, (int)
                (all.length - frame.end()));
        disk.put("payload/000.zst", next);
    }

    private static List<byte[]> payloads(int bundle) {
        List<byte[]> payloads = new ArrayList<>();
        for (int i = 0; i < WIDTH; i++) {
            long index = (long) bundle * WIDTH + i;
            payloads.add(index == 0 ? new byte[0] : Written.payload(index));
        }
        return payloads;
    }

    private static void assertOnly(MemoryDisk disk, Finding.Kind kind, long... leaves) throws IOException {
        List<Finding> found = faults(disk);
        assertThat(found).allSatisfy(each -> assertThat(each.kind()).isEqualTo(kind));
        assertThat(found.stream().mapToLong(Finding::first).toArray())
                .as("%s", found)
                .containsExactly(leaves);
        assertThat(found.stream().mapToLong(Finding::last).toArray()).containsExactly(leaves);
    }

    @Test
    void aChangedLeafIsNamedAlone() throws IOException {
        for (int place : new int[] {0, 1, 100, 255}) {
            MemoryDisk disk = new MemoryDisk(archive);
            List<byte[]> leaves = bundle(disk, 2);
            leaves.get(place)[20]++;
            putBundle(disk, 2, leaves);
            assertOnlyLeaf(disk, Finding.Kind.CHANGED, 512 + place);
        }
    }

    private static void assertOnlyLeaf(MemoryDisk disk, Finding.Kind kind, long leaf) throws IOException {
        List<Finding> found = faults(disk);
        assertThat(found).anySatisfy(each -> {
            assertThat(each.kind()).isEqualTo(kind);
            assertThat(each.first()).isEqualTo(leaf);
        });
        // The numbers around a leaf that nobody can believe have a gap.
        assertThat(found).allSatisfy(each -> assertThat(each.first()).isBetween(leaf, leaf + 1));
    }

    @Test
    void exchangedAndRepeatedLeavesAreNamed() throws IOException {
        MemoryDisk disk = new MemoryDisk(archive);
        List<byte[]> leaves = bundle(disk, 1);
        Collections.swap(leaves, 7, 90);
        putBundle(disk, 1, leaves);
        assertThat(faults(disk).stream().filter(each -> each.kind() == Finding.Kind.SWAPPED))
                .extracting(Finding::first)
                .containsExactly(263L, 346L);
        disk = new MemoryDisk(archive);
        leaves = bundle(disk, 1);
        leaves.set(8, leaves.get(7));
        putBundle(disk, 1, leaves);
        assertThat(faults(disk).stream().filter(each -> each.kind() == Finding.Kind.REPEATED))
                .extracting(Finding::first)
                .containsExactly(264L);
    }

    @Test
    void aChangedPayloadIsNamedAlone() throws IOException {
        for (int place : new int[] {0, 1, 100, 255}) {
            MemoryDisk disk = new MemoryDisk(archive);
            List<byte[]> payloads = payloads(2);
            payloads.get(place)[3]++;
            putPayloads(disk, 2, payloads);
            assertOnly(disk, Finding.Kind.CHANGED, 512 + place);
        }
    }

    @Test
    void aPayloadOfAnotherLengthIsNamedAlone() throws IOException {
        MemoryDisk disk = new MemoryDisk(archive);
        List<byte[]> payloads = payloads(2);
        payloads.set(100, "2026 nothing was bought\n".getBytes());
        putPayloads(disk, 2, payloads);
        assertOnly(disk, Finding.Kind.CHANGED, 612);
    }

    /** To look for the next one at every place would take days. */
    @Test
    void aSearchForLongPayloadsEnds() throws IOException {
        byte[] changed = new byte[12 << 20];
        MemoryDisk disk = Written.archive(List.of(
                Arrays.copyOf(changed, 4 << 20), Arrays.copyOf(changed, 4 << 20), Arrays.copyOf(changed, 4 << 20)));
        Arrays.fill(changed, (byte) 'x');
        disk.put(Tiles.payloadEdge(0, 4), Zstd.compress(changed));
        List<Finding> found = assertTimeoutPreemptively(Duration.ofMinutes(2), () -> faults(disk));
        assertThat(found).extracting(Finding::kind).containsOnly(Finding.Kind.CHANGED);
        assertThat(found).extracting(Finding::first).containsExactly(1L, 2L, 3L);
    }

    /** Somebody without a key can still write this. */
    @Test
    void aHeadThatNobodySignedIsNotBelieved() throws IOException {
        for (long size : new long[] {1_000_000_000_000L, 1L << 56, 1L << 60, Long.MAX_VALUE}) {
            MemoryDisk disk = new MemoryDisk(archive);
            String head = new String(disk.read(Tiles.CHECKPOINT), UTF_8);
            disk.put(
                    Tiles.CHECKPOINT,
                    head.replace("\n" + (RECORDS + 1) + "\n", "\n" + size + "\n")
                            .getBytes(UTF_8));
            List<Finding> found = assertTimeoutPreemptively(Duration.ofMinutes(1), () -> findings(disk));
            assertThat(found)
                    .extracting(Finding::kind)
                    .contains(Finding.Kind.HEAD)
                    .isSubsetOf(Finding.Kind.HEAD, Finding.Kind.TREE);
        }
    }

    /** A tile that makes its root is as easily written. */
    @Test
    void aHeadThatNobodySignedIsNotBelievedWithItsOwnTree() throws IOException {
        MemoryDisk disk = new MemoryDisk(archive);
        byte[] hash = Sha256.of(new byte[1], 0, 1);
        disk.put(Tiles.tile(6, 0, 1), hash);
        String head = new String(disk.read(Tiles.CHECKPOINT), UTF_8);
        String body = head.lines().findFirst().orElseThrow() + "\n" + (1L << 48) + "\n"
                + Base64.getEncoder().encodeToString(hash);
        disk.put(Tiles.CHECKPOINT, (body + head.substring(head.indexOf("\n\n"))).getBytes(UTF_8));
        List<Finding> found = assertTimeoutPreemptively(Duration.ofMinutes(1), () -> findings(disk));
        assertThat(found).extracting(Finding::kind).contains(Finding.Kind.HEAD);
    }

    @Test
    void aKnownHeadIsComparedAsFarAsTheTreeIsThere() throws IOException {
        Checkpoint known = ArchiveReader.head(Written.archive(900, 160));
        for (String name : List.of("tile/0/003", "tile/1/000.p/5")) {
            for (int length : new int[] {-1, 100}) {
                MemoryDisk disk = new MemoryDisk(archive);
                byte[] bytes = disk.read(name);
                disk.delete(name);
                if (length >= 0) {
                    disk.put(name, Arrays.copyOf(bytes, length));
                }
                Verification.Report report = Verification.of(disk)
                        .key(Written.key(1).verifier())
                        .known(known)
                        .threads(1)
                        .run();
                assertThat(report.findings())
                        .extracting(Finding::kind)
                        .contains(Finding.Kind.TREE)
                        .allMatch(each -> each == Finding.Kind.TREE || each == Finding.Kind.HEAD);
            }
        }
    }

    @Test
    void aRemovedPayloadIsNamedAlone() throws IOException {
        MemoryDisk disk = new MemoryDisk(archive);
        List<byte[]> payloads = payloads(2);
        payloads.set(100, new byte[0]);
        putPayloads(disk, 2, payloads);
        assertOnly(disk, Finding.Kind.REMOVED, 612);
    }

    @Test
    void exchangedPayloadsAreNamed() throws IOException {
        MemoryDisk disk = new MemoryDisk(archive);
        List<byte[]> payloads = payloads(1);
        Collections.swap(payloads, 10, 20);
        putPayloads(disk, 1, payloads);
        assertOnly(disk, Finding.Kind.SWAPPED, 266, 276);
    }

    @Test
    void aFilledPayloadThatNoRecordSpeaksOfIsNamed() throws IOException {
        MemoryDisk disk = new MemoryDisk(archive);
        List<byte[]> payloads = payloads(1);
        Arrays.fill(payloads.get(10), (byte) ' ');
        putPayloads(disk, 1, payloads);
        assertOnly(disk, Finding.Kind.CHANGED, 266);
    }

    /** Without the key nobody makes an act that a payload's time was over, or lets one say more. */
    @Test
    void noPayloadFileIsRemovedWithoutASignedAct() throws IOException {
        MemoryDisk disk = Written.archive(2L * Tiles.PAYLOAD_LEAVES + 20, Tiles.PAYLOAD_LEAVES);
        disk.delete("payload/001.zst");
        assertRemoved(disk);
        try (ArchiveWriter writer = Written.open(disk)) {
            writer.act(Leaf.Kind.EXPIRED, "first: 0\nlast: 065535\n");
            writer.commit();
        }
        disk.delete("payload/000.zst");
        assertRemoved(disk);
        String name = "tile/entries/512.p/22";
        byte[] leaves = disk.read(name);
        String changed = new String(leaves, ISO_8859_1).replace("last: 065535", "last: 131071");
        disk.put(name, changed.getBytes(ISO_8859_1));
        assertRemoved(disk);
    }

    private static void assertRemoved(MemoryDisk disk) throws IOException {
        assertThat(faults(disk)).anySatisfy(each -> {
            assertThat(each.kind()).isEqualTo(Finding.Kind.REMOVED);
            assertThat(each.first()).isEqualTo(Tiles.PAYLOAD_LEAVES);
            assertThat(each.last()).isEqualTo(2L * Tiles.PAYLOAD_LEAVES - 1);
        });
    }

    /** Somebody with the right to write may change leaf, hash and payload together; the root still does not fit. */
    @Test
    void aLeafThatIsChangedWithItsHashAndPayloadIsNamedWithItsBundle() throws IOException {
        MemoryDisk disk = new MemoryDisk(archive);
        List<byte[]> leaves = bundle(disk, 2);
        leaves.get(9)[20]++;
        putBundle(disk, 2, leaves);
        byte[] tile = disk.read("tile/0/002");
        System.arraycopy(MerkleTree.leafHash(leaves.get(9)), 0, tile, 9 * Sha256.BYTES, Sha256.BYTES);
        disk.put("tile/0/002", tile);
        assertThat(faults(disk)).anySatisfy(each -> {
            assertThat(each.kind()).isEqualTo(Finding.Kind.CHANGED);
            assertThat(each.first()).isEqualTo(512);
            assertThat(each.last()).isEqualTo(767);
        });
    }

    @Test
    void anOlderStateIsFoundByAHeadThatSomebodyKept() throws IOException {
        Checkpoint kept = ArchiveReader.head(archive);
        MemoryDisk older = Written.archive(900, 160);
        assertThat(Verification.of(older)
                        .key(Written.key(1).verifier())
                        .known(kept)
                        .run()
                        .findings())
                .singleElement()
                .satisfies(each -> assertThat(each.sentence()).contains("leaves were taken from its end"));
        MemoryDisk other = Written.archive(RECORDS + 50, 160);
        assertThat(Verification.of(other)
                        .key(Written.key(1).verifier())
                        .known(kept)
                        .run()
                        .findings())
                .singleElement()
                .satisfies(each -> assertThat(each.sentence()).contains("is not the beginning of this archive"));
    }

    @Test
    void aTreeOfAnotherKeyIsNotTheArchive() throws IOException {
        MemoryDisk forged = new MemoryDisk();
        try (ArchiveWriter writer = Written.open(forged, Written.key(3), Written.NO_FENCE)) {
            Written.append(writer, 100, 50);
        }
        assertThat(faults(forged)).extracting(Finding::kind).contains(Finding.Kind.HEAD);
    }

    @Test
    void aNumberThatTheArchiverLeftOutOrTookTwiceIsNamed() throws IOException {
        MemoryDisk disk = new MemoryDisk();
        try (ArchiveWriter writer = Written.open(disk)) {
            for (long number : new long[] {1, 2, 4, 5, 5, 6}) {
                writer.append(Written.leaf(number, 0), Written.payload(number));
            }
            writer.commit();
        }
        assertThat(faults(disk).stream().filter(each -> each.sentence().startsWith("number")))
                .extracting(Finding::first)
                .containsExactly(3L, 5L);
    }
}
