// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling.shipping;

import static org.assertj.core.api.Assertions.assertThat;

import io.burstlog.log4j.rolling.comparison.Scenario;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Log shippers that look at the folder all the time while Burst rolls send each line once. */
class ShippedLinesTest {

    private static final Path RSYSLOGD = Path.of("/usr/sbin/rsyslogd");
    private static final int EVENTS = 600;
    private static final Scenario WRITER = writer("", "");

    /** All files begin with the same 1,100 bytes, behind the stamp that the attribute adds. */
    private static final Scenario STAMPED = writer("fileStamp=\"true\"", "header=\"" + "h".repeat(1_100) + "%n\"");

    private static Scenario writer(final String attributes, final String ofLayout) {
        return new Scenario(
                "shipped",
                Map.of("format", "xml", "zone", "UTC", "start", "2024-05-06T22:15", "run", ""),
                """
                <RollingFile name="R" fileName="DIR/app.log" filePattern="DIR/app-%i.log" ATTRIBUTES>
                  <PatternLayout pattern="%d %m%n" OF_LAYOUT/>
                  <SizeBasedTriggeringPolicy size="5 KB"/>
                  <DefaultRolloverStrategy fileIndex="nomax"/>
                </RollingFile>
                """.replace("ATTRIBUTES", attributes).replace("OF_LAYOUT", ofLayout));
    }

    /** A shipper that goes by inode and a fixed name must look at each file once while the file has that name. */
    private static final String SEEN_IN_EACH_FILE = "10x90 seen 20x90 ".repeat(EVENTS / 30);

    private static final String AT_ONCE = "30x90 ".repeat(EVENTS / 30);

    @TempDir
    Path temporary;

    static List<String> rules() {
        return ShipperRulesTest.rules();
    }

    @ParameterizedTest
    @MethodSource("rules")
    void each_line_is_sent_once_while_files_roll(final String rule) throws Exception {
        final Shipper shipper = ShipperRulesTest.shipper(rule);
        final int count = shipped(shipper, rule, WRITER);
        assertThat(count).isEqualTo(rule.startsWith("1,024") ? sentBelow(shipper) : EVENTS);
    }

    @ParameterizedTest
    @MethodSource("rules")
    void a_stamp_shows_files_with_equal_headers_to_all(final String rule) throws Exception {
        assertThat(shipped(ShipperRulesTest.shipper(rule), rule, STAMPED)).isEqualTo(EVENTS);
    }

    /** Returns how many events were sent: these are the first ones, and each was sent once. */
    private int shipped(final Shipper shipper, final String rule, final Scenario writer) throws Exception {
        final Path folder = Files.createDirectories(temporary.resolve("logs"));
        final AtomicBoolean done = new AtomicBoolean();
        final CompletableFuture<Void> following = CompletableFuture.runAsync(() -> follow(shipper, folder, done));
        try {
            final String steps = rule.equals("inode") ? SEEN_IN_EACH_FILE : AT_ONCE;
            writer.run(temporary, writer.asBurst(temporary), steps, shipper::sent);
        } finally {
            done.set(true);
            following.get(1, TimeUnit.MINUTES);
        }
        final List<Integer> sent = shipper.lines().stream()
                .filter(line -> line.contains(" event "))
                .map(ShippedLinesTest::number)
                .sorted()
                .toList();
        assertThat(sent)
                .containsExactlyElementsOf(
                        IntStream.rangeClosed(1, sent.size()).boxed().toList());
        return sent.size();
    }

    /** Filebeat waits for a file's first 1,024 bytes. The last file has fewer, so all files but that one are sent. */
    private static int sentBelow(final Shipper shipper) {
        assertThat(shipper.lines()).hasSizeGreaterThan(EVENTS - 20);
        return shipper.lines().size();
    }

    private static void follow(final Shipper shipper, final Path folder, final AtomicBoolean done) {
        boolean last = false;
        while (!last) {
            last = done.get();
            try {
                shipper.poll(folder);
                LockSupport.parkNanos(100_000);
            } catch (final IOException failed) {
                throw new IllegalStateException(failed);
            }
        }
    }

    private static int number(final String line) {
        return Integer.parseInt(line.replaceAll(".* event (\\d+) .*", "$1"));
    }

    @Test
    void rsyslog_sends_each_line_once_while_files_roll() throws Exception {
        if (!Files.isExecutable(RSYSLOGD)) {
            System.out.println("SKIPPED: rsyslog does not follow files that roll: there is no " + RSYSLOGD);
            Assumptions.abort("no " + RSYSLOGD);
        }
        final Path folder = Files.createDirectories(temporary.resolve("logs"));
        final Path sent = temporary.resolve("sent");
        final Path configuration =
                Files.writeString(temporary.resolve("rsyslog.conf"), """
                global(workDirectory="DIR")
                module(load="imfile")
                template(name="line" type="string" string="%msg%\\n")
                input(type="imfile" file="DIR/logs/app.log" tag="app")
                action(type="omfile" file="DIR/sent" template="line")
                """.replace("DIR", temporary.toString()));
        final Process rsyslog = new ProcessBuilder(
                        RSYSLOGD.toString(),
                        "-n",
                        "-f",
                        configuration.toString(),
                        "-i",
                        temporary.resolve("pid").toString())
                .redirectErrorStream(true)
                .redirectOutput(temporary.resolve("rsyslog.out").toFile())
                .start();
        try {
            WRITER.run(
                    temporary,
                    WRITER.asBurst(temporary),
                    SEEN_IN_EACH_FILE,
                    () -> lines(sent).size());
            final long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
            while (lines(sent).size() < EVENTS && System.nanoTime() < end) {
                Thread.sleep(20);
            }
        } finally {
            rsyslog.destroy();
            rsyslog.waitFor(10, TimeUnit.SECONDS);
            rsyslog.destroyForcibly();
        }
        assertThat(lines(sent).stream().map(ShippedLinesTest::number).sorted())
                .as(Files.readString(temporary.resolve("rsyslog.out")))
                .containsExactlyElementsOf(
                        IntStream.rangeClosed(1, EVENTS).boxed().toList());
    }

    private static List<String> lines(final Path file) {
        try {
            return Files.exists(file) ? Files.readAllLines(file, StandardCharsets.UTF_8) : List.of();
        } catch (final IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
