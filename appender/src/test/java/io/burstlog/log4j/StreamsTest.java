// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.burstlog.BurstStats;
import io.burstlog.doors.OpenRing;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.appender.AppenderLoggingException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Several elements that share a ring, each with its own log file. */
class StreamsTest {

    private static final String LOGGERS = "<Root level=\"all\"><AppenderRef ref=\"Orders\"/></Root>"
            + "<Logger name=\"audit\" additivity=\"false\"><AppenderRef ref=\"Audit\"/></Logger>";

    @TempDir
    Path temporary;

    private OrdersDirectory directory;
    private Path audit;

    @BeforeEach
    void chooseDirectory() throws Exception {
        directory = new OrdersDirectory(temporary.toRealPath());
        audit = directory.path().resolve("audit.log");
    }

    /** An element that says only where the ring is. */
    private String audit(final String attributes, final String content) {
        return "<Burst name=\"Audit\" ring=\"" + directory.ring() + "\" fileName=\"" + audit + "\" " + attributes + ">"
                + content + "</Burst>";
    }

    private String audit(final String attributes) {
        return audit(attributes, OrdersDirectory.LEVEL_AND_MESSAGE);
    }

    private RunningLog4j with(final String orders, final String audit) {
        return RunningLog4j.with(RunningLog4j.xml(orders + audit, LOGGERS));
    }

    private List<String> auditLines() throws Exception {
        return Files.readAllLines(audit);
    }

    @Test
    void each_has_a_layout_a_rule_and_permissions_of_its_own() throws Exception {
        final String element = audit(
                "ack=\"enqueued\" onFull=\"discard\" filePermissions=\"rw-r-----\"",
                "<PatternLayout pattern=\"audit %m%n\" header=\"begin%n\" footer=\"end%n\"/>");
        for (int start = 1; start <= 2; start++) {
            try (RunningLog4j log4j = with(directory.burst(), element)) {
                log4j.logger().info("order {}", start);
                assertThat(log4j.allIsDurable()).isTrue();
                log4j.logger("audit").info("record {}", start);
                assertThat(log4j.status(Level.WARN)).isEmpty();
            }
        }
        assertThat(directory.lines()).containsExactly("INFO order 1", "INFO order 2");
        assertThat(auditLines()).containsExactly("begin", "audit record 1", "end", "audit record 2", "end");
        assertThat(Files.getPosixFilePermissions(audit)).isEqualTo(PosixFilePermissions.fromString("rw-r-----"));
        assertThat(Files.getPosixFilePermissions(directory.file()))
                .isNotEqualTo(PosixFilePermissions.fromString("rw-r-----"));
    }

    @Test
    void records_that_a_file_has_not_taken_when_its_last_appender_stops_are_told_and_get_there_later()
            throws Exception {
        FullRing.makeLong(audit);
        try (FileSizeLimit limit = FullRing.withoutDrain()) {
            final RunningLog4j log4j = with(directory.burst("shutdownTimeout=\"1 s\""), audit(""));
            log4j.logger("audit").info("record 1");
            log4j.<BurstAppender>appender("Audit").stop();
            assertThat(log4j.status(Level.WARN))
                    .anyMatch(line -> line.contains("" + audit)
                            && line.contains("were not yet in the log file")
                            && line.contains("shutdownTimeout, 1 s"));
            limit.close();
            log4j.close();
        }
        try (RunningLog4j log4j = with(directory.burst(), audit(""))) {
            log4j.awaitDrained();
        }
        assertThat(auditLines()).last().isEqualTo("INFO record 1");
    }

