// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.burstlog.BurstEvent;
import io.burstlog.BurstLog;
import io.burstlog.BurstStream;
import io.burstlog.RecordBuffer;
import io.burstlog.Roll;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An archiver beside a log, and the auditor's commands. */
class ArchiverTest {

    private static final Duration LONG_ENOUGH = Duration.ofSeconds(60);

    @TempDir
    private Path directory;

    private final List<String> events = new CopyOnWriteArrayList<>();
    private final RecordBuffer record = RecordBuffer.allocate(64, 64);
    private BurstLog log;
    private BurstStream stream;
    private VerifierKey key;
    private long appended;

    @BeforeEach
    void openLog() throws IOException {
        reopen();
        key = SigningKey.make("example.com/orders", keyFile()).verifier();
        Archiver.create(archive(), keyFile(), null);
    }

    @AfterEach
    void closeLog() {
        log.close();
    }

    private String segments() {
        return OrdersLog.segments(directory);
    }

    private Path keyFile() {
        return directory.resolve("orders.key");
    }

    private Path archive() {
        return directory.resolve("archive");
    }

    private void append(int count) {
        for (int i = 0; i < count; i++) {
            byte[] text = ("record " + ++appended + "\n").getBytes(UTF_8);
            stream.append(record.clear().put(ByteBuffer.wrap(text)), appended);
        }
        assertThat(log.awaitDrained(LONG_ENOUGH)).isTrue();
    }

    private Archiver start() {
        return start(Written.CLOCKS);
    }

    private Archiver start(Clocks clocks) {
        return start(clocks, this::hear);
    }

    private Archiver start(Clocks clocks, Consumer<BurstEvent> listener) {
        return Archiver.start(ArchiverConfig.builder()
                .folder(segments())
                // Relative, as somebody may write it.
                .archive(Path.of("").toAbsolutePath().relativize(archive()).toString())
                .key(keyFile().toString())
                .interval(Duration.ofMillis(20))
                .clocks(clocks)
                .listener(listener)
                .build());
    }

    private void hear(BurstEvent event) {
        events.add(event.severity() + " " + event.text());
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + LONG_ENOUGH.toNanos();
        while (!condition.getAsBoolean() && System.nanoTime() < end) {
            Thread.sleep(10);
        }
        assertThat(condition.getAsBoolean()).isTrue();
    }

    private void archiveAll() {
        try (Archiver archiver = start()) {
            archiver.close(LONG_ENOUGH);
        }
    }

    private Verification.Report verify() throws IOException {
        return Verification.of(archive()).key(key).run();
    }

