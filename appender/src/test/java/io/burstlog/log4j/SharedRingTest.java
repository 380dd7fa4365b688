// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.appender.AppenderLoggingException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SharedRingTest {

    private static final String BOTH =
            "<Root level=\"all\"><AppenderRef ref=\"Orders\"/><AppenderRef ref=\"Second\"/></Root>";

    @TempDir
    Path temporary;

    private OrdersDirectory directory;

    @BeforeEach
    void chooseDirectory() {
        directory = new OrdersDirectory(temporary);
    }

    @Test
    void two_appenders_with_one_ring_and_one_file_share_them() {
        final String second =
                directory.burst().replace("\"Orders\"", "\"Second\"").replace("%p %m", "second %m");
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst() + second, BOTH))) {
            log4j.logger().info("order 1");
            assertThat(log4j.<BurstAppender>appender("Second").ring())
                    .isSameAs(log4j.orders().ring());
        }
        assertThat(directory.lines()).containsExactlyInAnyOrder("INFO order 1", "second order 1");
    }

    @Test
    void two_appenders_with_two_rings_and_one_file_are_a_mistake_and_the_second_is_refused() {
        final Path otherRing = temporary.resolve("other.ring");
        final String second = directory
                .burst()
                .replace("\"Orders\"", "\"Second\"")
                .replace(directory.ring().toString(), otherRing.toString());
        assertSecondIsRefused(second, otherRing.toString());
        assertThat(Files.exists(otherRing)).isNotEqualTo(Files.exists(directory.ring()));
    }

    private void assertSecondIsRefused(final String second, final String place) {
        // Log4j starts appenders in no particular order: either may be the second.
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst() + second, BOTH))) {
            assertThat(log4j.status(Level.ERROR))
                    .singleElement()
                    .asString()
                    .contains("Burst '", "'Orders'", "'Second'", place, "says something else: ring is ");
            assertThatThrownBy(() -> log4j.logger().info("order 1")).isInstanceOf(AppenderLoggingException.class);
        }
    }

    @Test
    void a_ring_is_recognised_behind_a_symbolic_link() throws Exception {
        final Path link = Files.createSymbolicLink(temporary.resolve("link"), temporary);
        final String second = directory
                .burst()
                .replace("\"Orders\"", "\"Second\"")
                .replace(
                        directory.ring().toString(), link.resolve("orders.ring").toString());
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst() + second, BOTH))) {
            log4j.logger().info("order 1");
            assertThat(log4j.status(Level.WARN)).isEmpty();
        }
        assertThat(directory.lines()).containsExactly("INFO order 1", "INFO order 1");
    }

    @Test
    void two_applications_in_one_process_share_a_ring_with_one_file_and_the_last_one_closes_it() {
        try (RunningLog4j first = RunningLog4j.with(RunningLog4j.xml(directory.burst()))) {
            try (RunningLog4j second = RunningLog4j.with(RunningLog4j.xml(directory.burst()))) {
                second.logger().info("from the second");
            }
            first.logger().info("from the first");
        }
        assertThat(directory.lines()).containsExactly("INFO from the second", "INFO from the first");
    }

    @Test
    void another_application_in_this_process_adds_a_file_to_the_ring() {
        final OrdersDirectory other = new OrdersDirectory(temporary.resolve("other"));
        final String burst = other.burst().replace("" + other.ring(), "" + directory.ring());
        try (RunningLog4j first = RunningLog4j.with(RunningLog4j.xml(directory.burst()))) {
            try (RunningLog4j second = RunningLog4j.with(RunningLog4j.xml(burst))) {
                second.logger().info("order 1");
                assertThat(second.orders().ring()).isSameAs(first.orders().ring());
            }
            assertThat(other.lines()).containsExactly("INFO order 1");
            first.logger().info("order 2");
        }
        assertThat(directory.lines()).containsExactly("INFO order 2");
    }
}
