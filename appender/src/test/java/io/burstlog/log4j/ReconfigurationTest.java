// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.burstlog.BurstException;
import io.burstlog.doors.OpenRing;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.appender.AppenderLoggingException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReconfigurationTest {

    @TempDir
    Path temporary;

    private OrdersDirectory directory;

    @BeforeEach
    void chooseDirectory() {
        directory = new OrdersDirectory(temporary);
    }

    @Test
    void a_reconfiguration_under_load_loses_and_doubles_nothing() throws Exception {
        final LoadOfEvents load = new LoadOfEvents(3);
        final String[] configurations = {
            RunningLog4j.xml(directory.burst()),
            RunningLog4j.xml(directory.burst("ack=\"enqueued\"")),
            RunningLog4j.xml(directory.burst("onFull=\"block\"", "<PatternLayout pattern=\"other layout: %m%n\"/>")),
            RunningLog4j.xml(directory.burst("ackLevel=\"warn\" blockTimeout=\"10 min\""))
        };
        final int[] count = {0};
        try (RunningLog4j log4j = RunningLog4j.with(configurations[0])) {
            final OpenRing ring = log4j.orders().ring();
            load.logUnder(
                    () -> log4j.reconfigure(configurations[++count[0] % configurations.length]), 20, log4j.logger());
            assertThat(log4j.orders().ring()).isSameAs(ring);
            // On a slow disk the ring may truly be full for a second.
            assertThat(log4j.status(Level.WARN)).allMatch(line -> line.contains(" has been full for "));
        }
        load.assertExactlyOnceInOrder(directory.lines());
    }

    @Test
    void a_changed_layout_is_in_force_at_once() {
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst()))) {
            log4j.logger().info("order 1");
            log4j.reconfigure(RunningLog4j.xml(directory.burst("", "<PatternLayout pattern=\"[%m]%n\"/>")));
            log4j.logger().info("order 2");
        }
        assertThat(directory.lines()).containsExactly("INFO order 1", "[order 2]");
    }

    @Test
    void a_changed_file_name_is_another_file_of_the_same_ring_at_once() {
        final Path otherFile = temporary.resolve("other.log");
        final String changed = directory.burst().replace(directory.file().toString(), otherFile.toString());
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst()))) {
            final OpenRing ring = log4j.orders().ring();
            log4j.logger().info("order 1");
            log4j.reconfigure(RunningLog4j.xml(changed));
            assertThat(directory.lines()).containsExactly("INFO order 1");
            log4j.logger().info("order 2");
            assertThat(log4j.orders().ring()).isSameAs(ring);
            assertThat(log4j.status(Level.WARN)).isEmpty();
            log4j.reconfigure(RunningLog4j.xml(directory.burst()));
            log4j.logger().info("order 3");
        }
        assertThat(directory.lines()).containsExactly("INFO order 1", "INFO order 3");
        assertThat(otherFile).hasContent("INFO order 2" + System.lineSeparator());
    }

    @Test
    void what_is_fixed_while_a_log_file_is_open_is_told() {
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst()))) {
            log4j.reconfigure(RunningLog4j.xml(directory.burst("filePermissions=\"rw-------\"")));
            assertThat(log4j.status(Level.ERROR))
                    .singleElement()
                    .asString()
                    .contains("filePermissions stays at its default instead of \"rw-------\"", "restart");
        }
    }

    @Test
    void a_changed_ring_of_the_same_file_is_refused_until_restart_and_events_go_on_to_the_old_ring() {
        final Path otherRing = temporary.resolve("other.ring");
        final String changed = directory.burst().replace(directory.ring().toString(), otherRing.toString());
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst()))) {
            log4j.reconfigure(RunningLog4j.xml(changed));
            log4j.logger().info("order 1");
            assertThat(log4j.status(Level.ERROR))
                    .singleElement()
                    .asString()
                    .contains("ring", otherRing.toString(), "restart");
        }
        assertThat(directory.lines()).containsExactly("INFO order 1");
        assertThat(otherRing).doesNotExist();
    }

    @Test
    void changed_ring_attributes_are_refused_until_restart_in_one_sentence_that_names_them() {
        final String changed = directory
                .burst("drainInterval=\"50 ms\" durability=\"process\" drainCpu=\"0\""
                        + " commitCpu=\"0\" realtimePriority=\"3\" hugePages=\"off\" commitSpin=\"true\""
                        + " batchDelay=\"1 ms\" batchSize=\"8 KB\" window=\"/\" windowPermissions=\"rw-rw-rw-\""
                        + " drain=\"external\"")
                .replace("4 MB", "8 MB");
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst()))) {
            log4j.reconfigure(RunningLog4j.xml(changed));
            log4j.logger().info("order 1");
            assertThat(log4j.status(Level.ERROR))
                    .singleElement()
                    .asString()
                    .contains("drainInterval", "durability", "ringSize")
                    .contains(
                            "drainInterval stays at its default instead of \"50 ms\"",
                            "ringSize stays \"4 MB\" instead of \"8 MB\"")
                    .contains("drainCpu", "commitCpu", "realtimePriority stays \"0\" instead of \"3\"")
                    .contains(
                            "hugePages stays \"auto\" instead of \"off\"",
                            "commitSpin stays \"false\" instead of \"true\"")
                    .contains("batchDelay stays at its default instead of \"1 ms\"")
                    .contains("batchSize stays at its default instead of \"8 KB\"")
                    .contains("window stays unset instead of \"/\"", "windowPermissions")
                    .contains("drain stays \"inner\" instead of \"external\"");
        }
        assertThat(directory.lines()).containsExactly("INFO order 1");
    }

    @Test
    void a_ring_that_a_reconfiguration_no_longer_names_is_drained_and_let_go() throws Exception {
        final OrdersDirectory other = new OrdersDirectory(Files.createDirectory(temporary.resolve("other")));
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst()))) {
            log4j.logger().info("order 1");
            log4j.reconfigure(RunningLog4j.xml(other.burst()));
            assertThat(directory.lines()).containsExactly("INFO order 1");
            log4j.logger().info("order 2");
            log4j.reconfigure(RunningLog4j.xml(directory.burst()));
            log4j.logger().info("order 3");
        }
        assertThat(directory.lines()).containsExactly("INFO order 1", "INFO order 3");
        assertThat(other.lines()).containsExactly("INFO order 2");
    }

    @Test
    void a_changed_on_full_is_in_force_at_once() {
        final String block = RunningLog4j.xml(directory.burst("ack=\"enqueued\""));
        final String fail = RunningLog4j.xml(directory.burst("ack=\"enqueued\" onFull=\"fail\""));
        final String timeout = RunningLog4j.xml(directory.burst("ack=\"enqueued\" blockTimeout=\"10 ms\""));
        try (RunningLog4j log4j = RunningLog4j.with(block)) {
            try (FileSizeLimit limit = FullRing.withoutDrain()) {
                log4j.reconfigure(fail);
                assertThatThrownBy(() -> FullRing.logMoreThanFits(log4j.logger()))
                        .isInstanceOf(AppenderLoggingException.class)
                        .hasMessageContaining("full")
                        .cause()
                        .isInstanceOfSatisfying(
                                BurstException.class,
                                e -> assertThat(e.code()).isEqualTo(BurstException.Code.RING_FULL));
                log4j.reconfigure(timeout);
                assertThatThrownBy(() -> FullRing.logMoreThanFits(log4j.logger()))
                        .isInstanceOf(AppenderLoggingException.class)
                        .hasMessageContaining("blockTimeout");
            }
            log4j.reconfigure(block);
            FullRing.logMoreThanFits(log4j.logger());
        }
    }

    @Test
    void an_event_is_durable_on_return_also_under_a_rule_for_the_full_ring_that_came_later() {
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst()))) {
            log4j.reconfigure(RunningLog4j.xml(directory.burst("onFull=\"fail\"")));
            for (int i = 0; i < 100; i++) {
                log4j.logger().info("order {}", i);
                assertThat(log4j.allIsDurable()).isTrue();
            }
        }
        assertThat(directory.lines()).hasSize(100);
    }
}
