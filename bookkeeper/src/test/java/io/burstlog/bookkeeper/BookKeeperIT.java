// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bookkeeper;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.burstlog.BurstConfig;
import io.burstlog.BurstEvent;
import io.burstlog.BurstException;
import io.burstlog.BurstLog;
import io.burstlog.Durability;
import io.burstlog.copy.BurstCopier.Away;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;

/** Copies to a ZooKeeper and three bookies, which are up once for all tests. */
@Timeout(300)
class BookKeeperIT {

    private static Bookies bookies;

    private final Queue<BurstEvent> told = new ConcurrentLinkedQueue<>();

    @BeforeAll
    static void startBookies() throws Exception {
        bookies = Bookies.shared();
    }

    private static Path place(TestInfo test) {
        return Bookies.WORK.resolve(test.getTestMethod().orElseThrow().getName());
    }

    private static Map<String, String> properties() {
        return Map.of("metadataServiceUri", bookies.uri(), "addEntryTimeoutSec", "2");
    }

    private CopiedLog open(TestInfo test, Away away) throws IOException {
        return new CopiedLog(place(test), properties(), away, told::add);
    }

    private void await(BooleanSupplier condition) throws InterruptedException {
        for (long begin = System.nanoTime(); !condition.getAsBoolean(); Thread.sleep(5)) {
            assertThat(System.nanoTime() - begin).as("%s", told).isLessThan(CopiedLog.LONG_ENOUGH.toNanos());
        }
    }

    private void awaitTold(BurstEvent.Severity severity, String words) throws InterruptedException {
        await(() -> told.stream()
                .anyMatch(event -> event.severity() == severity && event.text().contains(words)));
    }

    private static String lines(long first, long last) {
        return lines(LongStream.rangeClosed(first, last));
    }

