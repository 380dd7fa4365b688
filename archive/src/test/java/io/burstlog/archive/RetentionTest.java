// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Payloads whose time is over: an act first, then the file; leaves and proofs stay. */
@Tag("newest-jdk") // No JDK can matter: it computes, on a disk in memory.
class RetentionTest {

    private static final long FILE = Tiles.PAYLOAD_LEAVES;
    private static final long DAY = Duration.ofDays(1).toNanos();
    private static final long HOUR = Duration.ofHours(1).toNanos();

    /** Three full payload files, each of a day, and a begin of the fourth. */
    private static MemoryDisk archive;

    private final List<String> told = new ArrayList<>();
    private long day = 10 * DAY;
    private long monotonic;

    @BeforeAll
    static void write() throws IOException {
        archive = new MemoryDisk();
        try (ArchiveWriter writer = Written.open(archive)) {
            append(writer, 1, 3 * FILE + 300, 0);
        }
    }

    private static void append(ArchiveWriter writer, long first, long behind, long startNanos) throws IOException {
        for (long number = first; number < behind; number++) {
            writer.append(Written.leaf(number, startNanos + number * DAY / FILE), Written.payload(number));
        }
        writer.commit();
    }

    private Retention retention(Duration keepFor, long keepBytes) {
        return new Retention(
                keepFor,
                keepBytes,
                new Clocks(() -> day, () -> monotonic, () -> null),
                "orders",
                event -> told.add(event.text()));
    }

    private MemoryDisk kept(Duration keepFor, long keepBytes, long... hours) throws IOException {
        MemoryDisk disk = new MemoryDisk(archive);
        Retention retention = retention(keepFor, keepBytes);
        try (ArchiveWriter writer = Written.open(disk)) {
            retention.begin(disk, writer.head());
            retention.look(writer);
            for (long each : hours) {
                monotonic += each * HOUR;
                retention.look(writer);
            }
        }
        return disk;
    }

    private static List<String> files(MemoryDisk disk) {
        return disk.names().stream()
                .filter(each -> each.matches("payload/\\d{3}\\.zst"))
                .toList();
    }

    private static Verification.Report assertIntact(MemoryDisk disk, long expiredFiles) throws IOException {
        Verification.Report report = Written.verify(disk);
        assertThat(report.findings()).isEmpty();
        assertThat(report.expired()).isEqualTo(expiredFiles * FILE);
        return report;
    }

    private static ArchiveReader reader(MemoryDisk disk) throws IOException {
        return new ArchiveReader(disk, ArchiveReader.head(disk));
    }

    @Test
    void filesThatAreTooManyGoAtOnceTheOldestFirstAndProofsStay() throws IOException {
        long bytes = archive.length("payload/002.zst") + archive.length("payload/003.zst");
        MemoryDisk disk = kept(null, bytes);
        assertThat(files(disk)).containsExactly("payload/002.zst", "payload/003.zst");
        assertThat(assertIntact(disk, 2).records()).isEqualTo(3 * FILE + 299);
        assertThat(told)
                .containsExactly(
                        "the archive orders: the time of the payloads of leaves 0 to 131071 was over, by their size: they are deleted");
        Leaf act = reader(disk).leaf(reader(disk).size() - 1);
        assertThat(act.kind()).isEqualTo(Leaf.Kind.EXPIRED);
        assertThat(act.text()).isEqualTo("first: 0\nlast: 131071\nkeep-bytes: " + bytes + "\n");
        assertThat(reader(disk).prove(5).check(Written.key(1).verifier(), Written.payload(5)))
                .isNull();
        assertThat(reader(disk).payload(2 * FILE)).isEqualTo(Written.payload(2 * FILE));
        assertThatThrownBy(() -> reader(disk).payload(5))
                .hasMessageContaining("if verify finds nothing, its time was over");
        assertThat(files(kept(null, bytes + 1))).hasSize(2);
        assertThat(files(kept(null, bytes - 1))).containsExactly("payload/003.zst");
    }

    @Test
    void aFileIsAsOldAsItsNewestLeaf() throws IOException {
        day = 4 * DAY - 2 * DAY / FILE;
        assertThat(files(kept(Duration.ofDays(3), 0, 1))).hasSize(4);
        day += 2 * DAY / FILE;
        MemoryDisk disk = kept(Duration.ofDays(3), 0, 1, 1, 1);
        assertThat(files(disk)).containsExactly("payload/001.zst", "payload/002.zst", "payload/003.zst");
        assertThat(reader(disk).leaf(reader(disk).size() - 1).text())
                .isEqualTo("first: 0\nlast: 65535\nkeep-for-s: 259200\nnewest-ns: " + (FILE - 1) * (DAY / FILE) + "\n");
        assertIntact(disk, 1);
    }

