// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bookkeeper;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.burstlog.BurstConsumer;
import io.burstlog.BurstEvent;
import io.burstlog.bookkeeper.CopierStats.State;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;

/** Copies to a ZooKeeper and three bookies, which are up once for all tests. */
@Timeout(300)
class BookKeeperIT {

    // The temporary directory may be memory.
    private static final Path WORK = Path.of("target", "bookkeeper-it").toAbsolutePath();
    private static Bookies bookies;

    private final Queue<BurstEvent> told = new ConcurrentLinkedQueue<>();

    @BeforeAll
    static void startBookies() throws Exception {
        Bookies.deleteTree(WORK);
        bookies = new Bookies(WORK.resolve("bookies"), "journalMaxGroupWaitMSec=0\njournalFlushWhenQueueEmpty=true");
    }

    @AfterAll
    static void killBookies() throws InterruptedException {
        bookies.close();
    }

    private static WrittenStream open(TestInfo test) throws Exception {
        return new WrittenStream(place(test));
    }

    private static Path place(TestInfo test) {
        return WORK.resolve(test.getTestMethod().orElseThrow().getName());
    }

    private Copier start(WrittenStream stream) {
        return Copier.start(CopierConfig.builder()
                .folder(stream.folder().toString())
                .blockBytes(8192)
                .property("metadataServiceUri", bookies.uri())
                .property("addEntryTimeoutSec", "2")
                .listener(told::add)
                .build());
    }

    private void await(BooleanSupplier condition) throws InterruptedException {
        for (long begin = System.nanoTime(); !condition.getAsBoolean(); Thread.sleep(5)) {
            assertThat(System.nanoTime() - begin)
                    .as("%s", told)
                    .isLessThan(Duration.ofSeconds(90).toNanos());
        }
    }

    private void awaitTold(BurstEvent.Severity severity, String words) throws InterruptedException {
        await(() -> told.stream()
                .anyMatch(event -> event.severity() == severity && event.text().contains(words)));
    }

    /** The texts of all records in the ledgers. */
    private static String readBack(String folderId) throws Exception {
        StringBuilder text = new StringBuilder();
        Ledgers ledgers = new Ledgers(Map.of("metadataServiceUri", bookies.uri()), folderId, "orders", block -> {});
        ledgers.fence();
        ledgers.readBack(block -> block.entries().forEach(each -> text.append(Blocks.text(each))));
        ledgers.close();
        return text.toString();
    }

    private static String records(long last) {
        return LongStream.rangeClosed(1, last)
                .mapToObj(each -> "record " + each)
                .collect(Collectors.joining());
    }

