// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static io.burstlog.log4j.OrdersDirectory.orders;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.burstlog.RingFullException;
import io.burstlog.log4j.rolling.RollingSettings;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.appender.AppenderLoggingException;
import org.apache.logging.log4j.core.appender.rolling.AbstractTriggeringPolicy;
import org.apache.logging.log4j.core.appender.rolling.RollingFileManager;
import org.apache.logging.log4j.core.appender.rolling.RolloverListener;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code <Burst>} with the elements and attributes of {@code <RollingFile>}. */
class RollingTest {

    private static final String BY_SIZE = "<SizeBasedTriggeringPolicy size=\"200\"/>";
    private static final String KEEPS_ALL = "<DefaultRolloverStrategy fileIndex=\"nomax\"/>";

    @TempDir
    Path temporary;

    private OrdersDirectory directory;

    @BeforeEach
    void chooseDirectory() throws Exception {
        directory = new OrdersDirectory(temporary.toRealPath());
    }

    private RunningLog4j with(final String pattern, final String attributes, final String content) {
        return RunningLog4j.with(RunningLog4j.xml(directory.rolled(pattern, attributes, content)));
    }

    /** The files whose names match the regular expression, by name, short names first. */
    private List<Path> files(final String regex) {
        try (Stream<Path> all = Files.walk(directory.path())) {
            return all.filter(file -> file.getFileName().toString().matches(regex))
                    .sorted((a, b) -> a.toString().length() != b.toString().length()
                            ? a.toString().length() - b.toString().length()
                            : a.compareTo(b))
                    .toList();
        } catch (final IOException failure) {
            throw new AssertionError(failure);
        }
    }

    private static List<String> linesOf(final List<Path> files) throws IOException {
        final List<String> lines = new ArrayList<>();
        for (final Path file : files) {
            if (file.toString().endsWith(".gz")) {
                try (BufferedReader reader = new BufferedReader(new InputStreamReader(
                        new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8))) {
                    reader.lines().forEach(lines::add);
                }
            } else {
                lines.addAll(Files.readAllLines(file));
            }
        }
        return lines;
    }

    private List<String> allLines(final String archives) throws IOException {
        final List<String> lines = linesOf(files(archives));
        lines.addAll(directory.lines());
        return lines;
    }

    @Test
    void files_end_by_size_and_every_event_is_in_one_of_them() throws Exception {
        try (RunningLog4j log4j = with("orders-%i.log", "", BY_SIZE + KEEPS_ALL)) {
            log4j.logOrders(0, 300);
            assertThat(log4j.status(Level.WARN)).isEmpty();
        }
        assertThat(files("orders-\\d+\\.log")).hasSizeGreaterThan(10);
        assertThat(allLines("orders-\\d+\\.log")).isEqualTo(orders(0, 300));
    }

    @Test
    void files_are_compressed_after_a_delay_and_at_the_latest_after_the_next_start() throws Exception {
        try (RunningLog4j log4j = with("orders-%i.log.gz", "compressDelay=\"10 min\"", BY_SIZE + KEEPS_ALL)) {
            log4j.logOrders(0, 100);
        }
        assertThat(files("orders-\\d+\\.log")).hasSizeGreaterThan(3);
        assertThat(files("orders-\\d+\\.log\\.gz")).isEmpty();
        try (RunningLog4j log4j = with("orders-%i.log.gz", "compressDelay=\"0\"", BY_SIZE + KEEPS_ALL)) {
            log4j.logOrders(100, 200);
        }
        assertThat(files("orders-\\d+\\.log")).isEmpty();
        assertThat(allLines("orders-\\d+\\.log\\.gz")).isEqualTo(orders(0, 200));
    }

    @Test
    void a_file_may_be_read_for_five_seconds_before_it_is_compressed_unless_that_is_set() {
        try (RunningLog4j log4j = with("orders-%i.log.gz", "", BY_SIZE + KEEPS_ALL)) {
            final RollingSettings settings = log4j.orders().stream().settings();
            assertThat(settings.archives().compressDelay()).isEqualTo(Duration.ofSeconds(5));
        }
    }

    @Test
    void a_policy_of_time_among_others_wants_a_date_in_the_names() {
        final String policies =
                "<Policies><SizeBasedTriggeringPolicy size=\"200\"/><TimeBasedTriggeringPolicy/></Policies>";
        try (RunningLog4j log4j = with("orders-%i.log", "", policies)) {
            assertThat(log4j.status(Level.ERROR)).singleElement().asString().contains("orders-%i.log", "has no date");
        }
    }