    @Test
    void aClockThatWasSetBackDeletesNothing() throws IOException {
        day = 0;
        assertThat(files(kept(Duration.ofDays(1), 0, 1, 1))).hasSize(4);
        day = -10_000 * DAY;
        assertThat(files(kept(Duration.ofDays(1), 0, 1, 1))).hasSize(4);
    }

    @Test
    void aClockThatIsFarAheadDeletesOneFileAnHour() throws IOException {
        day = 10_000 * DAY;
        assertThat(files(kept(Duration.ofDays(1000), 0))).hasSize(4);
        assertThat(files(kept(Duration.ofDays(1000), 0, 1, 0, 0))).hasSize(3);
        MemoryDisk disk = kept(Duration.ofDays(1000), 0, 1, 1, 0);
        assertThat(files(disk)).hasSize(2);
        assertIntact(disk, 2);
    }

    @Test
    void aFileThatBecomesFullLetsTwoGo() throws IOException {
        MemoryDisk disk = new MemoryDisk(archive);
        Retention retention = retention(Duration.ofDays(1), 0);
        day = 10_000 * DAY;
        try (ArchiveWriter writer = Written.open(disk)) {
            retention.begin(disk, writer.head());
            append(writer, 3 * FILE + 300, 4 * FILE + 10, 0);
            retention.look(writer);
            retention.look(writer);
            append(writer, 4 * FILE + 10, 4 * FILE + 20, 0);
        }
        assertThat(files(disk)).containsExactly("payload/002.zst", "payload/003.zst");
        assertIntact(disk, 2);
    }

    @Test
    void leavesWhoseAgeNobodyKnowsAreKept() throws IOException {
        MemoryDisk disk = new MemoryDisk(archive);
        disk.delete("tile/entries/017");
        Retention retention = retention(Duration.ofDays(1), 0);
        try (ArchiveWriter writer = Written.open(disk)) {
            retention.begin(disk, writer.head());
            monotonic += HOUR;
            retention.look(writer);
            retention.look(writer);
        }
        assertThat(files(disk)).hasSize(4);
        assertThat(told)
                .singleElement()
                .asString()
                .startsWith(
                        "the archive orders deletes no payloads for their age, since that of payload/000.zst is unknown: ");
    }

    // ------------------------------------------------------------------------- frames of files that were not full yet

    private static List<String> frames(MemoryDisk disk) {
        return disk.names().stream()
                .filter(each -> each.matches("payload/00[0-2]\\.p/.*"))
                .toList();
    }

    @Test
    void aFrameThatThePowerBroughtBackGoesWithItsFile() throws IOException {
        MemoryDisk disk = new MemoryDisk(archive);
        Retention retention = retention(null, 1);
        try (ArchiveWriter writer = Written.open(disk)) {
            retention.begin(disk, writer.head());
            disk.put("payload/000.p/45.zst", new byte[] {1});
            retention.look(writer);
        }
        assertThat(frames(disk)).isEmpty();
        assertThat(frames(disk.cut())).isEmpty();
        assertIntact(disk, 3);
    }

    @Test
    void aFrameThatTheCrashOfALongCommitLeftGoesAtTheNextStart() throws IOException {
        MemoryDisk disk = new MemoryDisk(archive);
        disk.put("payload/000.p/45.zst", new byte[] {1});
        disk.put("payload/002.p/45.zst", new byte[] {1});
        assertThat(kinds(disk)).containsOnly(Finding.Kind.BEHIND);
        Written.open(disk).close();
        assertThat(frames(disk)).isEmpty();
        assertIntact(disk, 0);
    }

    @Test
    void theFolderOfFramesGoesWhenItsFileIsFull(@TempDir Path folder) throws IOException {
        Path payloads = folder.resolve("orders/payload");
        try (FolderDisk disk = new FolderDisk(Files.createDirectory(folder.resolve("orders")));
                ArchiveWriter writer = ArchiveWriter.create(
                        disk, Written.key(1), KeptHead.of(folder.resolve("head")), Written.NO_FENCE, () -> 1_000)) {
            Written.append(writer, 300, 100);
            assertThat(payloads.resolve("000.p")).isNotEmptyDirectory();
            Written.append(writer, FILE + 300, (int) FILE);
            assertThat(payloads.resolve("000.p")).doesNotExist();
            assertThat(payloads.resolve("001.p")).isNotEmptyDirectory();
            assertThat(Written.verify(disk).findings()).isEmpty();
        }
    }

    // ------------------------------------------------------------------------------------------- what verify says

    private static void act(MemoryDisk disk, String text) throws IOException {
        try (ArchiveWriter writer = Written.open(disk)) {
            writer.act(Leaf.Kind.EXPIRED, text);
            writer.commit();
            writer.act(Leaf.Kind.CLOCK, "source: \n");
            writer.commit();
        }
    }

