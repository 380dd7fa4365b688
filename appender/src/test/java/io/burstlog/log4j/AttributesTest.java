// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.burstlog.BurstConsumer;
import io.burstlog.ConsumedRecords;
import io.burstlog.Segments;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.stream.Stream;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.appender.AppenderLoggingException;
import org.apache.logging.log4j.core.impl.Log4jLogEvent;
import org.apache.logging.log4j.core.layout.PatternLayout;
import org.apache.logging.log4j.message.SimpleMessage;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AttributesTest {

    @TempDir
    Path temporary;

    private OrdersDirectory directory;

    @BeforeEach
    void chooseDirectory() {
        directory = new OrdersDirectory(temporary);
    }

    @Test
    void a_program_sets_attributes_by_their_names() {
        final BurstAppenderBuilder builder = BurstAppender.newBuilder()
                .setName("Orders")
                .setLayout(PatternLayout.newBuilder().withPattern("%m%n").build())
                .set("ring", directory.ring().toString())
                .set("FILENAME", directory.file().toString())
                .set("ack", "enqueued");
        final BurstAppender appender = builder.build();
        appender.start();
        appender.append(Log4jLogEvent.newBuilder()
                .setMessage(new SimpleMessage("order 1"))
                .build());
        appender.stop();
        assertThat(directory.lines()).containsExactly("order 1");
        final StatusLines status = new StatusLines();
        builder.set("bogus", "1").build().start();
        status.stopListening();
        assertThat(status.atLeast(Level.ERROR)).singleElement().asString().contains("\"bogus\" is unknown");
    }

    @Test
    void an_attribute_is_known_whatever_the_case_of_its_letters_and_one_that_is_there_twice_is_reported() {
        final String twice = directory.burst("ACK=\"enqueued\" jmx=\"false\" JMX=\"true\"");
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(twice))) {
            log4j.logger().info("order 1");
            assertThat(log4j.status(Level.ERROR)).singleElement().asString().containsIgnoringCase("jmx");
        }
        assertThat(directory.lines()).containsExactly("INFO order 1");
    }

    @Test
    void an_existing_ring_keeps_its_size_and_a_different_explicit_one_is_refused() {
        RunningLog4j.with(RunningLog4j.xml(directory.burst())).close();
        assertThatLogThrows(directory.burst().replace("4 MB", "8 MB"), "Burst 'Orders' is not started");
        try (RunningLog4j log4j =
                RunningLog4j.with(RunningLog4j.xml(directory.burst().replace("ringSize=\"4 MB\"", "")))) {
            log4j.logger().info("order 1");
        }
        assertThat(directory.lines()).containsExactly("INFO order 1");
    }

    @Test
    void everything_that_is_wrong_is_said_at_once_and_once() {
        final String xml = directory
                .burst(
                        "bogus=\"1\" Ringsice=\"2 MB\" ack=\"later\" blockTimeout=\"soon\" filePattern=\"%i\""
                                + " batchSize=\"64 KB\" commitCpu=\"left\" fileOwner=\"no-such-user\"",
                        "<AppenderRef ref=\"Other\"/><RegexFilter/>")
                .replace("4 MB", "64 KB");
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(xml))) {
            final String error = log4j.status(Level.ERROR).stream()
                    .filter(line -> line.contains("Burst"))
                    .reduce((first, second) -> first + " AND ONCE MORE " + second)
                    .orElseThrow();
            for (final String wrong : new String[] {
                "\"bogus\"",
                "\"Ringsice\"",
                "ack=\"later\"",
                "blockTimeout=\"soon\"",
                "filePattern",
                "batchSize",
                "commitCpu=\"left\"",
                "no-such-user",
                "<AppenderRef>",
                "<RegexFilter>",
                "ringSize"
            }) {
                assertThat(error).containsOnlyOnce(wrong);
            }
            assertThat(error).doesNotContain("AND ONCE MORE");
        }
        assertThat(directory.ring()).doesNotExist();
    }

    @Test
    void an_advertised_log_file_is_announced_until_the_appender_is_stopped() {
        final String xml = RunningLog4j.xml(
                        directory.burst("advertise=\"true\" advertiseUri=\"file://here/orders.log\""))
                .replace(
                        "<Configuration ", "<Configuration packages=\"io.burstlog.log4j\" advertiser=\"Remembering\" ");
        try (RunningLog4j log4j = RunningLog4j.with(xml)) {
            assertThat(RememberingAdvertiser.ANNOUNCED)
                    .singleElement(InstanceOfAssertFactories.map(String.class, String.class))
                    .containsEntry("name", "Orders")
                    .containsEntry("fileURI", "file://here/orders.log")
                    .containsKey("contentType");
            assertThat(log4j.status(Level.ERROR)).isEmpty();
        }
        assertThat(RememberingAdvertiser.ANNOUNCED).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"true, not announced", "false, still announced"})
    void a_log_file_that_cannot_be_announced_is_opened_and_closed(final boolean atStart, final String told) {
        final String xml = RunningLog4j.xml(directory.burst("advertise=\"true\""))
                .replace("<Configuration ", "<Configuration packages=\"io.burstlog.log4j\" advertiser=\"Failing\" ");
        final RunningLog4j log4j;
        try {
            FailingAdvertiser.fail(atStart, !atStart);
            log4j = RunningLog4j.with(xml);
            log4j.logger().info("order 1");
            log4j.close();
        } finally {
            FailingAdvertiser.fail(false, false);
        }
        assertThat(log4j.status(Level.WARN))
                .filteredOn(line -> line.contains("announced"))
                .singleElement()
                .asString()
                .contains("Burst 'Orders': its log file is " + told + ": ", "no network");
        assertThat(directory.lines()).containsExactly("INFO order 1");
        // Nothing has the ring open any more.
        try (RunningLog4j again = RunningLog4j.with(RunningLog4j.xml(directory.burst("maxRecordSize=\"1000\"")))) {
            assertThat(again.status(Level.ERROR)).isEmpty();
            assertThat(again.orders().ring().maxRecordBytes()).isEqualTo(1000);
        }
    }

    @Test
    void attributes_of_other_file_appenders_without_meaning_here_are_accepted_with_one_line_of_information() {
        final String xml =
                directory.burst("immediateFlush=\"false\" bufferedIO=\"true\" bufferSize=\"8192\" append=\"true\""
                        + " createOnDemand=\"true\" locking=\"true\" advertise=\"false\"");
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(xml))) {
            log4j.logger().info("order 1");
            assertThat(log4j.allIsDurable()).isTrue();
            assertThat(log4j.status(Level.INFO))
                    .filteredOn(
                            line -> line.contains("immediateFlush, bufferedIO, bufferSize, createOnDemand, locking"))
                    .singleElement()
                    .asString()
                    .startsWith("INFO");
            assertThat(log4j.status(Level.WARN)).isEmpty();
        }
    }

    @Test
    void every_attribute_at_once_is_understood() throws Exception {
        final String cpu =
                Files.readString(Path.of("/proc/self/status")).replaceAll("(?s).*Cpus_allowed_list:\\s*(\\d+).*", "$1");
        final String xml = directory.burst("durability=\"power\" ack=\"durable\" ackLevel=\"DEBUG\" onFull=\"block\""
                + " blockTimeout=\"5 min\" maxRecordSize=\"512 KB\" binding=\"jna\" io=\"pwrite\" drainInterval=\"20 ms\""
                + " shutdownTimeout=\"3 min\" drainCpu=\"" + cpu + "\" commitCpu=\" " + cpu
                + "\" realtimePriority=\"0\" hugePages=\"auto\""
                + " commitSpin=\"true\" batchDelay=\"100 us\" batchSize=\"64 KB\""
                + " window=\"" + temporary + "\" windowPermissions=\"rw-rw----\" drain=\"inner\""
                + " filePermissions=\"rw-r-----\" fileOwner=\"" + Files.getOwner(temporary)
                + "\" ignoreExceptions=\"false\"");
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(xml))) {
            log4j.logger().info("order 1");
            assertThat(log4j.status(Level.WARN)).isEmpty();
            try (Stream<Path> files = Files.list(temporary)) {
                final Path socket = files.filter(file -> file.toString().endsWith(".window"))
                        .findAny()
                        .orElseThrow();
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)))
                        .isEqualTo("rw-rw----");
            }
        }
        assertThat(directory.lines()).containsExactly("INFO order 1");
    }

    @Test
    void segments_receive_the_events_for_consumers() {
        final String folder = temporary.resolve("orders.segments").toString();
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst("segments=\"" + folder + "\"")))) {
            log4j.logger().info("order 1");
            assertThat(log4j.status(Level.WARN)).isEmpty();
        }
        try (BurstConsumer consumer = BurstConsumer.open(folder, "reader")) {
            final ConsumedRecords records = consumer.poll(4096, Duration.ofSeconds(60));
            assertThat(records.next()).isTrue();
            assertThat(StandardCharsets.UTF_8.decode(records.data()).toString()).startsWith("INFO order 1");
        }
        assertThat(directory.lines()).containsExactly("INFO order 1");
    }

    @Test
    void the_limit_of_segments_is_that_of_the_element() {
        final String folder = temporary.resolve("orders.segments").toString();
        final String limit = " segmentsLimit=\"1 GB\"";
        assertSegments(
                "segments=\"" + folder + "\"" + limit, Segments.in(folder).limitBytes(1L << 30));
        assertSegments(
                "segments=\"" + folder + "\"" + limit + " segmentsOverLimit=\"release\"",
                Segments.in(folder).limitBytes(1L << 30).release(true));
        assertThatLogThrows(directory.burst(limit), "segmentsLimit says nothing without segments");
        assertThatLogThrows(
                directory.burst("segments=\"" + folder + "\" segmentsOverLimit=\"release\""),
                "segmentsOverLimit says nothing without segmentsLimit");
        assertThatLogThrows(
                directory.burst("segments=\"" + folder + "\" segmentsOverLimit=\"keep\"" + limit),
                "use \"hold\" or \"release\"");
    }

    @Test
    void the_log_file_gets_an_index() {
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst("index=\"true\"")))) {
            assertThat(log4j.status(Level.WARN)).isEmpty();
            log4j.logger().info("order 1");
        }
        assertThat(directory.file().resolveSibling(".burstlog-index")).isDirectoryContaining("glob:**.1");
        assertThatLogThrows(directory.burst("index=\"yes\""), "index=\"yes\"");
    }

    private void assertSegments(final String attributes, final Segments expected) {
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst(attributes)))) {
            assertThat(log4j.status(Level.WARN)).isEmpty();
            assertThat(log4j.orders().terms().stream().config().segments()).isEqualTo(expected);
        }
    }

    @Test
    void a_new_log_file_has_the_permissions_asked_for() throws Exception {
        try (RunningLog4j log4j =
                RunningLog4j.with(RunningLog4j.xml(directory.burst("filePermissions=\"rw-r-----\"")))) {
            log4j.logger().info("order 1");
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.file())))
                .isEqualTo("rw-r-----");
    }

    @Test
    void filters_of_the_appender_are_in_force() {
        final String content = "<ThresholdFilter level=\"warn\"/>" + OrdersDirectory.LEVEL_AND_MESSAGE;
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst("", content)))) {
            log4j.logger().info("order 1");
            log4j.logger().warn("order 2");
        }
        assertThat(directory.lines()).containsExactly("WARN order 2");
    }

    private static void assertThatLogThrows(final String element, final String... fragments) {
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(element))) {
            assertThat(log4j.status(Level.ERROR))
                    .filteredOn(line -> line.contains("Burst 'Orders'"))
                    .singleElement()
                    .asString()
                    .contains(fragments);
            assertThatThrownBy(() -> log4j.logger().info("order 1"))
                    .isInstanceOf(AppenderLoggingException.class)
                    .hasMessageContainingAll(fragments);
        }
    }
}
