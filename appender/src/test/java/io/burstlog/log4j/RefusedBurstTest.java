// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static io.burstlog.log4j.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.appender.AppenderLoggingException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The operator's messages about an appender that cannot take any event, whichever parts bring the events. */
class RefusedBurstTest {

    private static final int EVENTS = 500;
    private static final String ASYNC_ROOT =
            "<AsyncRoot level=\"all\"><AppenderRef ref=\"%s\"/><AppenderRef ref=\"Seen\"/></AsyncRoot>";

    @TempDir
    Path temporary;

    private OrdersDirectory directory;

    @BeforeEach
    void chooseDirectory() {
        directory = new OrdersDirectory(temporary);
    }

    private String refused() {
        return directory.burst("bogus=\"1\"");
    }

    private static List<String> refusals(final StatusLines status) {
        return status.atLeast(Level.ERROR).stream()
                .filter(line -> line.contains("bogus"))
                .toList();
    }

    private String file(final String name) {
        return "<File name=\"" + name + "\" fileName=\"" + temporary.resolve(name)
                + "\"><PatternLayout pattern=\"%m%n\"/></File>";
    }

    private List<String> lines(final String name) throws IOException {
        final Path file = temporary.resolve(name);
        return Files.exists(file) ? Files.readAllLines(file) : List.of();
    }

    private void log(final RunningLog4j log4j) {
        for (int i = 0; i < EVENTS; i++) {
            log4j.logger().info("event {}", i);
        }
    }

    /** Returns the console's output without the status lines. */
    private String logAndStop(final String appenders, final String loggers, final String listened) throws Exception {
        try (Console console = new Console()) {
            try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(appenders, loggers))) {
                log(log4j);
                await().until(() -> lines(listened).size() == EVENTS);
            }
            return console.text();
        }
    }

    @Test
    void an_async_logger_tells_one_error_and_the_number_at_the_end_and_prints_no_stack_trace() throws Exception {
        final StatusLines status = new StatusLines();
        final String console = logAndStop(refused() + file("Seen"), String.format(ASYNC_ROOT, "Orders"), "Seen");
        status.stopListening();
        assertThat(refusals(status)).hasSize(2);
        assertThat(refusals(status).get(0)).contains("Burst 'Orders' is not started");
        assertThat(refusals(status).get(1)).contains("Burst 'Orders'", EVENTS + " times");
        assertThat(console).doesNotContain("\tat ").doesNotContain("error handling event");
    }

    @Test
    void a_failover_behind_an_async_logger_takes_over() throws Exception {
        logAndStop(
                refused() + file("Other") + file("Seen")
                        + "<Failover name=\"Safe\" primary=\"Orders\"><Failovers><AppenderRef ref=\"Other\"/></Failovers></Failover>",
                String.format(ASYNC_ROOT, "Safe"),
                "Seen");
        assertThat(lines("Other")).hasSize(EVENTS);
    }

    @Test
    void the_error_appender_of_an_async_appender_gets_the_events() throws Exception {
        final String console = logAndStop(
                refused() + file("Other")
                        + "<Async name=\"Async\" errorRef=\"Other\"><AppenderRef ref=\"Orders\"/></Async>",
                "<Root level=\"all\"><AppenderRef ref=\"Async\"/></Root>",
                "Other");
        assertThat(console).doesNotContain("\tat ");
    }

    @Test
    void a_thread_that_logs_itself_gets_every_exception_and_the_operator_one_error_and_the_number() {
        final StatusLines status = new StatusLines();
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(refused()))) {
            for (int i = 0; i < EVENTS; i++) {
                assertThatThrownBy(() -> log4j.logger().info("event"))
                        .isInstanceOf(AppenderLoggingException.class)
                        .hasMessageContaining("bogus");
            }
        }
        status.stopListening();
        assertThat(refusals(status)).hasSize(2).last().asString().contains(EVENTS + " times");
    }

    @Test
    void a_ring_that_fails_under_an_async_logger_prints_no_stack_trace_for_each_event() throws Exception {
        try (Console console = new Console()) {
            final StatusLines status = new StatusLines();
            try (RunningLog4j log4j = RunningLog4j.with(
                    RunningLog4j.xml(directory.burst() + file("Seen"), String.format(ASYNC_ROOT, "Orders")))) {
                log4j.logger().info("event");
                await().until(() -> lines("Seen").size() == 1);
                log4j.orders().ring().log().close();
                log(log4j);
                await().until(() -> lines("Seen").size() == 1 + EVENTS);
            }
            status.stopListening();
            assertThat(status.atLeast(Level.ERROR).stream()
                            .filter(line -> line.contains("" + directory.ring()))
                            .toList())
                    .hasSize(2)
                    .last()
                    .asString()
                    .contains((EVENTS - 1) + " times", "closed");
            assertThat(console.text()).doesNotContain("\tat ");
        }
    }
}