    private static List<Finding.Kind> kinds(MemoryDisk disk) throws IOException {
        return Written.verify(disk).findings().stream().map(Finding::kind).toList();
    }

    @Test
    void aFileIsMissingUnlessAnActCoversAllOfIt() throws IOException {
        for (String range : new String[] {
            "first: 1\nlast: 65535\n",
            "first: 0\nlast: 65534\n",
            "last: 65535\n",
            "first: 65536\nlast: 131071\n",
            "first: 196608\nlast: 262143\n",
            "first: 0\n"
        }) {
            MemoryDisk disk = new MemoryDisk(archive);
            act(disk, range);
            disk.delete("payload/000.zst");
            assertThat(Written.verify(disk).findings())
                    .as(range)
                    .anySatisfy(each -> assertThat(each)
                            .isEqualTo(new Finding(Finding.Kind.REMOVED, 0, FILE - 1, "payload/000.zst is missing")));
            assertThat(Written.verify(disk).expired()).isZero();
        }
    }

    @Test
    void aFileThatIsStillThereIsNamedAlsoIfAnotherOfTheSameActIsGone() throws IOException {
        MemoryDisk disk = new MemoryDisk(archive);
        act(disk, "first: 0\nlast: 131071\n");
        disk.delete("payload/000.zst");
        assertThat(Written.verify(disk).findings()).singleElement().satisfies(each -> {
            assertThat(each.kind()).isEqualTo(Finding.Kind.KEPT);
            assertThat(each.first()).isEqualTo(FILE);
            assertThat(each.sentence()).contains("payload/001.zst is still there: delete it");
        });
    }

    @Test
    void anActWhoseFileGoesNextIsNoFaultAndTheNextStartDeletesIt() throws IOException {
        MemoryDisk disk = new MemoryDisk(archive);
        try (ArchiveWriter writer = Written.open(disk)) {
            writer.act(Leaf.Kind.EXPIRED, "first: 0\nlast: 65535\n");
            writer.commit();
        }
        assertThat(kinds(disk)).containsExactly(Finding.Kind.BEHIND);
        Written.open(disk).close();
        assertThat(files(disk)).hasSize(3);
        assertIntact(disk, 1);
    }

    /** {@return what is found if this happens when the first payload file is to be looked at} */
    private static List<Finding> findingsBeside(MemoryDisk disk, WatchedDisk.Watcher happening) throws IOException {
        boolean[] hasHappened = {false};
        return Written.verify(WatchedDisk.of(disk, (call, name) -> {
                    if (call.equals("length") && name.equals("payload/000.zst") && !hasHappened[0]) {
                        hasHappened[0] = true;
                        happening.before(call, name);
                    }
                }))
                .findings();
    }

    private static void expire(MemoryDisk disk, SigningKey key) throws IOException {
        Retention retention = new Retention(null, 1, Written.CLOCKS, "orders", event -> {});
        try (ArchiveWriter writer = Written.open(disk, key, Written.NO_FENCE)) {
            append(writer, 3 * FILE + 300, 3 * FILE + 700, 0);
            retention.begin(disk, writer.head());
            retention.look(writer);
            append(writer, 3 * FILE + 700, 3 * FILE + 900, 0);
        }
    }

    @Test
    void aFileThatGoesWhileItsArchiveIsVerifiedIsNoFault() throws IOException {
        MemoryDisk disk = new MemoryDisk(archive);
        List<Finding> findings = findingsBeside(disk, (call, name) -> expire(disk, Written.key(1)));
        assertThat(findings).isNotEmpty().noneMatch(Finding::isFault);
        assertThat(files(disk)).containsExactly("payload/003.zst");
        assertIntact(disk, 3);
    }

    /** It has another history, no key that counts, or an act that its tree lacks. */
    @Test
    void aLaterHeadExcusesAMissingFileOnlyIfItProvesAnActAndGoesOnFromTheOneThatIsVerified() throws IOException {
        MemoryDisk other = new MemoryDisk();
        try (ArchiveWriter writer = Written.open(other)) {
            append(writer, 1, 3 * FILE + 300, 1);
        }
        expire(other, Written.key(1));
        assertRemovedBeside(disk -> copy(other, disk));
        assertRemovedBeside(disk -> {
            expire(disk, Written.key(1));
            Checkpoint head = ArchiveReader.head(disk);
            Checkpoint forged = Checkpoint.sign(head.origin(), head.size(), head.root(), List.of(Written.key(2)));
            disk.put(Tiles.CHECKPOINT, forged.toString().getBytes(UTF_8));
        });
        assertRemovedBeside(disk -> {
            try (ArchiveWriter writer = Written.open(disk)) {
                append(writer, 3 * FILE + 300, 3 * FILE + 400, 0);
            }
            byte[] act = Leaf.ofArchive(Leaf.Kind.EXPIRED, 0, "first: 0\nlast: 196607\n")
                    .raw();
            String name = Tiles.entries(3 * FILE / Tiles.WIDTH + 1, 400 - Tiles.WIDTH);
            byte[] leaves = disk.read(name);
            byte[] forged = Arrays.copyOf(leaves, leaves.length - 114 + 2 + act.length);
            forged[leaves.length - 114] = 0;
            forged[leaves.length - 113] = (byte) act.length;
            System.arraycopy(act, 0, forged, leaves.length - 112, act.length);
            disk.put(name, forged);
            disk.delete("payload/000.zst");
        });
    }