    @Test
    void an_event_that_is_discarded_brings_no_roll_nearer() {
        try (RunningLog4j log4j =
                with("orders-%i.log", "onFull=\"discard\"", "<SizeBasedTriggeringPolicy size=\"100 MB\"/>")) {
            try (FileSizeLimit limit = FullRing.withoutDrain()) {
                FullRing.logMoreThanFits(log4j.logger());
            }
            log4j.awaitDrained();
            assertThat(log4j.orders().stream().records().stats().discarded()).isPositive();
            assertThat(log4j.orders().getManager().getFileSize())
                    .isLessThan(FullRing.EVENTS * (long) FullRing.LARGE.length());
        }
    }

    @Test
    void a_file_that_is_rolled_at_start_belongs_to_the_run_before() throws Exception {
        try (RunningLog4j log4j = with("orders-%i.log", "", BY_SIZE + KEEPS_ALL)) {
            log4j.logOrders(0, 3);
            log4j.<BurstAppender>appender("Orders").getManager().rollover();
            log4j.logOrders(3, 5);
        }
        assertThat(linesOf(files("orders-1\\.log"))).isEqualTo(orders(0, 3));
        assertThat(directory.lines()).isEqualTo(orders(3, 5));
    }

    @Test
    void a_strategy_that_writes_directly_names_each_file() throws Exception {
        final String element = "<Burst name=\"Orders\" ring=\"" + directory.ring()
                + "\" ringSize=\"4 MB\" filePattern=\""
                + directory.path().resolve("orders-%d{yyyy}-%i.log") + "\" " + Patience.SHUTDOWN_TIMEOUT + ">"
                + OrdersDirectory.MESSAGE
                + BY_SIZE + "<DirectWriteRolloverStrategy/></Burst>";
        for (int start = 0; start < 2; start++) {
            try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(element))) {
                log4j.logOrders(50 * start, 50 * start + 50);
                assertThat(log4j.status(Level.WARN)).isEmpty();
            }
        }
        assertThat(files("orders-\\d+-\\d+\\.log")).hasSizeGreaterThan(3);
        assertThat(linesOf(files("orders-\\d+-\\d+\\.log"))).isEqualTo(orders(0, 100));
        assertThat(Files.exists(directory.file())).isFalse();
    }

    @Test
    void without_an_index_a_name_that_is_taken_gets_a_number_and_that_is_told_once() throws Exception {
        try (RunningLog4j log4j = with("orders.old", "", BY_SIZE)) {
            log4j.logOrders(0, 100);
            log4j.awaitDrained();
            assertThat(log4j.status(Level.WARN)).hasSize(2).allMatch(line -> line.contains("index"));
        }
        assertThat(files("orders\\.old.*")).hasSizeGreaterThan(3);
        assertThat(allLines("orders\\.old.*")).isEqualTo(orders(0, 100));
    }

    @Test
    void listeners_hear_each_roll() {
        final List<String> heard = new CopyOnWriteArrayList<>();
        try (RunningLog4j log4j = with("orders-%i.log", "", BY_SIZE + KEEPS_ALL)) {
            final RollingFileManager manager =
                    log4j.<BurstAppender>appender("Orders").getManager();
            manager.addRolloverListener(new RolloverListener() {
                @Override
                public void rolloverTriggered(final String fileName) {
                    heard.add("triggered " + fileName);
                }

                @Override
                public void rolloverComplete(final String fileName) {
                    heard.add("complete " + fileName + " "
                            + Files.exists(directory.path().resolve("orders-1.log")));
                }
            });
            log4j.logOrders(0, 30);
        }
        assertThat(heard).containsExactly("triggered " + directory.file(), "complete " + directory.file() + " true");
    }

    private static final class AskedForEachEvent extends AbstractTriggeringPolicy {

        @Override
        public void initialize(final RollingFileManager manager) {
            // It needs none.
        }

        @Override
        public boolean isTriggeringEvent(final LogEvent event) {
            return false;
        }
    }

    /** Space comes when the listener returns: a call that waits for it, or for such a thread, ends by its limit. */
    @Test
    void a_listener_that_logs_while_the_ring_is_full_is_refused_and_the_log_goes_on() throws Exception {
        final CompletableFuture<Throwable> refused = new CompletableFuture<>();
        try (RunningLog4j log4j = with("orders-%i.log", "blockTimeout=\"10 s\"", BY_SIZE + KEEPS_ALL)) {
            final RollingFileManager manager = log4j.orders().getManager();
            manager.setTriggeringPolicy(new AskedForEachEvent());
            manager.addRolloverListener(new RolloverListener() {
                @Override
                public void rolloverTriggered(final String fileName) {
                    // A checkpoint may free space once more, and then the calls need not wait.
                    for (int i = 0; i < 3 && !refused.isDone(); i++) {
                        FullRing.fill(log4j.orders().stream().records());
                        final Thread rolling = new Thread(manager::rollover);
                        rolling.start();
                        Patience.await()
                                .until(() -> !rolling.isAlive()
                                        || Arrays.toString(rolling.getStackTrace())
                                                .contains("burst_stream_roll"));
                        try {
                            log4j.logger().info("refused");
                        } catch (final AppenderLoggingException failure) {
                            if (rolling.isAlive()) {
                                refused.complete(failure.getCause());
                            }
                        }
                    }
                    refused.complete(null);
                }

                @Override
                public void rolloverComplete(final String fileName) {
                    // Not of interest.
                }
            });
            log4j.logOrders(0, 1);
            manager.rollover();
            assertThat(refused.get(Patience.TIME.toSeconds(), TimeUnit.SECONDS)).isInstanceOf(RingFullException.class);
            log4j.logOrders(1, 2);
            log4j.awaitDrained();
        }
        assertThat(allLines("orders-\\d+\\.log").stream().filter(line -> line.matches("\\x00*order [01]")))
                .hasSize(2);
    }

    @Test
    void a_stamp_names_the_ring_the_file_and_its_first_sequence() throws Exception {
        try (RunningLog4j log4j = with("orders-%i.log", "fileStamp=\"true\"", BY_SIZE + KEEPS_ALL)) {
            log4j.logOrders(0, 60);
        }
        final List<Path> files = new ArrayList<>(files("orders-\\d+\\.log"));
        files.add(directory.file());
        long sequence = 1;
        for (int number = 1; number <= files.size(); number++) {
            final List<String> lines = Files.readAllLines(files.get(number - 1));
            assertThat(lines.get(0))
                    .matches("# burstlog ring " + directory.ring() + " file " + number + " of Orders from sequence "
                            + sequence + " at \\d{13}");
            // A roll has a sequence. The first file's stamp has one, too; the stamps of later files are in their roll.
            sequence += lines.size() + (number == 1 ? 1 : 0);
        }
        assertThat(files).hasSizeGreaterThan(2);
    }

    @Test
    void every_file_and_its_compressed_twin_has_the_rights_that_are_wanted() throws Exception {
        assumeThat(Files.getOwner(temporary).getName())
                .as("SKIPPED: only root gives files away")
                .isEqualTo("root");
        final String rights = "filePermissions=\"rw-r-----\" fileOwner=\"daemon\" fileGroup=\"daemon\"";
        try (RunningLog4j log4j = with("orders-%i.log.gz", "compressDelay=\"0\" " + rights, BY_SIZE + KEEPS_ALL)) {
            log4j.logOrders(0, 60);
            log4j.awaitDrained();
        }
        final List<Path> files = files("orders.*\\.log(\\.gz)?");
        assertThat(files).hasSizeGreaterThan(2).anyMatch(file -> file.toString().endsWith(".gz"));
        for (final Path file : files) {
            final PosixFileAttributes found = Files.readAttributes(file, PosixFileAttributes.class);
            assertThat(PosixFilePermissions.toString(found.permissions()))
                    .as("%s", file)
                    .isEqualTo("rw-r-----");
            assertThat(found.owner().getName()).as("%s", file).isEqualTo("daemon");
            assertThat(found.group().getName()).as("%s", file).isEqualTo("daemon");
        }
    }

    @Test
    void header_and_footer_are_in_every_file() throws Exception {
        final String layout = "<PatternLayout pattern=\"%m%n\" header=\"begin%n\" footer=\"end%n\"/>";
        final String element = directory.burst(
                "filePattern=\"" + directory.path().resolve("orders-%i.log") + "\"", layout + BY_SIZE + KEEPS_ALL);
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(element))) {
            log4j.logOrders(0, 100);
        }
        final List<Path> files = new ArrayList<>(files("orders-\\d+\\.log"));
        files.add(directory.file());
        assertThat(files).hasSizeGreaterThan(3);
        for (final Path file : files) {
            assertThat(Files.readAllLines(file))
                    .startsWith("begin")
                    .endsWith("end")
                    .hasSizeGreaterThan(2);
        }
    }
}
