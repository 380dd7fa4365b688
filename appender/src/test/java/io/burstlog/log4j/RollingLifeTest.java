// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static io.burstlog.log4j.OrdersDirectory.orders;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.burstlog.log4j.rolling.FileRolling;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.appender.AppenderLoggingException;
import org.apache.logging.log4j.core.impl.Log4jLogEvent;
import org.apache.logging.log4j.message.SimpleMessage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Start, stop and change of a {@code <Burst>} that rolls. */
class RollingLifeTest {

    private static final String KEEPS_ALL = "<DefaultRolloverStrategy fileIndex=\"nomax\"/>";
    private static final String BY_SIZE = "<SizeBasedTriggeringPolicy size=\"200\"/>" + KEEPS_ALL;

    @TempDir
    Path temporary;

    private OrdersDirectory directory;

    @BeforeEach
    void chooseDirectory() throws Exception {
        directory = new OrdersDirectory(temporary.toRealPath());
    }

    private static RunningLog4j with(final String elements) {
        return RunningLog4j.with(RunningLog4j.xml(elements));
    }

    /** The lines of all files whose names begin so, in the order of their indexes; then those of the log file. */
    private List<String> lines(final String... prefixes) {
        final List<String> lines = new ArrayList<>();
        for (final String prefix : prefixes) {
            files(prefix).forEach(file -> lines.addAll(linesOf(file)));
        }
        lines.addAll(directory.lines());
        return lines;
    }