    @Test
    void aLaterHeadThatCannotBeReadHidesNothing() throws IOException {
        assertRemovedBeside(disk -> {
            expire(disk, Written.key(1));
            disk.put(Tiles.CHECKPOINT, "no head".getBytes(UTF_8));
        });
    }

    private interface Harm {
        void on(MemoryDisk disk) throws IOException;
    }

    private static void assertRemovedBeside(Harm harm) throws IOException {
        MemoryDisk disk = new MemoryDisk(archive);
        assertThat(findingsBeside(disk, (call, name) -> harm.on(disk)))
                .anySatisfy(each -> assertThat(each)
                        .isEqualTo(new Finding(Finding.Kind.REMOVED, 0, FILE - 1, "payload/000.zst is missing")));
    }

    private static void copy(MemoryDisk from, MemoryDisk to) throws IOException {
        for (String name : List.copyOf(to.names())) {
            to.delete(name);
        }
        for (String name : from.names()) {
            to.put(name, from.read(name));
        }
    }

    @Test
    void twoActsOfOneRangeAreOne() throws IOException {
        MemoryDisk disk = kept(null, 1);
        act(disk, "first: 0\nlast: 131071\n");
        assertIntact(disk, 3);
    }

    @Test
    void aPayloadThatWasErasedMayExpireAndThenNoneIsErased() throws IOException {
        MemoryDisk disk = new MemoryDisk(archive);
        try (ArchiveWriter writer = Written.open(disk)) {
            Erasure.erase(disk, writer, "file 12 of the court", List.of(5L));
        }
        Retention retention = retention(null, 1);
        try (ArchiveWriter writer = Written.open(disk)) {
            retention.begin(disk, writer.head());
            retention.look(writer);
        }
        // Both acts are the last leaves.
        Written.open(disk).close();
        assertIntact(disk, 3);
        try (ArchiveWriter writer = Written.open(disk)) {
            assertThatThrownBy(() -> Erasure.erase(disk, writer, "again", List.of(5L)))
                    .hasMessageContaining("payload/000.zst is not there; if verify finds nothing, its time was over");
        }
    }

    @Test
    void anInterruptedVerificationGoesOnOverFilesThatAreGone(@TempDir Path folder) throws IOException {
        MemoryDisk disk = kept(null, 1);
        Path state = folder.resolve("state");
        Verification verification =
                Verification.of(disk).key(Written.key(1).verifier()).threads(1).state(state);
        assertThatThrownBy(() -> verification
                        .progress(leaves -> {
                            if (leaves >= 2 * FILE) {
                                throw new IllegalStateException("interrupted");
                            }
                        })
                        .run())
                .hasMessage("interrupted");
        assertThat(state).exists();
        Verification.Report report = verification.progress(leaves -> {}).run();
        assertThat(report.findings()).isEmpty();
        assertThat(report.expired()).isEqualTo(3 * FILE);
    }

    @Test
    void theCommandAndTheConfigurationRefuseWhatDeletesTooMuch() {
        ArchiverConfig.Builder config =
                ArchiverConfig.builder().folder("f").archive("a").key("k");
        assertThatThrownBy(() -> config.keepFor(Duration.ofHours(23)).build())
                .hasMessageContaining("keepFor is PT23H; set it to at least one day.");
        assertThatThrownBy(() -> config.keepFor(null).keepBytes(-1).build()).hasMessageContaining("keepBytes is -1");
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrintStream print = new PrintStream(out, true, UTF_8);
        assertThat(Main.run(print, print, "archive", "f", "a", "--key", "k", "--keep-for-days", "0"))
                .isEqualTo(Main.USAGE);
        assertThat(Main.run(print, print, "archive", "f", "a", "--key", "k", "--keep-for-days", "7 d"))
                .isEqualTo(Main.USAGE);
        assertThat(out.toString(UTF_8)).contains("at least one day", "--keep-for-days 7 d is no number");
    }
}
