// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code <BookKeeper>} in {@code <Burst>} of an application that is killed, and of one that ends. */
@Timeout(300)
class BookKeeperElementIT {

    /** The first runs are killed, the others end. */
    private static final int KILLED = 2;

    private static final int RUNS = 4;
    private static final int RECORDS = 300;
    private static final Pattern RING = Pattern.compile("uuid: ([0-9a-f]{32})");

    /** Its copy is recovered while it logs. */
    private static final int REPLACED = RUNS + 1;

    private static final Path WORK = Bookies.WORK.resolve("element");

    private static Bookies bookies;

    @BeforeAll
    static void startBookies() throws Exception {
        bookies = Bookies.shared();
    }

    private static Path said(int run) {
        return WORK.resolve("host-" + run + ".out");
    }

    private static List<String> said(int run, String word) {
        return Copies.said(said(run), word);
    }

    private static Path configuration(Path host, boolean hasHook) throws Exception {
        return Files.writeString(
                WORK.resolve("log4j2.xml"), """
                <Configuration status="warn" shutdownHook="%3$s"><Appenders>
                  <Burst name="Orders" ring="%1$s/orders.ring" ringSize="8 MB" fileName="%1$s/orders.log"
                      durability="process" ack="copied" blockTimeout="1 min" ignoreExceptions="false">
                    <PatternLayout pattern="%%c{1} %%m%%n"/>
                    <BookKeeper atLeast="disk of 2">
                      <Property name="metadataServiceUri">%2$s</Property>
                    </BookKeeper>
                  </Burst>
                </Appenders><Loggers><Root level="info"><AppenderRef ref="Orders"/></Root></Loggers></Configuration>
                """.formatted(host, bookies.uri(), hasHook ? "enable" : "disable"));
    }

    private static Process start(Path host, int run, boolean hasHook) throws Exception {
        return Bookies.java(
                said(run),
                "-Dlog4j2.configurationFile=" + configuration(host, hasHook),
                CopiedLoggers.class.getName(),
                "run" + run,
                Integer.toString(run > KILLED && run <= RUNS ? RECORDS : Integer.MAX_VALUE),
                Boolean.toString(hasHook));
    }

    private static void awaitReturned(Process process, int run) throws Exception {
        while (said(run, "returned ").size() < RECORDS) {
            assertThat(process.isAlive()).as("%s", said(run)).isTrue();
            Thread.sleep(5);
        }
    }

    private static void awaitEnd(Process process, int run) throws Exception {
        boolean hasEnded = process.waitFor(60, TimeUnit.SECONDS);
        Bookies.kill(process);
        assertThat(hasEnded).as("%s", said(run)).isTrue();
    }

    @Test
    void each_event_whose_call_returned_is_in_the_log_file_once_and_in_the_copy_once() throws Exception {
        Path host = Files.createDirectories(WORK.resolve("host"));
        for (int run = 1; run <= RUNS; run++) {
            Process process = start(host, run, run != RUNS);
            if (run > KILLED) {
                awaitEnd(process, run);
            } else {
                awaitReturned(process, run);
                Bookies.kill(process);
            }
            assertThat(said(run, "failed ")).isEmpty();
        }
        Path file = host.resolve("orders.log");
        List<String> logged = Files.readAllLines(file);
        for (int run = 1; run <= RUNS; run++) {
            List<String> returned = said(run, "returned ");
            for (String each : List.of("-0 ", "-1 ", "-2 ", "-3 ", "-end ")) {
                String thread = "run" + run + each;
                String prefix = "Trading " + thread;
                List<String> own =
                        logged.stream().filter(line -> line.startsWith(prefix)).toList();
                assertThat(own)
                        .containsExactlyElementsOf(IntStream.rangeClosed(1, own.size())
                                .mapToObj(number -> prefix + number)
                                .toList())
                        .hasSizeGreaterThanOrEqualTo((int) returned.stream()
                                .filter(line -> line.startsWith(thread))
                                .count());
            }
        }
        assertThat(logged)
                .contains("Trading run" + RUNS + "-end 1")
                .as("the client logs, too")
                .anyMatch(line -> !line.startsWith("Trading "));
        String ring = ring(host);
        command("compare", ring, "--with", file);
        byte[] all = Files.readAllBytes(file);
        Bookies.deleteTree(host);
        Path to = WORK.resolve("recovered");
        command("recover", ring, "--to", to);
        assertThat(to.resolve("orders.log")).hasBinaryContent(all);
    }

    @Test
    void a_replaced_host_ends_and_has_returned_no_event_that_the_copy_lacks() throws Exception {
        Path host = Files.createDirectories(WORK.resolve("replaced"));
        Process process = start(host, REPLACED, true);
        awaitReturned(process, REPLACED);
        Path to = WORK.resolve("recovered-elsewhere");
        command("recover", ring(host), "--to", to);
        awaitEnd(process, REPLACED);
        assertThat(said(REPLACED, "failed ")).isNotEmpty();
        List<String> lost = new ArrayList<>(said(REPLACED, "returned "));
        lost.removeAll(Files.readAllLines(to.resolve("orders.log")).stream()
                .map(line -> line.substring(line.indexOf(' ') + 1))
                .collect(Collectors.toSet()));
        assertThat(lost).isEmpty();
    }

    private static void command(String command, String ring, String option, Path value) {
        String property = "metadataServiceUri=" + bookies.uri();
        int code = Main.run(System.out, System.err, command, ring, option, value.toString(), "--property", property);
        assertThat(code).isZero();
    }

    private static String ring(Path host) throws Exception {
        Process info = new ProcessBuilder(
                        System.getProperty("burstlog.cli"),
                        "info",
                        host.resolve("orders.ring").toString())
                .start();
        String text = new String(info.getInputStream().readAllBytes());
        Matcher found = RING.matcher(text);
        assertThat(found.find()).as(text).isTrue();
        return found.group(1);
    }
}
