// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static io.burstlog.log4j.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.async.AsyncLoggerContext;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs in a JVM of its own, with AsyncLoggerContextSelector. */
@Tag("async-loggers")
class AsyncLoggersTest {

    @TempDir
    Path temporary;

    private OrdersDirectory directory;

    @BeforeEach
    void chooseDirectory() {
        directory = new OrdersDirectory(temporary);
    }

    @Test
    void all_loggers_async_lose_and_double_nothing_and_their_batches_are_durable_without_further_events()
            throws Exception {
        final LoadOfEvents load = new LoadOfEvents(4);
        try (RunningLog4j log4j = RunningLog4j.ofThisJvm(RunningLog4j.xml(directory.burst()))) {
            assertThat(log4j.context()).isInstanceOf(AsyncLoggerContext.class);
            load.log(log4j.logger(), 1_000);
            awaitDurable(log4j, load.size());
            assertThat(log4j.orders().ring().log().stats().commits()).isLessThan(load.size());
        }
        load.assertExactlyOnceInOrder(directory.lines());
    }

    /** Not under load: Log4j itself drops some events that are in the async loggers' queue meanwhile. */
    @Test
    void a_reconfiguration_loses_and_doubles_nothing_that_was_handed_over() throws Exception {
        final String xml = RunningLog4j.xml(directory.burst());
        final int rounds = 5;
        try (RunningLog4j log4j = RunningLog4j.ofThisJvm(xml)) {
            for (int round = 1; round <= rounds; round++) {
                for (int event = 0; event < 100; event++) {
                    log4j.logger().info("round {} event {}", round, event);
                }
                awaitDurable(log4j, round * 100);
                log4j.reconfigure(xml);
            }
        }
        assertThat(directory.lines()).hasSize(rounds * 100).doesNotHaveDuplicates();
    }

    @Test
    void a_refused_appender_tells_one_error_and_the_number_and_prints_no_stack_trace() throws Exception {
        final int events = 500;
        final Path seen = temporary.resolve("seen.log");
        final String xml = RunningLog4j.xml(
                directory.burst("bogus=\"1\"") + "<File name=\"Seen\" fileName=\"" + seen
                        + "\"><PatternLayout pattern=\"%m%n\"/></File>",
                "<Root level=\"all\"><AppenderRef ref=\"Orders\"/><AppenderRef ref=\"Seen\"/></Root>");
        final StatusLines status = new StatusLines();
        try (Console console = new Console()) {
            try (RunningLog4j log4j = RunningLog4j.ofThisJvm(xml)) {
                for (int i = 0; i < events; i++) {
                    log4j.logger().info("event {}", i);
                }
                await().until(() -> Files.readAllLines(seen).size() == events);
            }
            assertThat(console.text()).doesNotContain("\tat ").doesNotContain("error handling event");
        }
        status.stopListening();
        assertThat(status.atLeast(Level.ERROR).stream()
                        .filter(line -> line.contains("bogus"))
                        .toList())
                .hasSize(2)
                .last()
                .asString()
                .contains(events + " times");
    }

    private static void awaitDurable(final RunningLog4j log4j, final int events) {
        await().untilAsserted(() ->
                assertThat(log4j.orders().ring().log().durableSequence()).isEqualTo(events));
    }
}
