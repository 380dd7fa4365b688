// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.Appender;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.appender.AppenderLoggingException;
import org.apache.logging.log4j.core.appender.FileAppender;
import org.apache.logging.log4j.core.appender.RollingFileAppender;
import org.apache.logging.log4j.core.appender.rolling.DefaultRolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.SizeBasedTriggeringPolicy;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.config.DefaultConfiguration;
import org.apache.logging.log4j.core.impl.Log4jLogEvent;
import org.apache.logging.log4j.core.layout.PatternLayout;
import org.apache.logging.log4j.message.SimpleMessage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Programs that build their appender need only its new name: docs/migrating.md, by hand. */
class BuiltByProgramTest {

    private static final Configuration CONFIGURATION = new DefaultConfiguration();

    @TempDir
    Path temporary;

    private static PatternLayout layout() {
        return PatternLayout.newBuilder().withPattern("%m%n").build();
    }

    private static DefaultRolloverStrategy strategy() {
        return DefaultRolloverStrategy.newBuilder()
                .withMax("9")
                .withConfig(CONFIGURATION)
                .build();
    }

    private static LogEvent event(final int number) {
        return Log4jLogEvent.newBuilder()
                .setLevel(Level.INFO)
                .setMessage(new SimpleMessage("order " + number))
                .setTimeMillis(System.currentTimeMillis())
                .build();
    }

    /** Each file gets four events of eight bytes. Returns the files. */
    private static Map<String, String> run(final Appender appender, final Path folder) throws IOException {
        appender.start();
        for (int i = 0; i < 9; i++) {
            appender.append(event(i));
        }
        appender.stop();
        final Map<String, String> files = new TreeMap<>();
        try (Stream<Path> all = Files.list(folder)) {
            for (final Path file :
                    all.filter(each -> each.toString().contains(".log")).toList()) {
                files.put(file.getFileName().toString(), Files.readString(file));
            }
        }
        return files;
    }

    @Test
    void what_a_program_says_to_the_builder_of_rolling_file_it_says_to_that_of_burst() throws Exception {
        final Path theirs = Files.createDirectory(temporary.resolve("theirs"));
        final Path ours = Files.createDirectory(temporary.resolve("ours"));
        final RollingFileAppender rollingFile = RollingFileAppender.newBuilder()
                .setName("Orders")
                .setLayout(layout())
                .setConfiguration(CONFIGURATION)
                .withFileName(theirs + "/orders.log")
                .withFilePattern(theirs + "/orders-%i.log")
                .withPolicy(SizeBasedTriggeringPolicy.createPolicy("30"))
                .withStrategy(strategy())
                .withAppend(true)
                .withCreateOnDemand(false)
                .withLocking(false)
                .withImmediateFlush(true)
                .withBufferedIo(true)
                .withBufferSize(8192)
                .withAdvertise(false)
                .withFilePermissions("rw-r-----")
                .build();
        final SizeBasedTriggeringPolicy policy = SizeBasedTriggeringPolicy.createPolicy("30");
        final BurstAppender burst = BurstAppender.newBuilder()
                .setName("Orders")
                .setLayout(layout())
                .setConfiguration(CONFIGURATION)
                .withFileName(ours + "/orders.log")
                .withFilePattern(ours + "/orders-%i.log")
                .withPolicy(policy)
                .withStrategy(strategy())
                .withAppend(true)
                .withCreateOnDemand(false)
                .withLocking(false)
                .withImmediateFlush(true)
                .withBufferedIo(true)
                .withBufferSize(8192)
                .withAdvertise(false)
                .withFilePermissions("rw-r-----")
                .set("ringSize", "4 MB")
                .build();
        assertThat(burst.getFileName()).isEqualTo(ours + "/orders.log");
        assertThat(burst.getFilePattern()).isEqualTo(ours + "/orders-%i.log");
        assertThat(burst.<SizeBasedTriggeringPolicy>getTriggeringPolicy()).isSameAs(policy);
        final Map<String, String> files = run(burst, ours);
        assertThat(files).isEqualTo(run(rollingFile, theirs)).hasSize(3);
        assertThat(burst.getFileName()).isEqualTo(ours + "/orders.log");
    }