    private static String run(int code, Object... arguments) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        String[] words = List.of(arguments).stream().map(Object::toString).toArray(String[]::new);
        try (PrintStream print = new PrintStream(out, true, UTF_8)) {
            assertThat(Main.run(print, print, words)).as(out.toString(UTF_8)).isEqualTo(code);
        }
        return out.toString(UTF_8);
    }

    @Test
    void eachRecordIsArchivedOnceOverRestarts() throws Exception {
        append(500);
        try (Archiver archiver = start()) {
            await(() -> archiver.head() != null && archiver.head().size() == 501);
            append(300);
            await(() -> archiver.head().size() == 801);
            archiver.close(LONG_ENOUGH);
        }
        append(200);
        archiveAll();
        Verification.Report report = verify();
        assertThat(report.findings()).isEmpty();
        assertThat(report.records()).isEqualTo(1000);
        ArchiveReader reader = ArchiveReader.open(archive());
        for (long number = 1; number <= 1000; number++) {
            assertThat(new String(reader.payload(number), UTF_8)).isEqualTo("record " + number + "\n");
            assertThat(reader.find(reader.leaf(number).sequence())).isEqualTo(number);
        }
    }

    @Test
    void aSecondArchiverIsRefusedAndTheFirstGoesOn() throws Exception {
        try (Archiver archiver = start()) {
            await(() -> archiver.head() != null);
            try (Archiver second = start()) {
                assertThat(second.awaitEnd(LONG_ENOUGH)).isTrue();
                assertThat(second.failure()).contains("has an archiver");
            }
            append(10);
            await(() -> archiver.head().size() == 11);
        }
    }

    @Test
    void anArchiverWhoseOwnerFileWasReplacedSignsNothing() throws Exception {
        try (Archiver archiver = start()) {
            await(() -> archiver.head() != null);
            Files.writeString(archive().resolve("owner"), "epoch 99 process 1\n");
            append(10);
            assertThat(archiver.awaitEnd(LONG_ENOUGH)).isTrue();
            assertThat(archiver.failure()).contains("another archiver has begun");
        }
        assertThat(ArchiveReader.open(archive()).size()).isEqualTo(1);
    }

    @Test
    void withoutItsKeyNothingIsArchivedAndNothingIsLost() throws Exception {
        Path elsewhere = directory.resolve("elsewhere");
        Files.move(keyFile(), elsewhere);
        append(100);
        try (Archiver archiver = start()) {
            await(() -> events.stream().anyMatch(each -> each.contains("cannot be read")));
            assertThat(archiver.head()).isNull();
            Files.move(elsewhere, keyFile());
            await(() -> archiver.head() != null && archiver.head().size() == 101);
            await(() -> events.stream().anyMatch(each -> each.endsWith("gets records again")));
        }
        assertThat(verify().records()).isEqualTo(100);
    }

    /** As a mount point without its file system is. */
    @Test
    void anEmptyFolderBecomesNoArchive() throws Exception {
        Path elsewhere = Files.move(archive(), directory.resolve("elsewhere"));
        Files.createDirectory(archive());
        append(10);
        try (Archiver archiver = start()) {
            await(() -> events.stream().anyMatch(each -> each.contains("there is no archive in")));
            assertThat(archive()).isEmptyDirectory();
            Files.delete(archive());
            Files.move(elsewhere, archive());
            await(() -> archiver.head() != null && archiver.head().size() == 11);
        }
    }

    @Test
    void theNewestHeadIsKeptOutsideOfTheArchive() {
        assertThatThrownBy(() -> ArchiverConfig.builder()
                        .folder(segments())
                        .archive(archive().toString())
                        .key(archive().resolve("../archive/orders.key").toString())
                        .build())
                .hasMessageContaining("set it to a file elsewhere");
    }

    @Test
    void anArchiverGoesOnFromNoOlderState() throws Exception {
        Path older = directory.resolve("older");
        copy(archive(), older);
        append(10);
        archiveAll();
        Files.move(archive(), directory.resolve("newer"));
        Files.move(older, archive());
        append(10);
        try (Archiver archiver = start()) {
            assertThat(archiver.awaitEnd(LONG_ENOUGH)).isTrue();
            assertThat(archiver.failure()).contains("is older than its key", "orders.key.head");
        }
        assertThat(ArchiveReader.open(archive()).size()).isEqualTo(1);
    }

    /** Its new records have numbers that the archive has: who took those behind them would leave them out. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aFolderThatWasTurnedBackGivesNothingUntilItsLastNumberComesAgain(boolean asARoll) throws Exception {
        append(10);
        log.close();
        Path older = directory.resolve("older");
        copy(directory, older);
        reopen();
        append(10);
        archiveAll();
        log.close();
        for (String each : List.of("orders.ring", "orders.log", "orders.segments")) {
            Files.move(directory.resolve(each), directory.resolve("newer-" + each));
            copy(older.resolve(each), directory.resolve(each));
        }
        reopen();
        append(9);
        try (Archiver archiver = start()) {
            await(() ->
                    events.stream().anyMatch(each -> each.contains("number 20, the last one that it has, is not in")));
            if (asARoll) {
                stream.roll(Roll.to(directory.resolve("orders-1.log").toString()), 1_000_000);
            }
            append(10);
            assertThat(archiver.awaitEnd(LONG_ENOUGH)).isTrue();
            assertThat(archiver.failure()).contains("number 20 of", "is another record than the archive has");
        }
        assertThat(verify().records()).isEqualTo(20);
    }

    private void reopen() {
        OrdersLog orders = OrdersLog.open(directory, 4 << 20);
        log = orders.log();
        stream = orders.stream();
    }

    private static void copy(Path from, Path to) throws IOException {
        try (var paths = Files.walk(from)) {
            for (Path each : paths.toList()) {
                Files.copy(each, to.resolve(from.relativize(each)));
            }
        }
    }

    @Test
    void anAnchorGetsTheNewestHeadAndItsAnswerIsKept() throws Exception {
        append(10);
        boolean[] isAway = {true};
        Anchor anchor = new Anchor() {
            @Override
            public String name() {
                return "notary";
            }

            @Override
            public byte[] confirm(Checkpoint head, ArchiveReader archive) throws IOException {
                if (isAway[0]) {
                    isAway[0] = false;
                    throw new IOException("the notary is away");
                }
                return ("seen: " + head).getBytes(UTF_8);
            }
        };
        ArchiverConfig config = ArchiverConfig.builder()
                .folder(segments())
                .archive(archive().toString())
                .key(keyFile().toString())
                .anchor(anchor)
                .sealedEvery(1)
                .clocks(Written.CLOCKS)
                .listener(this::hear)
                .build();
        try (Archiver archiver = Archiver.start(config)) {
            await(() -> Files.exists(archive().resolve("anchors/notary/12")));
            assertThat(archiver.failure()).isNull();
        }
        assertThat(events.stream().filter(each -> each.contains("the notary is away")))
                .hasSize(1);
        assertThat(events.stream().filter(each -> each.endsWith(" again") && each.contains("notary confirms heads")))
                .hasSize(1);
        assertThat(Files.readString(archive().resolve("anchors/notary/12")))
                .isEqualTo("seen: " + ArchiveReader.open(archive()).head());
        Verification.Report report = verify();
        assertThat(report.findings()).isEmpty();
        assertThat(report.anchors()).singleElement().satisfies(notary -> {
            assertThat(notary.size()).isEqualTo(12);
            assertThat(notary.behind()).isZero();
        });
        assertThat(run(0, "verify", archive(), "--key", key)).contains("not checked: give what --help says");
    }

    @Test
    void anArchiverWithoutMemoryForAMomentGoesOn() throws Exception {
        append(10);
        AtomicInteger asked = new AtomicInteger();
        Clocks clocks = new Clocks(
                () -> {
                    if (asked.incrementAndGet() == 3) {
                        throw new OutOfMemoryError("for a moment");
                    }
                    return Clocks.now();
                },
                System::nanoTime,
                () -> null);
        try (Archiver archiver = start(clocks)) {
            await(() -> archiver.head() != null && archiver.head().size() == 11);
            assertThat(archiver.failure()).isNull();
        }
        assertThat(events.stream().filter(each -> each.contains("for a moment")))
                .hasSize(1);
        assertThat(verify().findings()).isEmpty();
    }

    @Test
    void anArchiverWithoutMemoryToTellWhyItWaitsTellsItLaterAndGoesOn() throws Exception {
        Path elsewhere = Files.move(keyFile(), directory.resolve("elsewhere"));
        append(10);
        AtomicInteger told = new AtomicInteger();
        Consumer<BurstEvent> listener = event -> {
            if (told.incrementAndGet() == 1) {
                throw new OutOfMemoryError("no room for a sentence");
            }
            hear(event);
        };
        try (Archiver archiver = start(Written.CLOCKS, listener)) {
            await(() -> events.stream().anyMatch(each -> each.contains("cannot be read")));
            Files.move(elsewhere, keyFile());
            await(() -> archiver.head() != null && archiver.head().size() == 11);
            assertThat(archiver.failure()).isNull();
        }
        assertThat(verify().records()).isEqualTo(10);
    }

    @Test
    void anAuditorHasAllHeNeedsInTheCommands() throws Exception {
        append(600);
        archiveAll();
        Path head = directory.resolve("kept");
        Files.copy(archive().resolve("checkpoint"), head);
        append(300);
        archiveAll();
        assertThat(run(0, "verify", archive(), "--key", key, "--head", head))
                .contains("900 records", "Nothing was changed");
        assertThat(run(0, "verify", archive(), "--key", key, "--json", "yes")).contains("\"intact\":true");

        String index = run(
                        0,
                        "find",
                        archive(),
                        ArchiveReader.open(archive()).leaf(345).sequence())
                .strip();
        assertThat(index).isEqualTo("345");
        Path payload = directory.resolve("payload");
        Path proof = directory.resolve("proof");
        Files.writeString(proof, run(0, "prove", archive(), index, "--payload", payload));
        assertThat(Files.readString(payload)).isEqualTo("record 345\n");
        assertThat(run(0, "check-proof", proof, "--key", key, "--payload", payload))
                .contains("The proof holds.");
        Files.writeString(payload, "record 346\n");
        run(Main.FOUND, "check-proof", proof, "--key", key, "--payload", payload);

        Path consistency = directory.resolve("consistency");
        Files.writeString(consistency, run(0, "consistency", archive(), 601));
        run(0, "check-consistency", consistency, "--key", key, "--head", head);
        run(Main.USAGE, "verify", archive());
        run(Main.REFUSED, "create", archive(), "--key", keyFile());
        Path other = directory.resolve("other");
        run(0, "key", "example.com/others", directory.resolve("other.key"));
        assertThat(run(0, "create", other, "--key", directory.resolve("other.key")))
                .startsWith("example.com/others\n1\n");
        run(Main.FAILED, "rotate", directory, "--key", keyFile(), "--next", keyFile());
        run(Main.USAGE, "verify", directory, "--key", "none");
        run(Main.FOUND, "verify", directory, "--key", key);
    }

    @Test
    void aRotatedKeyIsFollowedFromTheFirstOne() throws Exception {
        append(100);
        archiveAll();
        Path kept = Files.copy(archive().resolve("checkpoint"), directory.resolve("kept"));
        Path next = directory.resolve("next.key");
        String published = run(0, "key", "example.com/orders", next).strip();
        run(0, "rotate", archive(), "--key", keyFile(), "--next", next);
        append(10);
        try (Archiver old = start()) {
            assertThat(old.awaitEnd(LONG_ENOUGH)).isTrue();
            assertThat(old.failure()).contains("name the file of that key");
        }
        Files.move(next, keyFile(), StandardCopyOption.REPLACE_EXISTING);
        archiveAll();
        Path proof = directory.resolve("consistency");
        Files.writeString(proof, run(0, "consistency", archive(), 101));
        run(0, "check-consistency", proof, "--key", key, "--key", published, "--head", kept);
        run(Main.FOUND, "check-consistency", proof, "--key", published, "--key", key, "--head", kept);
        run(Main.FOUND, "check-consistency", proof, "--key", published, "--head", kept);
        run(Main.FOUND, "check-consistency", proof, "--key", key, "--head", kept);
        for (String trusted : List.of(key.toString(), published)) {
            assertThat(run(0, "verify", archive(), "--key", trusted)).contains("110 records");
        }
    }

    @Test
    void anArchiveWithAChangedByteHasExitCode1() throws Exception {
        append(400);
        archiveAll();
        Path file = archive().resolve("payload/000.zst");
        byte[] bytes = Files.readAllBytes(file);
        bytes[bytes.length / 2]++;
        Files.write(file, bytes);
        assertThat(run(Main.FOUND, "verify", archive(), "--key", key)).contains("CHANGED leaves 0 to 255");
    }
}
