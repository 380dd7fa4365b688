// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.appender.AppenderLoggingException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An unusable change of the configuration of a running application. */
class RefusedChangeTest {

    private static final String OTHER_LAYOUT = "<PatternLayout pattern=\"other %m%n\"/>";

    @TempDir
    Path temporary;

    private OrdersDirectory directory;

    @BeforeEach
    void chooseDirectory() {
        directory = new OrdersDirectory(temporary);
    }

    /** Without counts of another test's appender, which reports them only now. */
    private List<String> complaints(final RunningLog4j log4j) {
        return log4j.status(Level.ERROR).stream()
                .filter(line -> line.contains("Burst") && (line.contains("" + temporary) || line.contains("invalid")))
                .toList();
    }

    /**
     * Logs before, under and after the changed configuration: each event must be logged, the first two in the old way.
     */
    private void assertRefused(final String changed, final String complaint) {
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst()))) {
            log4j.logger().info("order 1");
            log4j.reconfigure(changed);
            log4j.logger().info("order 2");
            assertThat(complaints(log4j))
                    .singleElement()
                    .asString()
                    .contains(
                            "Burst '", "refused", "as before", directory.file().toString(), complaint);
            log4j.reconfigure(RunningLog4j.xml(directory.burst("", OTHER_LAYOUT)));
            log4j.logger().info("order 3");
            assertThat(complaints(log4j)).hasSize(1);
        }
        assertThat(directory.lines()).containsExactly("INFO order 1", "INFO order 2", "other order 3");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "bogus=\"1\"",
                "ack=\"dureable\"",
                "ignoreExceptions=\"true\" onFull=\"wait\"",
                "drainInterval=\"0\"",
                "maxRecordSize=\"big\"",
                "filePattern=\"%i.log\"",
                "append=\"false\"",
            })
    void a_wrong_attribute_leaves_the_appender_as_it_was(final String attribute) {
        final String complaint = attribute.replaceFirst(".* ", "").replaceFirst("=.*", "");
        assertRefused(RunningLog4j.xml(directory.burst(attribute, OTHER_LAYOUT)), complaint);
    }

    @Test
    void a_missing_file_name_leaves_the_appender_as_it_was() {
        final String xml = directory.burst("", OTHER_LAYOUT).replaceFirst("fileName=\"[^\"]*\"", "");
        assertRefused(RunningLog4j.xml(xml), "fileName is missing");
    }

    @ParameterizedTest
    @ValueSource(strings = {"<AppenderRef ref=\"Other\"/>", "<OnStartupTriggeringPolicy/>", "<RegexFilter/>"})
    void an_element_that_cannot_be_used_leaves_the_appender_as_it_was(final String element) {
        final String complaint =
                element.contains("Policy") ? "filePattern is missing" : element.replaceAll("[</]|[ /].*", "");
        assertRefused(RunningLog4j.xml(directory.burst("", OTHER_LAYOUT + element)), complaint);
    }

    @Test
    void another_ring_and_file_that_cannot_be_opened_leave_the_appender_as_it_was() {
        final String elsewhere = directory
                .burst("", OTHER_LAYOUT)
                .replace("" + directory.ring(), "/dev/null")
                .replace("" + directory.file(), "" + temporary.resolve("other.log"));
        assertRefused(RunningLog4j.xml(elsewhere), "/dev/null");
    }

    private String onDemand(final String content) {
        final String bySize = "<SizeBasedTriggeringPolicy size=\"1 GB\"/>";
        return directory.burst(
                "createOnDemand=\"true\" filePattern=\"" + temporary.resolve("old-%i.log") + "\"", content + bySize);
    }

    @Test
    void one_that_opens_its_file_on_demand_is_refused_before_the_appender_stops() {
        final String elsewhere = onDemand(OTHER_LAYOUT)
                .replace("" + directory.ring(), "/dev/null")
                .replace("" + directory.file(), "" + temporary.resolve("other.log"));
        assertRefused(RunningLog4j.xml(elsewhere), "/dev/null");
    }

    @Test
    void an_appender_without_an_event_yet_still_opens_its_file_with_the_first_one() {
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(onDemand(OrdersDirectory.LEVEL_AND_MESSAGE)))) {
            for (int change = 1; change <= 2; change++) {
                log4j.reconfigure(RunningLog4j.xml(directory.burst("bogus=\"" + change + "\"", OTHER_LAYOUT)));
                assertThat(complaints(log4j))
                        .hasSize(change)
                        .allMatch(line -> line.contains("as before, to " + directory.file() + ": the attribute"));
            }
            assertThat(directory.file()).doesNotExist();
            log4j.logger().info("order 1");
            assertThat(log4j.orders().getManager()).isNotNull();
            assertThat(complaints(log4j)).hasSize(2);
        }
        assertThat(directory.lines()).containsExactly("INFO order 1");
    }

    @Test
    void an_appender_that_is_renamed_at_the_same_time_is_known_by_its_file() {
        final String renamed = RunningLog4j.xml(
                directory
                        .burst("bogus=\"1\"")
                        .replace("\"Orders\"", "\"Renamed\"")
                        .replace("orders.ring", "other"),
                "<Root level=\"all\"><AppenderRef ref=\"Renamed\"/></Root>");
        assertRefused(renamed, "bogus");
    }

    /** The other ring gets other events. */
    @Test
    void a_new_element_with_a_mistake_does_not_go_on_as_one_that_shares_its_ring() {
        final String audit = directory
                .burst("bogus=\"1\"")
                .replace("\"Orders\"", "\"Audit\"")
                .replace("orders.log", "audit.log");
        final String loggers = "<Root level=\"all\"><AppenderRef ref=\"Orders\"/></Root>"
                + "<Logger name=\"audit\" additivity=\"false\"><AppenderRef ref=\"Audit\"/></Logger>";
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst()))) {
            log4j.reconfigure(RunningLog4j.xml(directory.burst() + audit, loggers));
            log4j.logger().info("order 1");
            assertThatThrownBy(() -> log4j.logger("audit").info("audit 1"))
                    .isInstanceOf(AppenderLoggingException.class)
                    .hasMessageContaining("bogus");
        }
        assertThat(directory.lines()).containsExactly("INFO order 1");
    }

    @Test
    void an_appender_is_known_by_its_file_before_its_name() throws Exception {
        final OrdersDirectory other = new OrdersDirectory(Files.createDirectory(temporary.resolve("other")));
        final String loggers = "<Root level=\"all\"><AppenderRef ref=\"Orders\"/></Root>";
        final String others = other.burst().replace("\"Orders\"", "\"Others\"");
        final String swapped = other.burst("bogus=\"1\"") + directory.burst().replace("\"Orders\"", "\"Others\"");
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst() + others, loggers))) {
            log4j.reconfigure(RunningLog4j.xml(swapped, loggers));
            log4j.logger().info("order 1");
        }
        assertThat(directory.lines()).isEmpty();
        assertThat(other.lines()).containsExactly("INFO order 1");
    }

    @Test
    void one_refused_change_after_the_other_leaves_the_appender_as_it_was_and_its_filter_in_force() {
        final String content = OrdersDirectory.LEVEL_AND_MESSAGE + "<ThresholdFilter level=\"warn\"/>";
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst("onFull=\"fail\"", content)))) {
            for (int change = 1; change <= 3; change++) {
                log4j.reconfigure(RunningLog4j.xml(directory.burst("bogus=\"" + change + "\"", OTHER_LAYOUT)));
                log4j.logger().info("not seen");
                log4j.logger().warn("order {}", change);
                assertThat(complaints(log4j)).hasSize(change);
                assertThat(log4j.orders().getFilter().isStarted()).isTrue();
            }
        }
        assertThat(directory.lines()).containsExactly("WARN order 1", "WARN order 2", "WARN order 3");
    }

    @Test
    void whether_exceptions_are_ignored_stays_as_it_was() {
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst("maxRecordSize=\"100\"")))) {
            log4j.reconfigure(RunningLog4j.xml(directory.burst("bogus=\"1\" ignoreExceptions=\"true\"")));
            assertThatThrownBy(() -> log4j.logger().info("x".repeat(1_000)))
                    .isInstanceOf(AppenderLoggingException.class);
        }
    }

    @Test
    void a_change_is_refused_without_loss_under_load() throws Exception {
        final LoadOfEvents load = new LoadOfEvents(3);
        final String[] configurations = {
            RunningLog4j.xml(directory.burst()), RunningLog4j.xml(directory.burst("bogus=\"1\"", OTHER_LAYOUT))
        };
        final int[] count = {0};
        try (RunningLog4j log4j = RunningLog4j.with(configurations[0])) {
            load.logUnder(
                    () -> log4j.reconfigure(configurations[++count[0] % configurations.length]), 20, log4j.logger());
        }
        load.assertExactlyOnceInOrder(directory.lines());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void what_no_configuration_before_had_is_refused_as_at_a_first_start(final boolean waitsForAnEvent) {
        final String without = RunningLog4j.xml("", "<Root level=\"off\"/>");
        final String first = waitsForAnEvent ? onDemand(OrdersDirectory.LEVEL_AND_MESSAGE) : directory.burst();
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(first))) {
            log4j.reconfigure(without);
            log4j.reconfigure(RunningLog4j.xml(directory.burst("bogus=\"1\"")));
            assertThatThrownBy(() -> log4j.logger().info("order 1"))
                    .isInstanceOf(AppenderLoggingException.class)
                    .hasMessageContaining("bogus");
        }
        assertThat(directory.file().toFile().length()).isZero();
    }
}