    private static List<String> linesOf(final Path file) {
        try {
            return Files.readAllLines(file);
        } catch (final IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private List<Path> files(final String prefix) {
        try (Stream<Path> all = Files.list(directory.path())) {
            return all.filter(file -> file.getFileName().toString().startsWith(prefix))
                    .sorted((a, b) -> index(a) - index(b))
                    .toList();
        } catch (final IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static int index(final Path file) {
        return Integer.parseInt(file.getFileName().toString().replaceAll("\\D", ""));
    }

    @Test
    void a_file_is_created_with_the_first_event_if_that_is_wanted() {
        try (RunningLog4j log4j = with(directory.rolled("old-%i.log", "createOnDemand=\"true\"", BY_SIZE))) {
            assertThat(directory.file()).doesNotExist();
            log4j.logOrders(0, 1);
            log4j.awaitDrained();
            assertThat(directory.lines()).isEqualTo(orders(0, 1));
            assertThat(log4j.status(Level.WARN)).isEmpty();
        }
        try (RunningLog4j log4j = with(directory.rolled("old-%i.log", "createOnDemand=\"true\"", BY_SIZE))) {
            assertThat(log4j.orders().getManager()).isNull();
        }
    }

    @Test
    void an_event_after_stop_creates_no_file() {
        final BurstAppender appender;
        final LogEvent event =
                Log4jLogEvent.newBuilder().setMessage(new SimpleMessage("late")).build();
        try (RunningLog4j log4j = with(directory.rolled("old-%i.log", "createOnDemand=\"true\"", BY_SIZE))) {
            appender = log4j.orders();
        }
        assertThatExceptionOfType(AppenderLoggingException.class).isThrownBy(() -> appender.append(event));
        assertThat(directory.file()).doesNotExist();
        assertThat(directory.ring()).doesNotExist();
    }

    @Test
    void another_configuration_has_its_own_policy_and_names() {
        try (RunningLog4j log4j = with(directory.rolled("old-%i.log", "", BY_SIZE))) {
            log4j.logOrders(0, 100);
            log4j.awaitDrained();
            log4j.reconfigure(RunningLog4j.xml(directory.rolled("new-%i.log", "", BY_SIZE.replace("200", "100"))));
            log4j.logOrders(100, 200);
            assertThat(log4j.status(Level.WARN)).isEmpty();
        }
        assertThat(files("old-")).hasSizeGreaterThan(3);
        assertThat(files("new-")).hasSizeGreaterThan(7);
        assertThat(lines("old-", "new-")).isEqualTo(orders(0, 200));
    }

    @Test
    void that_a_file_is_rolled_at_all_is_fixed_while_it_is_open() {
        try (RunningLog4j log4j = with(directory.rolled("old-%i.log", "", BY_SIZE))) {
            log4j.logOrders(0, 50);
            log4j.reconfigure(RunningLog4j.xml(directory.burst("", OrdersDirectory.MESSAGE)));
            log4j.logOrders(50, 100);
            assertThat(log4j.status(Level.ERROR))
                    .singleElement()
                    .asString()
                    .contains("filePattern stays", "old-%i.log", "restart");
        }
        assertThat(lines("old-")).isEqualTo(orders(0, 100));
    }

    @Test
    void a_refused_change_leaves_policy_and_names_as_they_were() {
        try (RunningLog4j log4j = with(directory.rolled("old-%i.log", "", BY_SIZE))) {
            log4j.logOrders(0, 50);
            log4j.reconfigure(RunningLog4j.xml(directory.rolled("new-%i.log", "bogus=\"1\"", BY_SIZE)));
            log4j.logOrders(50, 200);
        }
        assertThat(files("new-")).isEmpty();
        assertThat(files("old-")).hasSizeGreaterThan(7);
        assertThat(lines("old-")).isEqualTo(orders(0, 200));
    }

    @Test
    void two_appenders_may_share_a_file() {
        final String one = directory.rolled("old-%i.log", "", BY_SIZE);
        final String other = one.replace("\"Orders\"", "\"Others\"");
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(
                one + other,
                "<Root level=\"all\"><AppenderRef ref=\"Orders\"/></Root>"
                        + "<Logger name=\"other\" additivity=\"false\"><AppenderRef ref=\"Others\"/></Logger>"))) {
            for (int i = 0; i < 200; i++) {
                log4j.logger(i % 2 == 0 ? "other" : "com.example.Trading").info("order {}", i);
            }
            assertThat(log4j.status(Level.WARN)).isEmpty();
        }
        assertThat(files("old-")).hasSizeGreaterThan(7);
        assertThat(lines("old-")).isEqualTo(orders(0, 200));
    }

    @Test
    void a_roll_that_waits_at_stop_is_done_before_it_ends() {
        for (int start = 0; start < 5; start++) {
            try (RunningLog4j log4j = with(directory.rolled("old-%i.log", "drainInterval=\"1 s\"", BY_SIZE))) {
                log4j.logOrders(10 * start, 10 * start + 10);
                log4j.orders().getManager().rollover();
            }
            assertThat(files("old-")).hasSize(start + 1);
            assertThat(directory.lines()).isEmpty();
        }
        assertThat(lines("old-")).isEqualTo(orders(0, 50));
    }

    @Test
    void a_forced_roll_of_an_empty_file_leaves_no_file_behind() {
        try (RunningLog4j log4j = with(directory.rolled("old-%i.log", "", BY_SIZE))) {
            log4j.orders().getManager().rollover();
            log4j.orders().getManager().rollover();
            log4j.logOrders(0, 1);
            assertThat(log4j.status(Level.WARN)).isEmpty();
        }
        assertThat(files("old-")).isEmpty();
        assertThat(directory.lines()).isEqualTo(orders(0, 1));
    }

    @Test
    void the_file_of_an_earlier_run_is_rolled_at_start_if_that_is_wanted() {
        final String atStart = "<OnStartupTriggeringPolicy/>" + KEEPS_ALL;
        final long born;
        try (RunningLog4j log4j = with(directory.rolled("old-%i.log", "", BY_SIZE))) {
            log4j.logOrders(0, 3);
            born = log4j.orders().getManager().getFileTime();
        }
        try (RunningLog4j log4j = with(directory.rolled("old-%i.log", "", BY_SIZE))) {
            assertThat(log4j.orders().getManager().getFileTime()).isPositive().isEqualTo(born);
            assertThat(log4j.orders().getManager().getFileSize()).isEqualTo(24);
            // It began after the start of this process.
            log4j.reconfigure(RunningLog4j.xml(directory.rolled("old-%i.log", "", atStart)));
            log4j.logOrders(3, 5);
        }
        assertThat(files("old-")).isEmpty();
        assertThat(directory.lines()).isEqualTo(orders(0, 5));
    }

    @Test
    void names_on_another_file_system_are_told_and_the_file_goes_on() throws Exception {
        final Path memory = Path.of("/dev/shm");
        assumeThat(Files.isWritable(memory)).isTrue();
        assumeThat(Files.getFileStore(memory)).isNotEqualTo(Files.getFileStore(directory.path()));
        final Path target = Files.createTempDirectory(memory, "burstlog");
        try (RunningLog4j log4j = with(directory.rolled(target + "/old-%i.log", "", BY_SIZE))) {
            log4j.logOrders(0, 100);
            log4j.awaitDrained();
            Patience.await()
                    .untilAsserted(() -> assertThat(log4j.status(Level.WARN)).hasSize(1));
        } finally {
            Files.delete(target);
        }
        assertThat(directory.lines()).isEqualTo(orders(0, 100));
    }

    @Test
    void without_a_ring_it_is_in_the_folder_of_all_files() {
        assertThat(FileRolling.folderOf("/var/log/%d{yyyy}/app.log")).isEqualTo("/var/log");
    }
}
