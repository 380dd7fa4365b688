// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.core.appender.AppenderLoggingException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DropInTest {

    @TempDir
    Path temporary;

    private OrdersDirectory directory;

    @BeforeEach
    void chooseDirectory() {
        directory = new OrdersDirectory(temporary);
    }

    @Test
    void every_event_is_durable_when_its_log_call_returns() {
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst()))) {
            for (int i = 0; i < 100; i++) {
                log4j.logger().info("order {}", i);
                assertThat(log4j.allIsDurable()).isTrue();
            }
        }
    }

    @Test
    void a_stopped_log4j_has_left_every_event_in_the_log_file_in_order() {
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst()))) {
            IntStream.range(0, 500).forEach(i -> log4j.logger().info("order {}", i));
            assertThat(log4j.status(Level.WARN)).isEmpty();
        }
        assertThat(directory.lines())
                .containsExactlyElementsOf(
                        IntStream.range(0, 500).mapToObj(i -> "INFO order " + i).toList());
    }

    @Test
    void events_reach_the_log_file_while_the_application_runs() {
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst()))) {
            log4j.logger().info("order 1");
            log4j.awaitDrained();
            assertThat(directory.lines()).containsExactly("INFO order 1");
        }
    }

    @Test
    void a_second_run_appends_to_the_log_file_of_the_first() {
        for (int run = 1; run <= 3; run++) {
            try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst()))) {
                log4j.logger().info("run {}", run);
            }
        }
        assertThat(directory.lines()).containsExactly("INFO run 1", "INFO run 2", "INFO run 3");
    }

    @Test
    void missing_directories_of_the_log_file_are_created() throws Exception {
        final Path file = temporary.resolve("logs/today/orders.log");
        final String burst = "<Burst name=\"Orders\" ring=\"" + directory.ring() + "\" ringSize=\"4 MB\" fileName=\""
                + file + "\">" + OrdersDirectory.LEVEL_AND_MESSAGE + "</Burst>";
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(burst))) {
            log4j.logger().info("order 1");
        }
        assertThat(Files.readString(file)).isEqualTo("INFO order 1" + System.lineSeparator());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<PatternLayout pattern=\"%d %p %c{1} [%t] %m%n\"/>",
                "<PatternLayout pattern=\"%p %m%n%xEx\" charset=\"UTF-16BE\"/>",
                "<GelfLayout host=\"here\" compressionType=\"OFF\" includeNullDelimiter=\"true\"/>",
                "<GelfLayout host=\"here\" compressionType=\"ZLIB\" compressionThreshold=\"10\"/>",
                "<Rfc5424Layout appName=\"orders\" newLine=\"true\"/>"
            })
    void the_log_file_holds_the_bytes_that_a_file_appender_writes(final String layout) throws Exception {
        final Path reference = temporary.resolve("reference.log");
        final String appenders = directory.burst("", layout) + "<File name=\"Reference\" fileName=\"" + reference
                + "\">" + layout + "</File>";
        final String loggers =
                "<Root level=\"all\"><AppenderRef ref=\"Orders\"/><AppenderRef ref=\"Reference\"/></Root>";
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(appenders, loggers))) {
            final Logger logger = log4j.logger();
            logger.info("short");
            logger.warn("umlauts äöü, 漢字, \uD83D\uDE80");
            logger.error("with a stack trace", new IllegalStateException("reason"));
            for (int length = 4_000; length < 40_000; length += 1_777) {
                logger.info("ä".repeat(length));
            }
        }
        assertThat(Files.readAllBytes(directory.file())).isEqualTo(Files.readAllBytes(reference));
    }

    @Test
    void an_event_above_the_largest_record_is_refused_with_both_sizes_and_never_cut() {
        final String xml = RunningLog4j.xml(directory.burst("maxRecordSize=\"20 KB\""));
        try (RunningLog4j log4j = RunningLog4j.with(xml)) {
            final Logger logger = log4j.logger();
            final int overhead = "INFO ".length() + System.lineSeparator().length();
            logger.info("a".repeat(20 * 1024 - overhead));
            for (final int length : new int[] {20 * 1024 + 1, 100_000}) {
                assertThatThrownBy(() -> logger.info("b".repeat(length - overhead)))
                        .isInstanceOf(AppenderLoggingException.class)
                        .hasMessageContaining(length + " bytes")
                        .hasMessageContaining(20 * 1024 + " bytes")
                        .hasMessageContaining("maxRecordSize");
            }
            logger.info("next");
            // Log4j's text encoder must not have seen it: that would have written the whole text to its status log.
            assertThat(log4j.status(Level.ERROR)).noneMatch(line -> line.contains("StringBuilderEncoder"));
        }
        assertThat(directory.lines()).hasSize(2).last().isEqualTo("INFO next");
    }

    @Test
    void an_event_above_the_largest_record_is_refused_also_when_its_layout_makes_an_array() {
        final String layout = "<Rfc5424Layout appName=\"orders\" newLine=\"true\"/>";
        try (RunningLog4j log4j =
                RunningLog4j.with(RunningLog4j.xml(directory.burst("maxRecordSize=\"20 KB\"", layout)))) {
            assertThatThrownBy(() -> log4j.logger().info("b".repeat(30_000)))
                    .isInstanceOf(AppenderLoggingException.class)
                    .hasMessageContaining("maxRecordSize");
            log4j.logger().info("next");
        }
        assertThat(directory.lines()).singleElement().asString().endsWith("next");
    }
}
