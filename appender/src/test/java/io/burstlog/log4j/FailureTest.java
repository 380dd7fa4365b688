// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.burstlog.RingFailedException;
import io.burstlog.RingFullException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.appender.AppenderLoggingException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FailureTest {

    @TempDir
    Path temporary;

    private OrdersDirectory directory;

    @BeforeEach
    void chooseDirectory() {
        directory = new OrdersDirectory(temporary);
    }

    @Test
    void a_failed_ring_throws_to_whoever_logs_and_failover_takes_over() throws Exception {
        final Path otherFile = temporary.resolve("other.log");
        final String xml = RunningLog4j.xml(
                directory.burst() + "<File name=\"Other\" fileName=\"" + otherFile
                        + "\"><PatternLayout pattern=\"other %m%n\"/></File>"
                        + "<Failover name=\"Safe\" primary=\"Orders\" retryIntervalSeconds=\"1\"><Failovers>"
                        + "<AppenderRef ref=\"Other\"/></Failovers></Failover>",
                "<Logger name=\"unsafe\" level=\"all\" additivity=\"false\"><AppenderRef ref=\"Orders\"/></Logger>"
                        + "<Root level=\"all\"><AppenderRef ref=\"Safe\"/></Root>");
        try (RunningLog4j log4j = RunningLog4j.with(xml)) {
            log4j.logger().info("order 1");
            log4j.awaitDrained();
            try (FileSizeLimit limit = FileSizeLimit.of(1)) {
                assertThatThrownBy(() -> log4j.logger("unsafe").info("order 2"))
                        .isInstanceOf(AppenderLoggingException.class)
                        .hasMessageStartingWith("Burst 'Orders': ")
                        .hasCauseInstanceOf(RingFailedException.class);
            }
            // The medium works again; but a ring that has failed once acknowledges nothing more.
            assertThatThrownBy(() -> log4j.logger("unsafe").info("order 3"))
                    .hasCauseInstanceOf(RingFailedException.class);
            log4j.logger().info("order 4");
            log4j.logger().info("order 5");
        }
        assertThat(directory.lines()).containsExactly("INFO order 1");
        assertThat(otherFile).hasContent("other order 4\nother order 5\n");

        try (RunningLog4j restarted = RunningLog4j.with(xml)) {
            restarted.logger("unsafe").info("order 6");
        }
        // A line that was never acknowledged may be there once, or not at all.
        assertThat(directory.lines())
                .startsWith("INFO order 1")
                .endsWith("INFO order 6")
                .doesNotHaveDuplicates();
    }

    @Test
    void failover_takes_over_from_a_ring_that_cannot_be_opened() throws Exception {
        assertFailoverTakesOverFrom(directory.burst().replace(directory.ring().toString(), temporary.toString()));
    }

    @Test
    void failover_takes_over_from_a_header_that_no_record_holds() throws Exception {
        final String layout = "<PatternLayout header=\"" + "x".repeat(200) + "\" pattern=\"%m%n\"/>";
        assertFailoverTakesOverFrom(directory.burst("maxRecordSize=\"100\"", layout));
    }

    private void assertFailoverTakesOverFrom(final String burst) throws Exception {
        final Path otherFile = temporary.resolve("other.log");
        final String xml = RunningLog4j.xml(
                burst + "<File name=\"Other\" fileName=\"" + otherFile
                        + "\"><PatternLayout pattern=\"other %m%n\"/></File>"
                        + "<Failover name=\"Safe\" primary=\"Orders\"><Failovers><AppenderRef ref=\"Other\"/></Failovers></Failover>",
                "<Root level=\"all\"><AppenderRef ref=\"Safe\"/></Root>");
        try (RunningLog4j log4j = RunningLog4j.with(xml)) {
            log4j.logger().info("order 1");
            assertThat(log4j.status(Level.ERROR))
                    .filteredOn(line -> line.contains("is not started"))
                    .hasSize(1);
        }
        assertThat(Files.readString(otherFile)).isEqualTo("other order 1" + System.lineSeparator());
    }

    @Test
    void a_reconfiguration_that_finds_its_ring_failed_says_so() {
        final String other = directory
                .burst()
                .replace(
                        directory.ring().toString(),
                        temporary.resolve("other.ring").toString());
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst()))) {
            log4j.logger().info("order 1");
            log4j.awaitDrained();
            try (FileSizeLimit limit = FileSizeLimit.of(1)) {
                assertThatThrownBy(() -> log4j.logger().info("order 2")).hasCauseInstanceOf(RingFailedException.class);
            }
            log4j.reconfigure(RunningLog4j.xml(other));
            assertThat(log4j.status(Level.ERROR))
                    .filteredOn(line -> line.contains("Burst 'Orders'"))
                    .anyMatch(line -> line.contains("has failed") && line.contains("restart the process"));
        }
    }

    @Test
    void a_full_ring_throws_to_whoever_logs_when_on_full_is_fail() {
        final String xml = RunningLog4j.xml(directory.burst("ack=\"enqueued\" onFull=\"fail\""));
        try (RunningLog4j log4j = RunningLog4j.with(xml)) {
            try (FileSizeLimit limit = FullRing.withoutDrain()) {
                assertThatThrownBy(() -> FullRing.logMoreThanFits(log4j.logger()))
                        .isInstanceOf(AppenderLoggingException.class)
                        .hasCauseInstanceOf(RingFullException.class);
            }
            log4j.awaitDrained();
            log4j.logger().info("next");
        }
        assertThat(directory.lines()).last().isEqualTo("INFO next");
    }

    @Test
    void with_exceptions_ignored_the_caller_goes_on_and_the_operator_is_told() {
        final String xml = RunningLog4j.xml(directory.burst("maxRecordSize=\"100\" ignoreExceptions=\"true\""));
        try (RunningLog4j log4j = RunningLog4j.with(xml)) {
            log4j.logger().info("x".repeat(1_000));
            log4j.logger().info("next");
            assertThat(log4j.status(Level.ERROR)).singleElement().asString().contains("Orders");
        }
        assertThat(directory.lines()).containsExactly("INFO next");
    }

    @Test
    void an_interrupted_thread_logs_as_ever_and_stays_interrupted() {
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst()))) {
            log4j.reconfigure(RunningLog4j.xml(directory.burst("blockTimeout=\"20 s\"")));
            final FileSizeLimit limit = FullRing.withoutDrain();
            final CompletableFuture<Void> space = CompletableFuture.runAsync(
                    limit::close, CompletableFuture.delayedExecutor(500, TimeUnit.MILLISECONDS));
            Thread.currentThread().interrupt();
            log4j.logger().info("order 1");
            FullRing.logMoreThanFits(log4j.logger());
            assertThat(Thread.interrupted()).isTrue();
            space.join();
            assertThat(log4j.allIsDurable()).isTrue();
        }
        assertThat(directory.lines()).hasSize(1 + FullRing.EVENTS);
    }
}
