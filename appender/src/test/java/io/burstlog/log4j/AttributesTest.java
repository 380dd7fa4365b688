// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
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
import org.junit.jupiter.params.provider.ValueSource;

class AttributesTest {

    @TempDir
    Path temporary;

    private OrdersDirectory directory;

    @BeforeEach
    void chooseDirectory() {
        directory = new OrdersDirectory(temporary);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "durability=\"pwoer\"          | \"power\", \"os-crash\" or \"process\"",
                "ack=\"later\"                 | \"durable\" or \"enqueued\"",
                "ackLevel=\"NOISY\"            | name of a level",
                "ack=\"enqueued\" ackLevel=\"INFO\" | contradicts",
                "onFull=\"wait\"               | \"block\", \"fail\" or \"discard\"",
                "blockTimeout=\"soon\"         | positive time",
                "blockTimeout=\"-1 s\"         | positive time",
                "drainInterval=\"0\"           | positive time",
                "shutdownTimeout=\"10 years\"  | positive time",
                "maxRecordSize=\"big\"         | positive size",
                "maxRecordSize=\"0\"           | positive size",
                "maxRecordSize=\"2,5 KB\"      | without a comma",
                "binding=\"panama\"            | \"auto\", \"jni\" or \"jna\"",
                "drainCpu=\"4999\"            | online here: 0",
                "commitCpu=\"0-4999\"         | or it is offline",
                "commitCpu=\"left\"           | no list of CPUs",
                "realtimePriority=\"high\"    | whole number",
                "realtimePriority=\"100\"     | 1 to 99",
                "hugePages=\"on\"             | \"auto\" or \"off\"",
                "commitSpin=\"yes\"           | \"true\" or \"false\"",
                "batchDelay=\"2 s\"           | at most",
                "batchSize=\"64 KB\"          | no batchDelay",
                "jmx=\"maybe\"               | \"true\" or \"false\"",
                "io=\"fast\"                   | \"auto\", \"pwrite\", \"uring\", \"nvme\", \"mapped\" or \"flush\"",
                "io=\"nvme\"                   | io=nvme cannot be used",
                "filePermissions=\"0640\"      | rw-r-----",
                "filePermissions=\"---------\" | nobody could open",
                "append=\"false\"              | never overwritten",
                "append=\"maybe\"              | never overwritten",
                "filePattern=\"logs/%i.log\"   | triggering policy is missing",
                "compressDelay=\"5 s\"       | no effect without filePattern",
                "maxTotalSize=\"1 GB\"       | no effect without filePattern",
                "maxAge=\"7 d\"              | no effect without filePattern",
                "fileStamp=\"true\"          | no effect without filePattern",
                "ringsice=\"64 MB\"            | unknown",
                "advertise=\"maybe\"          | \"true\" or \"false\"",
            })
    void an_attribute_that_cannot_be_used_is_refused_in_one_sentence_and_nothing_is_opened(
            final String attribute, final String whatToDo) {
        assertRefused(directory.burst(attribute), whatToDo, attribute.substring(0, attribute.indexOf('=')));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<Policies><TimeBasedTriggeringPolicy/></Policies>",
                "<SizeBasedTriggeringPolicy size=\"10 MB\"/>",
                "<OnStartupTriggeringPolicy/>",
                "<DefaultRolloverStrategy max=\"3\"/>",
                "<DirectWriteRolloverStrategy/>"
            })
    void elements_that_roll_need_a_pattern(final String element) {
        assertRefused(directory.burst("", element), "filePattern is missing", "policies");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "filePattern=\"app.log.old\" | <TimeBasedTriggeringPolicy/> | has no date",
                "filePattern=\"app-%i.log\" | <SizeBasedTriggeringPolicy/><DirectWriteRolloverStrategy/> | remove one",
                "filePattern=\"app-%i.log\" compressDelay=\"soon\" | <SizeBasedTriggeringPolicy/> | compressDelay",
                "filePattern=\"app-%i.log\" maxAge=\"0\" | <SizeBasedTriggeringPolicy/> | maxAge",
                "filePattern=\"app-%i.log\" maxTotalSize=\"much\" | <SizeBasedTriggeringPolicy/> | maxTotalSize",
                "filePattern=\"app-%i.log\" fileStamp=\"maybe\" | <SizeBasedTriggeringPolicy/> | fileStamp",
                "filePattern=\"app-%i.log\" createOnDemand=\"no\" | <SizeBasedTriggeringPolicy/> | createOnDemand",
                "filePattern=\"app-%i.log\" append=\"false\" | <SizeBasedTriggeringPolicy/> | never overwritten"
            })
    void what_cannot_be_rolled_is_refused_in_one_sentence(
            final String attributes, final String elements, final String complaint) {
        assertRefused(directory.burst(attributes, elements), complaint, "");
    }

    @Test
    void without_a_file_name_the_strategy_must_name_each_file() {
        final String element =
                directory.burst("filePattern=\"app-%i.log\"", "<SizeBasedTriggeringPolicy/><DefaultRolloverStrategy/>");
        assertRefused(element.replaceFirst("fileName=\"[^\"]*\"", ""), "is missing", "fileName");
    }

    @Test
    void an_unknown_element_is_refused() {
        assertRefused(directory.burst("", "<AppenderRef ref=\"Other\"/>"), "unknown", "AppenderRef");
    }

    @Test
    void a_missing_file_name_is_refused() {
        assertRefused(directory.burst().replaceFirst("fileName=\"[^\"]*\"", ""), "is missing", "fileName");
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

    @ParameterizedTest
    @ValueSource(strings = {"ring", "fileName"})
    void a_name_with_a_lookup_that_found_nothing_is_refused(final String attribute) {
        final Path named = attribute.equals("ring") ? directory.ring() : directory.file();
        final Path unresolved = temporary.resolve("${env:NO_SUCH_VARIABLE}.orders");
        assertRefused(directory.burst().replace("" + named, "" + unresolved), attribute + "=\"" + unresolved, "lookup");
        assertThat(temporary).isEmptyDirectory();
    }

    @Test
    void a_size_the_engine_cannot_use_is_refused_with_its_sentence() {
        assertThatLogThrows(directory.burst("maxRecordSize=\"2 MB\""), "quarter");
        assertThatLogThrows(directory.burst().replace("4 MB", "64 KB"), "Burst 'Orders' is not started");
    }

    @Test
    void an_owner_that_does_not_exist_is_refused_before_a_ring_is_made() {
        assertRefused(directory.burst("fileOwner=\"no-such-user\""), "no-such-user");
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
                + " filePermissions=\"rw-r-----\" fileOwner=\"" + Files.getOwner(temporary)
                + "\" ignoreExceptions=\"false\"");
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(xml))) {
            log4j.logger().info("order 1");
            assertThat(log4j.status(Level.WARN)).isEmpty();
        }
        assertThat(directory.lines()).containsExactly("INFO order 1");
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

    private void assertRefused(final String element, final String... fragments) {
        assertThatLogThrows(element, fragments);
        assertThat(directory.ring()).doesNotExist();
        assertThat(directory.file()).doesNotExist();
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