    private static String lines(LongStream numbers) {
        return numbers.mapToObj(each -> "record " + each + "\n").collect(Collectors.joining());
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

    /** Takes the copy over. {@return the text of the main stream} */
    private static String recover(int code, String source, Path folder) throws IOException {
        command(code, "recover", source, "--to", folder.toString());
        return Copies.mainStream(folder);
    }

    /** As on another host, where the log file is elsewhere. {@return what the application then has in it} */
    private static String recoverIntoRing(String source, long from, Path place) throws IOException {
        String file = place.resolve("elsewhere.log").toString();
        String there = place.resolve("elsewhere.ring").toString();
        String files = CopiedLog.file(place) + "=" + file;
        command(0, "recover", source, "--into", there, "--from", Long.toString(from), "--files", files);
        BurstLog.open(BurstConfig.builder()
                        .ring(there)
                        .fileName(file)
                        .durability(Durability.PROCESS)
                        .build())
                .close();
        return Files.readString(Path.of(file));
    }

    @Test
    void one_of_three_bookies_may_die_and_two_make_it_wait(TestInfo test) throws Exception {
        String ring;
        try (CopiedLog log = open(test, Away.WAIT)) {
            ring = log.ringId();
            assertThat(log.awaitCopied(log.append(1, 500))).isTrue();
            assertThat(log.copier().stats().place()).hasToString("disk of 2 of 3 bookies");
            bookies.kill(0);
            assertThat(log.awaitCopied(log.append(501, 1000))).isTrue();
            assertThat(log.copier().stats().failures()).isZero();
            bookies.kill(1);
            long last = log.append(1001, 1500);
            await(() -> log.copier().stats().failures() > 0);
            assertThat(log.log().copiedSequence()).isLessThan(last);
            bookies.awaitAvailable(1);
            bookies.startAgain(0);
            bookies.startAgain(1);
            assertThat(log.awaitCopied(last)).isTrue();
        }
        assertThat(recover(0, ring, place(test).resolve("to"))).isEqualTo(lines(1, 1500));
    }

    /** In one block, as long as it may be by default, the backlog would be longer than an entry may be here. */
    @Test
    void no_block_of_a_backlog_is_longer_than_a_bookie_takes(TestInfo test) throws Exception {
        Map<String, String> properties = new HashMap<>(properties());
        properties.put("nettyMaxFrameSizeBytes", "16384");
        String ring;
        try (CopiedLog log = new CopiedLog(place(test), properties, Away.WAIT, told::add, 1500)) {
            ring = log.ringId();
            assertThat(log.awaitCopied(log.append(1501, 1501))).isTrue();
            assertThat(log.failure()).isNull();
        }
        assertThat(recover(0, ring, place(test).resolve("to"))).isEqualTo(lines(1, 1501));
    }

    @Test
    void a_second_copier_fences_the_first(TestInfo test) throws Exception {
        try (CopiedLog log = open(test, Away.WAIT)) {
            long last = log.append(1, 100);
            assertThat(log.awaitCopied(last)).isTrue();
            try (BookKeeperStore second = new BookKeeperStore(log.ringId(), properties())) {
                assertThat(second.fence().lastSequence()).isEqualTo(last);
                log.append(101, 101);
                await(() -> log.failure() != null && log.failure().contains(" was made by another one"));
                StringBuilder text = new StringBuilder();
                second.readBack(block -> block.records()
                        .forEach(each -> text.append(UTF_8.decode(each.payload().duplicate()))));
                assertThat(text).hasToString(lines(1, 100));
            }
        }
    }

    @Test
    void what_was_copied_is_recovered_without_the_host_and_the_host_is_kept_out(TestInfo test) throws Exception {
        Path to = place(test).resolve("to");
        String ring;
        try (CopiedLog log = open(test, Away.WAIT)) {
            ring = log.ringId();
            assertThat(log.awaitCopied(log.append(1, 500))).isTrue();
        }
        try (CopiedLog log = open(test, Away.WAIT)) {
            String there = place(test).toString();
            assertThat(command(Main.FAILED, "recover", ring, "--to", there)).contains(there + " is there already");
            assertThat(log.awaitCopied(log.append(501, 1000))).isTrue();
            log.log().awaitDrained(CopiedLog.LONG_ENOUGH);
            String file = CopiedLog.file(place(test)).toString();
            assertThat(command(0, "compare", ring, "--with", file)).contains("1000 records are in the copy and in ");
            assertThat(recover(0, ring, to)).isEqualTo(lines(1, 1000));
            log.append(1001, 1010);
            await(() -> log.failure() != null);
        }
        try (CopiedLog log = open(test, Away.WAIT)) {
            await(() -> log.failure() != null);
            assertThat(log.failure()).contains("its records were recovered elsewhere");
        }
        String listed = command(0, "ledgers", "--ring", ring);
        assertThat(listed.lines()).hasSize(3);
        assertThat(listed).contains("taken over");
        String ledger = listed.substring(0, listed.indexOf(' '));
        command(Main.FAILED, "recover", ledger, "--to", to.toString());
        assertThat(recover(0, ledger, place(test).resolve("again"))).isEqualTo(lines(1, 1000));
        assertThat(recoverIntoRing(ring, 501, place(test))).isEqualTo(lines(501, 1000));
        assertThat(command(
                        Main.FOUND,
                        "compare",
                        ring,
                        "--with",
                        CopiedLog.file(place(test)).toString()))
                .contains("are not in the copy, behind its last record");
    }

    /** Each kill is at another moment. */
    @Test
    void what_a_burnt_host_knew_to_be_copied_is_recovered_once_and_in_order(TestInfo test) throws Exception {
        for (int round = 1; round <= 3; round++) {
            Path host = place(test).resolve("host-" + round);
            Path said = Files.createDirectories(place(test)).resolve("host-" + round + ".out");
            Process process = Bookies.java(
                    said, CopiedHost.class.getName(), host.toString(), bookies.uri(), "record", "WAIT", "3");
            long wanted = 300L * round;
            await(() -> Copies.count(said, "copied ") > wanted);
            Bookies.kill(process);
            Bookies.deleteTree(host);
            String ring = Copies.said(said, "ring ").get(0);
            Path to = place(test).resolve("to-" + round);
            recover(0, ring, to);
            assertThat(Copies.wrong(to, List.of(said))).isNull();
        }
    }

    @Test
    void those_that_are_named_as_missing_are_exactly_those_that_the_copy_lacks(TestInfo test) throws Exception {
        String ring;
        long last = 300;
        try (CopiedLog log = open(test, Away.DEGRADE)) {
            ring = log.ringId();
            assertThat(log.awaitCopied(log.append(1, 100))).isTrue();
            bookies.kill(0);
            bookies.kill(1);
            log.append(101, 200);
            awaitTold(BurstEvent.Severity.ERROR, "have one copy only");
            long alone = log.append(201, 300);
            assertThatThrownBy(() -> log.awaitCopied(alone)).isInstanceOf(BurstException.class);
            log.log().awaitDrained(Duration.ofSeconds(60));
            bookies.awaitAvailable(1);
            bookies.startAgain(0);
            bookies.startAgain(1);
            awaitTold(BurstEvent.Severity.WARN, "are not in it, and not in the ring any more");
            // Bookies that begin may fail once more.
            do {
                last++;
            } while (!isCopied(log, log.append(last, last)));
        }
        // A record has the sequence of its number.
        Set<Long> missing = Copies.missing(told.stream().map(BurstEvent::text));
        assertThat(recover(Main.FOUND, ring, place(test).resolve("to")))
                .isEqualTo(lines(LongStream.rangeClosed(1, last).filter(each -> !missing.contains(each))));
    }

    private static boolean isCopied(CopiedLog log, long sequence) {
        try {
            return log.awaitCopied(sequence);
        } catch (BurstException away) {
            return false;
        }
    }

    /** Log4j ends before the client makes its last ledger. */
    @Test
    void an_application_ends_when_its_main_returns(TestInfo test) throws Exception {
        Path said = Files.createDirectories(place(test)).resolve("host.out");
        Process process =
                Bookies.java(said, EndingHost.class.getName(), place(test).toString(), bookies.uri());
        boolean hasEnded = process.waitFor(90, TimeUnit.SECONDS);
        Bookies.kill(process);
        String output = Files.readString(said);
        assertThat(hasEnded).as("%s", output).isTrue();
        assertThat(output).contains("contexts 1").doesNotContain(" gets no records");
        String ring = Copies.said(said, "ring ").get(0);
        assertThat(recover(0, ring, place(test).resolve("to"))).isEqualTo(lines(1, 200));
    }
}