    @Test
    void the_setters_of_newer_log4j_say_the_same() throws Exception {
        final SizeBasedTriggeringPolicy policy = SizeBasedTriggeringPolicy.createPolicy("30");
        final DefaultRolloverStrategy strategy = strategy();
        final BurstAppenderBuilder builder = BurstAppender.newBuilder()
                .setName("Orders")
                .setLayout(layout())
                .setConfiguration(CONFIGURATION)
                .setFileName(temporary + "/orders.log")
                .setFilePattern(temporary + "/orders-%i.log")
                .setPolicy(policy)
                .setStrategy(strategy)
                .setAppend(true)
                .setImmediateFlush(false)
                .set("ringSize", "4 MB");
        assertThat(builder.getPolicy()).isSameAs(policy);
        assertThat(builder.getStrategy()).isSameAs(strategy);
        final BurstAppender appender = builder.build();
        assertThat(run(appender, temporary))
                .containsOnlyKeys("orders.log", "orders-1.log", "orders-2.log")
                .containsEntry("orders-1.log", "order 0\norder 1\norder 2\norder 3\n");
        assertThat(appender.<SizeBasedTriggeringPolicy>getTriggeringPolicy()).isSameAs(policy);
    }

    @Test
    void each_setter_sets_the_attribute_of_its_name() {
        final BurstAppender appender = BurstAppender.newBuilder()
                .setName("Orders")
                .setFileName(temporary + "/orders.log")
                .setAppend(false)
                .setFilePermissions("0640")
                .setFileOwner("no-such-user")
                .set("ringSize", "much")
                .build();
        appender.start();
        assertThatThrownBy(() -> appender.append(event(1)))
                .isInstanceOf(AppenderLoggingException.class)
                .hasMessageContaining("4 things are wrong")
                .hasMessageContaining("append=\"false\"")
                .hasMessageContaining("filePermissions=\"0640\"")
                .hasMessageContaining("the owner no-such-user")
                .hasMessageContaining("ringSize=\"much\"");
        assertThat(appender.getFileName()).isNull();
        assertThat(appender.getFilePattern()).isNull();
        assertThat(appender.<SizeBasedTriggeringPolicy>getTriggeringPolicy()).isNull();
        appender.stop();
    }

    @Test
    void those_of_attributes_without_effect_are_taken_and_named() {
        final StatusLines status = new StatusLines();
        final BurstAppenderBuilder builder = BurstAppender.newBuilder()
                .setName("Orders")
                .setFileName(temporary + "/orders.log")
                .setFileGroup("no-such-group")
                .setAdvertise(true)
                .setAdvertiseUri("file:orders")
                .setLocking(true)
                .setBufferedIo(true)
                .setBufferSize(1)
                .setImmediateFlush(true)
                .setCreateOnDemand(true);
        final BurstAppender appender = builder.build();
        appender.start();
        status.stopListening();
        assertThat(status.atLeast(Level.INFO))
                .anyMatch(line -> line.contains(
                        "immediateFlush, bufferedIO, bufferSize, createOnDemand, locking without effect"));
        assertThatThrownBy(() -> appender.append(event(1))).hasMessageContaining("the group no-such-group");
        appender.stop();
    }

    @Test
    void a_file_appender_moves_in_the_same_way() throws Exception {
        final FileAppender file = FileAppender.newBuilder()
                .setName("Orders")
                .setLayout(layout())
                .withFileName(temporary + "/theirs.log")
                .withAppend(true)
                .build();
        final BurstAppender burst = BurstAppender.newBuilder()
                .setName("Orders")
                .setLayout(layout())
                .withFileName(temporary + "/ours.log")
                .withAppend(true)
                .set("ringSize", "4 MB")
                .build();
        assertThat(burst.getFileName()).isEqualTo(temporary + "/ours.log");
        assertThat(burst.getFilePattern()).isNull();
        assertThat(burst.<SizeBasedTriggeringPolicy>getTriggeringPolicy()).isNull();
        run(file, temporary);
        final Map<String, String> files = run(burst, temporary);
        assertThat(files.get("ours.log")).isEqualTo(files.get("theirs.log")).isNotEmpty();
    }

