// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static io.burstlog.log4j.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.logging.log4j.Level;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AsyncHandOverTest {

    private static final int EVENTS = 2_000;
    private static final List<String> EXPECTED =
            IntStream.range(0, EVENTS).mapToObj(i -> "INFO order " + i).toList();

    @TempDir
    Path temporary;

    private OrdersDirectory directory;

    @BeforeEach
    void chooseDirectory() {
        directory = new OrdersDirectory(temporary);
    }

    @Test
    void an_async_appender_loses_and_doubles_nothing_and_its_batches_share_commits() {
        logThrough(RunningLog4j.xml(
                directory.burst() + "<Async name=\"Async\"><AppenderRef ref=\"Orders\"/></Async>",
                "<Root level=\"all\"><AppenderRef ref=\"Async\"/></Root>"));
    }

    @Test
    void an_async_logger_beside_synchronous_ones_loses_and_doubles_nothing_and_its_batches_share_commits() {
        logThrough(RunningLog4j.xml(
                directory.burst(),
                "<AsyncLogger name=\"com.example\" level=\"all\" additivity=\"false\"><AppenderRef ref=\"Orders\"/></AsyncLogger>"
                        + "<Root level=\"all\"><AppenderRef ref=\"Orders\"/></Root>"));
    }

    @Test
    void a_synchronous_logger_beside_an_async_one_is_durable_on_return() {
        final String xml = RunningLog4j.xml(
                directory.burst(),
                "<AsyncLogger name=\"com.example\" level=\"all\" additivity=\"false\"><AppenderRef ref=\"Orders\"/></AsyncLogger>"
                        + "<Root level=\"all\"><AppenderRef ref=\"Orders\"/></Root>");
        try (RunningLog4j log4j = RunningLog4j.with(xml)) {
            for (int i = 1; i <= 100; i++) {
                log4j.logger("synchronous").info("order {}", i);
                assertThat(log4j.orders().ring().log().durableSequence()).isEqualTo(i);
            }
        }
    }

    private void logThrough(final String xml) {
        try (RunningLog4j log4j = RunningLog4j.with(xml)) {
            for (int i = 0; i < EVENTS; i++) {
                log4j.logger().info("order {}", i);
            }
            await().untilAsserted(() ->
                    assertThat(log4j.orders().ring().log().durableSequence()).isEqualTo(EVENTS));
            assertThat(log4j.orders().ring().log().stats().commits()).isLessThan(EVENTS);
            assertThat(log4j.status(Level.ERROR)).isEmpty();
        }
        assertThat(directory.lines()).containsExactlyElementsOf(EXPECTED);
    }
}