    private static String command(int code, String... arguments) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrintStream said = new PrintStream(out, true, UTF_8);
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--property", "metadataServiceUri=" + bookies.uri()));
        int ended = Main.run(said, said, all.toArray(String[]::new));
        assertThat(ended).as("%s", out).isEqualTo(code);
        return out.toString(UTF_8);
    }

    @Test
    void one_of_three_bookies_may_die_and_two_make_it_wait(TestInfo test) throws Exception {
        try (WrittenStream stream = open(test)) {
            stream.write(1000);
            try (Copier copier = start(stream)) {
                stream.awaitCopied(copier);
                bookies.kill(0);
                stream.write(1000);
                stream.awaitCopied(copier);
                assertThat(copier.stats().failures()).isZero();
                bookies.kill(1);
                stream.write(1000);
                awaitTold(BurstEvent.Severity.WARN, "gets no records for the moment");
                assertThat(copier.stats().copiedNumber()).isLessThan(3000);
                bookies.startAgain(0);
                bookies.startAgain(1);
                stream.awaitCopied(copier);
                awaitTold(BurstEvent.Severity.WARN, "goes on, from number");
            }
            assertThat(readBack(stream.folderId())).isEqualTo(records(3000));
        }
    }

    @Test
    void a_second_copier_fences_the_first(TestInfo test) throws Exception {
        try (WrittenStream stream = open(test)) {
            stream.write(100);
            try (Copier first = start(stream)) {
                stream.awaitCopied(first);
                Ledgers second = new Ledgers(
                        Map.of("metadataServiceUri", bookies.uri()), stream.folderId(), "orders", block -> {});
                assertThat(second.fence().last()).isEqualTo(100);
                stream.write(1);
                assertThat(first.awaitEnd(Duration.ofSeconds(60))).isTrue();
                assertThat(first.failure()).contains("another copier of this folder has begun (ledger ");
                awaitTold(BurstEvent.Severity.ERROR, "gets no more records from here");
                second.close();
            }
            assertThat(readBack(stream.folderId())).isEqualTo(records(100));
        }
    }

    @Test
    void what_was_copied_is_recovered_without_the_host_and_the_host_is_kept_out(TestInfo test) throws Exception {
        Path file = WORK.resolve("recovered.log");
        String folderId;
        try (WrittenStream stream = open(test)) {
            folderId = stream.folderId();
            stream.write(500);
            try (Copier copier = start(stream)) {
                stream.awaitCopied(copier);
            }
            stream.write(500);
            try (Copier copier = start(stream)) {
                stream.awaitCopied(copier);
                assertThat(command(0, "recover", folderId, "--to", file.toString()))
                        .contains("1000 records of folder " + folderId + ", up to number 1000");
                stream.write(10);
                assertThat(copier.awaitEnd(Duration.ofSeconds(60))).isTrue();
                assertThat(copier.stats().state()).isEqualTo(State.FAILED);
            }
            try (Copier again = start(stream)) {
                assertThat(again.awaitEnd(Duration.ofSeconds(60))).isTrue();
                assertThat(again.failure()).contains("its records were recovered on another host");
            }
        }
        assertThat(Files.readString(file)).isEqualTo(records(1000));
        String listed = command(0, "ledgers", "--folder", folderId);
        assertThat(listed.lines()).hasSize(3);
        assertThat(listed).contains("from number 501", "taken over");
        String ledger = listed.substring(0, listed.indexOf(' '));
        command(Main.FAILED, "recover", ledger, "--to", file.toString());
        Path second = WORK.resolve("recovered-again.log");
        command(0, "recover", ledger, "--to", second.toString());
        assertThat(second).hasSameBinaryContentAs(file);
    }

    private static String lastOf(Path said, String word) throws Exception {
        return Files.readString(said)
                .lines()
                .filter(line -> line.startsWith(word + " "))
                .reduce((first, second) -> second)
                .map(line -> line.substring(word.length() + 1))
                .orElse("");
    }

    /** Each kill is at another moment. */
    @Test
    void what_a_burnt_host_knew_to_be_copied_is_recovered_once_and_in_order(TestInfo test) throws Exception {
        for (int round = 1; round <= 3; round++) {
            Path host = Files.createDirectories(place(test).resolve("host-" + round));
            Path said = place(test).resolve("host-" + round + ".out");
            Process process = Bookies.java(said, CopiedHost.class.getName(), host.toString(), bookies.uri());
            long wanted = 700L * round;
            await(() -> {
                try {
                    assertThat(process.isAlive()).isTrue();
                    return Files.exists(said) && Long.parseLong("0" + lastOf(said, "copied")) > wanted;
                } catch (Exception failure) {
                    throw new AssertionError(failure);
                }
            });
            Bookies.kill(process);
            Bookies.deleteTree(host);
            Path file = place(test).resolve("recovered-" + round);
            command(0, "recover", lastOf(said, "folder"), "--to", file.toString());
            long copied = Long.parseLong(lastOf(said, "copied"));
            String found = Files.readString(file);
            long last = Long.parseLong(found.substring(found.lastIndexOf(' ') + 1));
            assertThat(last).isGreaterThanOrEqualTo(copied);
            assertThat(found).isEqualTo(records(last));
        }
    }

    private static Process startLog4j(Path work, String said, long count) throws Exception {
        Path configuration = Files.writeString(work.resolve("log4j2.xml"), """
            <Configuration status="warn"><Appenders>
              <Burst name="Orders" ring="%1$s/orders.ring" ringSize="8 MB" fileName="%1$s/orders.log" durability="process"
                  shutdownTimeout="5 min">
                <PatternLayout pattern="%%c{1} %%m%%n"/>
                <BookKeeper blockSize="16 KB"><Property name="metadataServiceUri">%2$s</Property></BookKeeper>
              </Burst>
            </Appenders><Loggers><Root level="info"><AppenderRef ref="Orders"/></Root></Loggers></Configuration>
            """.formatted(work, bookies.uri()));
        return Bookies.java(
                work.resolve("host.out"),
                "-Dlog4j2.configurationFile=" + configuration,
                Log4jHost.class.getName(),
                said,
                Long.toString(count));
    }

    /** The client logs into the log that it copies. */
    @Test
    void an_application_with_the_element_may_be_killed(TestInfo test) throws Exception {
        Path work = Files.createDirectories(place(test));
        Path log = work.resolve("orders.log");
        Path segments = work.resolve("orders.log.segments");
        Process killed = startLog4j(work, "killed", Long.MAX_VALUE);
        await(() -> log.toFile().length() > 1 << 17 && hasAcknowledged(segments));
        Bookies.kill(killed);
        Process whole = startLog4j(work, "whole", 1000);
        boolean hasEnded = whole.waitFor(90, TimeUnit.SECONDS);
        Bookies.kill(whole);
        assertThat(hasEnded).as("it ends when main returns").isTrue();
        assertThat(whole.exitValue()).isZero();
        Path file = work.resolve("recovered.log");
        command(0, "recover", folderId(segments), "--to", file.toString());
        assertThat(file).hasSameBinaryContentAs(log);
        assertThat(Files.readString(log)).contains("Trading whole 1000", "Trading killed 1\n");
    }

    private static boolean hasAcknowledged(Path segments) {
        return Files.exists(segments.resolve("consumers").resolve("to-bookkeeper"))
                && BurstConsumer.look(segments.toString()).get(0).acknowledged() > 0;
    }

    private static String folderId(Path segments) {
        try (BurstConsumer consumer = BurstConsumer.open(segments.toString(), "asks")) {
            return consumer.folderId();
        }
    }
}