    @Test
    void with_direct_write_there_is_no_file_name_as_with_rolling_file() {
        final BurstAppender burst = BurstAppender.newBuilder()
                .setName("Orders")
                .setLayout(layout())
                .setConfiguration(CONFIGURATION)
                .withFilePattern(temporary + "/orders-%i.log")
                .withPolicy(SizeBasedTriggeringPolicy.createPolicy("30"))
                .set("ringSize", "4 MB")
                .build();
        burst.start();
        burst.append(event(1));
        assertThat(burst.getFileName()).isNull();
        assertThat(burst.getFilePattern()).isEqualTo(temporary + "/orders-%i.log");
        burst.stop();
    }

    @Test
    void after_a_change_that_was_refused_it_says_what_is_in_force() {
        final OrdersDirectory directory = new OrdersDirectory(temporary);
        final String size = "<SizeBasedTriggeringPolicy size=\"1 MB\"/>";
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.rolled("orders-%i.log", "", size)))) {
            log4j.reconfigure(RunningLog4j.xml(directory.rolled("others-%i.log", "unknown=\"x\"", size)));
            assertThat(log4j.orders().getFilePattern()).isEqualTo(temporary.resolve("orders-%i.log") + "");
            assertThat(log4j.orders().getFileName()).isEqualTo(directory.file() + "");
            assertThat(log4j.status(Level.ERROR)).anyMatch(line -> line.contains("goes on as before"));
        }
    }

    /** The two elements must not both be in force at once. */
    @Test
    void a_new_configuration_that_rolls_the_file_is_told_that_it_stays_as_it_is_and_its_events_are_logged() {
        final OrdersDirectory directory = new OrdersDirectory(temporary);
        final String size = "<SizeBasedTriggeringPolicy size=\"1 MB\"/>";
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst()))) {
            log4j.reconfigure(RunningLog4j.xml(directory.rolled("orders-%i.log", "", size)));
            assertThat(log4j.status(Level.ERROR))
                    .singleElement()
                    .asString()
                    .contains("is open and stays as it is: filePattern");
            log4j.logger().info("order 1");
        }
        assertThat(directory.lines()).containsExactly("order 1");
    }

    @Test
    void of_two_elements_for_one_file_the_second_is_refused_if_one_alone_rolls_it() {
        final OrdersDirectory directory = new OrdersDirectory(temporary);
        final String size = "<SizeBasedTriggeringPolicy size=\"1 MB\"/>";
        final String rolls = directory.rolled("orders-%i.log", "", size);
        final String plain = directory.burst();
        for (final List<String> pair : List.of(
                List.of(rolls, plain.replace("\"Orders\"", "\"Second\"")),
                List.of(plain, rolls.replace("\"Orders\"", "\"Second\"")))) {
            try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(pair.get(0) + pair.get(1)))) {
                assertThat(log4j.status(Level.ERROR))
                        .singleElement()
                        .asString()
                        .matches(
                                "ERROR Burst '(Orders|Second)' is not started: the log file .* is open already, as Burst"
                                        + " '(Orders|Second)' of .* says, and .* says something else: filePattern is"
                                        + " (unset there and \".*\"|\".*\" there and unset) here; say the same in both"
                                        + " places, or give each a file of its own\\.");
                final List<BurstAppender> both =
                        List.of(log4j.appender("Orders"), log4j.<BurstAppender>appender("Second"));
                assertThat(both.stream().filter(each -> each.stream() == null))
                        .singleElement()
                        .satisfies(refused -> assertThatThrownBy(() -> refused.append(event(1)))
                                .isInstanceOf(AppenderLoggingException.class)
                                .hasMessageContaining("each a file of its own"));
            }
        }
    }
}