    /** Log4j may start any of them first. */
    @Test
    void what_is_said_of_the_ring_may_stand_in_any_of_them() {
        final String twice = audit("maxRecordSize=\"64 KB\"");
        for (final String other : List.of("Audit", "A", "Z", "Someone")) {
            final OrdersDirectory fresh = new OrdersDirectory(directory.path().resolve(other));
            final String elements = fresh.burst()
                    + twice.replace("\"Audit\"", "\"" + other + "\"")
                            .replace("" + directory.path() + "/", "" + fresh.path() + "/");
            try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(elements))) {
                final var stats = log4j.orders().ring().log().stats();
                assertThat(stats.maxRecordBytes()).isEqualTo(64 << 10);
                assertThat(stats.capacityBytes()).isLessThan(4 << 20);
                assertThat(log4j.status(Level.WARN)).isEmpty();
            }
        }
    }

    /** Whichever of them Log4j starts first. */
    @Test
    void where_they_contradict_each_other_the_second_is_refused_with_both_places_named() throws Exception {
        try (RunningLog4j log4j = with(directory.burst("drainInterval=\"50 ms\""), audit("drainInterval=\"60 ms\""))) {
            assertThat(log4j.status(Level.ERROR))
                    .singleElement()
                    .asString()
                    .contains(" is not started: the ring " + directory.ring() + " is open already, as Burst '")
                    .contains("'Orders' of the context 'test' says", "'Audit' of the context 'test' says")
                    .contains("drainInterval is \"", "50 ms", "60 ms");
            final boolean isOrders = log4j.orders().stream() == null;
            assertThatThrownBy(() -> log4j.logger(isOrders ? "orders" : "audit").info("lost"))
                    .isInstanceOf(AppenderLoggingException.class)
                    .hasMessageContaining("say the same in both places");
            log4j.logger(isOrders ? "audit" : "orders").info("order 1");
        }
        assertThat(Files.exists(audit)).isNotEqualTo(Files.exists(directory.file()));
    }

    /** An element that says less takes what is open. */
    @Test
    void who_says_nothing_of_it_is_not_refused_by_what_a_third_one_says() throws Exception {
        final String third = audit("").replace("\"Audit\"", "\"Third\"").replace("audit.log", "third.log");
        try (RunningLog4j log4j =
                with(directory.burst("drainInterval=\"50 ms\""), audit("drainInterval=\"60 ms\"") + third)) {
            assertThat(log4j.status(Level.ERROR)).singleElement().asString().doesNotContain("'Third'");
            assertThat(log4j.<BurstAppender>appender("Third").stream()).isNotNull();
        }
    }

    /** Each of them may find ring and log file missing, being opened, open, or being closed by another. */
    @Test
    void applications_that_start_and_stop_at_once_share_ring_and_files() throws Exception {
        final int applications = 6;
        final int starts = 10;
        final List<Callable<List<String>>> work = new ArrayList<>();
        for (int i = 0; i < applications; i++) {
            final String own =
                    i % 2 == 0 ? directory.burst() : directory.burst().replace("" + directory.file(), "" + audit);
            work.add(() -> startAndStop(own, starts));
        }
        final ExecutorService threads = Executors.newFixedThreadPool(applications);
        try {
            for (final Future<List<String>> complaints : threads.invokeAll(work)) {
                assertThat(complaints.get()).isEmpty();
            }
        } finally {
            threads.shutdown();
        }
        assertThat(directory.lines()).hasSize(applications / 2 * starts);
        assertThat(auditLines()).hasSize(applications / 2 * starts);
    }

    private static List<String> startAndStop(final String element, final int times) {
        final List<String> complaints = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(element))) {
                log4j.logger().info("order {}", i);
            } catch (final AppenderLoggingException refused) {
                complaints.add(refused.getMessage());
            }
        }
        return complaints;
    }

    @Test
    void an_element_that_comes_and_goes_leaves_the_ring_open() throws Exception {
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst()))) {
            final OpenRing ring = log4j.orders().ring();
            for (int time = 1; time <= 3; time++) {
                log4j.reconfigure(RunningLog4j.xml(directory.burst() + audit("ack=\"enqueued\""), LOGGERS));
                log4j.logger("audit").info("record {}", time);
                log4j.reconfigure(RunningLog4j.xml(directory.burst()));
                assertThat(auditLines()).hasSize(time);
                // The file is not held any more.
                Files.move(audit, audit.resolveSibling("moved"));
                Files.move(audit.resolveSibling("moved"), audit);
                log4j.logger().info("order {}", time);
            }
            assertThat(log4j.orders().ring()).isSameAs(ring);
            assertThat(log4j.status(Level.WARN)).isEmpty();
        }
        assertThat(directory.lines()).containsExactly("INFO order 1", "INFO order 2", "INFO order 3");
        assertThat(auditLines()).containsExactly("INFO record 1", "INFO record 2", "INFO record 3");
    }

    @Test
    void after_stop_an_event_is_refused_although_the_ring_is_open() {
        try (RunningLog4j log4j = with(directory.burst(), audit(""))) {
            final BurstAppender stopped = log4j.appender("Audit");
            stopped.stop();
            assertThatThrownBy(() -> log4j.logger("audit").info("late")).isInstanceOf(AppenderLoggingException.class);
            log4j.logger().info("order 1");
        }
        assertThat(directory.lines()).containsExactly("INFO order 1");
        assertThat(audit).isEmptyFile();
    }

    @Test
    void one_whose_file_cannot_be_opened_is_refused_and_the_others_start() throws Exception {
        Files.createDirectory(audit);
        try (RunningLog4j log4j = with(directory.burst(), audit(""))) {
            assertThat(log4j.status(Level.ERROR)).singleElement().asString().contains("'Audit'", "" + audit);
            assertThatThrownBy(() -> log4j.logger("audit").info("lost")).isInstanceOf(AppenderLoggingException.class);
            log4j.logger().info("order 1");
        }
        assertThat(directory.lines()).containsExactly("INFO order 1");
    }

    @Test
    void a_ring_that_cannot_be_opened_refuses_all_of_them() {
        final String elements = directory.burst().replace("" + directory.ring(), "/dev/null")
                + audit("").replace("" + directory.ring(), "/dev/null");
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(elements, LOGGERS))) {
            assertThat(log4j.status(Level.ERROR)).hasSize(2).allMatch(line -> line.contains("/dev/null"));
        }
        assertThat(audit).doesNotExist();
    }

    @Test
    void one_that_is_stalled_fills_the_ring_and_each_then_goes_by_its_own_rule() throws Exception {
        FullRing.makeLong(directory.file());
        final String element = audit("ack=\"enqueued\" onFull=\"discard\"");
        try (RunningLog4j log4j = with(directory.burst(), element)) {
            final var records = log4j.<BurstAppender>appender("Audit").stream().records();
            try (FileSizeLimit limit = FullRing.withoutDrain()) {
                log4j.logger().info("order 1");
                log4j.logger("audit").info("beside it");
                assertThat(records.awaitDrained(Patience.TIME)).isTrue();
                assertThat(auditLines()).containsExactly("INFO beside it");
                final var stalled = log4j.orders().stream().records();
                Patience.await().until(() -> stalled.stats().state() == BurstStats.State.STALLED);
                assertThat(log4j.status(Level.ERROR)).anyMatch(line -> line.contains(directory.file() + " cannot be"));
                FullRing.fill(stalled);
                Patience.await().until(() -> stalled.stats().heldBytes() > 1 << 20);
                assertThat(records.stats().state()).isEqualTo(BurstStats.State.OPEN);
                while (records.stats().discarded() == 0) {
                    log4j.logger("audit").info("too much");
                }
            }
            log4j.awaitDrained();
        }
        assertThat(auditLines())
                .filteredOn(line -> line.contains("discarded"))
                .singleElement()
                .asString()
                .startsWith("WARN 1 event was discarded, because the ring " + directory.ring());
        assertThat(directory.lines()).noneMatch(line -> line.contains("discarded"));
    }

    @Test
    void a_reconfiguration_under_load_loses_and_doubles_nothing_in_any_file() throws Exception {
        final String second = audit("").replace("\"Audit\"", "\"Second\"");
        final String both = "<Root level=\"all\"><AppenderRef ref=\"Orders\"/><AppenderRef ref=\"Second\"/></Root>";
        final LoadOfEvents load = new LoadOfEvents(3);
        final String[] configurations = {
            RunningLog4j.xml(directory.burst() + second, both),
            RunningLog4j.xml(directory.burst("ack=\"enqueued\"") + second, both),
            RunningLog4j.xml(directory.burst() + second.replace("fileName", "onFull=\"block\" fileName"), both),
        };
        final int[] count = {0};
        try (RunningLog4j log4j = RunningLog4j.with(configurations[0])) {
            load.logUnder(
                    () -> log4j.reconfigure(configurations[++count[0] % configurations.length]), 20, log4j.logger());
        }
        load.assertExactlyOnceInOrder(directory.lines());
        load.assertExactlyOnceInOrder(auditLines());
    }
}
