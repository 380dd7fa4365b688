// SPDX-License-Identifier: Apache-2.0
package io.burstlog.logback;

import static io.burstlog.logback.RunningLogback.MESSAGE;
import static io.burstlog.logback.RunningLogback.burst;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.LogbackException;
import ch.qos.logback.core.encoder.EncoderBase;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.StandardMBean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BurstAppenderTest {

    private static final String LARGE = "x".repeat(2000);

    @TempDir
    Path folder;

    private List<String> lines(String name) throws IOException {
        return Files.readAllLines(folder.resolve(name + ".log"));
    }

    @Test
    void each_appender_has_a_file_and_they_share_a_ring() throws IOException {
        try (RunningLogback logback =
                RunningLogback.with(burst(folder, "a", MESSAGE) + burst(folder, "b", MESSAGE), "a", "b")) {
            logback.logger().info("order {}", 1);
            logback.logger().warn("order 2");
            assertThat(logback.errors()).isEmpty();
            assertThat(logback.warnings()).isEmpty();
        }
        assertThat(lines("a")).containsExactly("INFO order 1", "WARN order 2");
        assertThat(lines("b")).containsExactly("INFO order 1", "WARN order 2");
        try (var files = Files.list(folder)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrder("app.ring", "a.log", "b.log");
        }
    }

    @Test
    void a_header_begins_a_new_file_and_a_footer_ends_each_run() throws IOException {
        String encoder = "<encoder class=\"ch.qos.logback.core.encoder.LayoutWrappingEncoder\">"
                + "<layout class=\"ch.qos.logback.classic.PatternLayout\"><fileHeader>begin</fileHeader>"
                + "<fileFooter>end%n</fileFooter><pattern>%msg%n</pattern></layout></encoder>";
        for (int run = 1; run <= 2; run++) {
            try (RunningLogback logback = RunningLogback.with(burst(folder, "a", encoder), "a")) {
                logback.logger().info("run {}", run);
            }
        }
        assertThat(lines("a")).containsExactly("begin", "run 1", "end%n" + "run 2", "end%n");
    }

    /** Its text logs it again. */
    private record Endless(Logger logger) {
        @Override
        public String toString() {
            logger.info("order {}", this);
            return "endless";
        }
    }

    @Test
    void an_object_that_logs_itself_has_an_end() throws IOException {
        try (RunningLogback logback = RunningLogback.with(burst(folder, "a", MESSAGE), "a")) {
            logback.logger().info("order {}", new Endless(logback.logger()));
            logback.logger().info("order 2");
            assertThat(logback.errors()).singleElement().asString().contains("toString() that logs its own object");
        }
        List<String> lines = lines("a");
        assertThat(lines)
                .hasSize(9)
                .startsWith("INFO order [FAILED toString()]")
                .endsWith("INFO order 2");
        assertThat(lines.subList(1, 8)).containsOnly("INFO order endless");
    }

    @Test
    void a_filter_denies_before_anything_is_logged() throws IOException {
        String filter = "<filter class=\"ch.qos.logback.classic.filter.ThresholdFilter\"><level>WARN</level></filter>";
        try (RunningLogback logback = RunningLogback.with(burst(folder, "a", filter + MESSAGE), "a")) {
            logback.logger().info("order 1");
            logback.logger().warn("order 2");
        }
        assertThat(lines("a")).containsExactly("WARN order 2");
    }

    @Test
    void an_appender_that_cannot_be_used_names_all_reasons_and_each_call_throws() {
        String wrong = "<onFull>never</onFull><append>false</append><prudent>true</prudent>";
        try (RunningLogback logback = RunningLogback.with(burst(folder, "a", wrong + MESSAGE), "a")) {
            assertThat(logback.errors())
                    .singleElement()
                    .asString()
                    .contains(
                            "Burst 'a': it is not started: 3 things are wrong.",
                            "append",
                            "prudent",
                            "onFull=\"never\"");
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> logback.logger().info("order 1"))
                        .isInstanceOf(LogbackException.class)
                        .hasMessageContaining("The event was not logged: 3 things are wrong");
            }
            assertThat(logback.errors()).as("the two events are told once").hasSize(2);
        }
        assertThat(folder).isEmptyDirectory();
    }

    private static final String TAKEN = "a.log is open already, by Burst 'a' of ";
    private static final String WAY_OUT =
            " cannot write it, too: refer to one of them twice, or give each a file of its own";

    @Test
    void a_second_appender_on_one_file_is_refused_with_what_to_do() throws IOException {
        String second = burst(folder, "a", MESSAGE).replace("name=\"a\"", "name=\"b\"");
        try (RunningLogback logback = RunningLogback.with(burst(folder, "a", MESSAGE) + second, "a", "b")) {
            assertThat(logback.errors())
                    .singleElement()
                    .asString()
                    .contains("Burst 'b': it is not started: ", TAKEN, WAY_OUT);
            assertThatThrownBy(() -> logback.logger().info("order 1"))
                    .isInstanceOf(LogbackException.class)
                    .hasMessageContaining("Burst 'b': The event was not logged: ")
                    .hasMessageContaining(TAKEN);
        }
        assertThat(lines("a")).containsExactly("INFO order 1");
    }

    @Test
    void a_second_context_on_one_file_is_refused_with_what_to_do_and_the_first_goes_on() throws IOException {
        try (RunningLogback first = RunningLogback.with(burst(folder, "a", MESSAGE), "a");
                RunningLogback second = RunningLogback.with(burst(folder, "a", MESSAGE), "a")) {
            assertThat(second.errors()).singleElement().asString().contains(TAKEN);
            assertThatThrownBy(() -> second.logger().info("order 1")).hasMessageContaining(TAKEN);
            first.logger().info("order 2");
            assertThat(first.errors()).isEmpty();
        }
        assertThat(lines("a")).containsExactly("INFO order 2");
    }

    @Test
    void what_says_other_things_of_an_open_ring_is_refused() {
        String other = burst(folder, "b", MESSAGE).replace("4 MB", "8 MB");
        try (RunningLogback logback = RunningLogback.with(burst(folder, "a", MESSAGE) + other, "a", "b")) {
            assertThat(logback.errors())
                    .singleElement()
                    .asString()
                    .contains(
                            "Burst 'b': it is not started: the ring ",
                            "is open already, as Burst 'a' of ",
                            " says, and Burst 'b' of ",
                            "ringSize is \"4 MB\" there and \"8 MB\" here");
            assertThatThrownBy(() -> logback.logger().info("order 1")).isInstanceOf(LogbackException.class);
        }
    }

    @Test
    void an_event_that_is_not_logged_throws_and_the_next_is_logged() throws IOException {
        String most = "<maxRecordSize>1 KB</maxRecordSize>";
        try (RunningLogback logback = RunningLogback.with(burst(folder, "a", most + MESSAGE), "a")) {
            assertThatThrownBy(() -> logback.logger().info(LARGE))
                    .isInstanceOf(LogbackException.class)
                    .hasMessageContaining("more than the 1024 bytes");
            logback.logger().info("order 1");
            assertThat(logback.errors()).hasSize(1);
        }
        assertThat(lines("a")).containsExactly("INFO order 1");
    }

    @Test
    void without_failClosed_only_the_status_tells() throws IOException {
        String most = "<failClosed>false</failClosed><maxRecordSize>1 KB</maxRecordSize>";
        try (RunningLogback logback = RunningLogback.with(burst(folder, "a", most + MESSAGE), "a")) {
            logback.logger().info(LARGE);
            logback.logger().info(LARGE);
            logback.logger().info("order 1");
            assertThat(logback.errors()).hasSize(1);
            logback.close();
            assertThat(logback.errors()).as("the second event is told at stop").hasSize(2);
        }
        assertThat(lines("a")).containsExactly("INFO order 1");
    }

    /** An encoder that can fail. */
    public static final class RefusingEncoder extends EncoderBase<ILoggingEvent> {
        @Override
        public byte[] headerBytes() {
            return null;
        }

        @Override
        public byte[] encode(ILoggingEvent event) {
            if (event.getFormattedMessage().contains("bad")) {
                throw new IllegalStateException("cannot be encoded");
            }
            return (event.getFormattedMessage() + "\n").getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public byte[] footerBytes() {
            return null;
        }
    }

    @Test
    void an_encoder_that_throws_is_heard_by_the_caller() throws IOException {
        String encoder = "<encoder class=\"" + RefusingEncoder.class.getName() + "\"/>";
        try (RunningLogback logback = RunningLogback.with(burst(folder, "a", encoder), "a")) {
            assertThatThrownBy(() -> logback.logger().info("bad order"))
                    .isInstanceOf(LogbackException.class)
                    .hasMessageContaining("cannot be encoded");
            logback.logger().info("order 1");
        }
        assertThat(lines("a")).containsExactly("order 1");
    }

    @Test
    void the_thread_of_an_AsyncAppender_outlives_an_event_that_is_not_logged() throws IOException {
        String async =
                "<appender name=\"async\" class=\"ch.qos.logback.classic.AsyncAppender\"><appender-ref ref=\"a\"/>"
                        + "<maxFlushTime>0</maxFlushTime></appender>";
        String encoder = "<encoder class=\"" + RefusingEncoder.class.getName() + "\"/>";
        try (RunningLogback logback = RunningLogback.with(burst(folder, "a", encoder) + async, "async")) {
            logback.logger().info("bad order");
            logback.logger().info("order 1");
        }
        assertThat(lines("a")).containsExactly("order 1");
    }

    @Test
    void what_the_ring_tells_is_a_status_of_the_same_severity() throws JMException {
        MBeanServer clients = ManagementFactory.getPlatformMBeanServer();
        ObjectName taken =
                new ObjectName("io.burstlog:type=Ring,name=" + ObjectName.quote(folder.resolve("app.ring") + ""));
        clients.registerMBean(new StandardMBean((Runnable) () -> {}, Runnable.class), taken);
        try (RunningLogback logback =
                RunningLogback.with(burst(folder, "a", "<onFull>discard</onFull>" + MESSAGE), "a")) {
            assertThat(logback.warnings()).singleElement().asString().contains("'a'", "is not shown to management");
            String large = "x".repeat(700_000); // the ring has room for five of these; the drain is slower
            for (int i = 0; i < 1000 && logback.errors().isEmpty(); i++) {
                logback.logger().info(large);
            }
            assertThat(logback.errors()).singleElement().asString().contains("'a'", "an event was discarded");
        } finally {
            clients.unregisterMBean(taken);
        }
    }

    @Test
    void an_event_is_encoded_by_others_later_as_it_was() {
        try (RunningLogback logback = RunningLogback.with(burst(folder, "a", MESSAGE), "a")) {
            LoggingEvent event = new LoggingEvent("", logback.logger(), Level.INFO, "order", null, null);
            logback.logger().getLoggerContext().getMDCAdapter().put("order", "1");
            logback.logger().callAppenders(event);
            logback.logger().getLoggerContext().getMDCAdapter().put("order", "2");
            assertThat(event.getMDCPropertyMap()).containsEntry("order", "1");
        }
    }

    @Test
    void an_event_after_stop_throws() {
        try (RunningLogback logback = RunningLogback.with(burst(folder, "a", MESSAGE), "a")) {
            logback.appender("a").stop();
            assertThatThrownBy(() -> logback.logger().info("order 1"))
                    .isInstanceOf(LogbackException.class)
                    .hasMessageContaining("closed");
        }
    }

    @Test
    void a_variable_that_is_not_defined_does_not_name_a_file() {
        String appender = burst(folder, "a", MESSAGE).replace(folder + "/a.log", "${LOG_FILE}");
        try (RunningLogback logback = RunningLogback.with(appender, "a")) {
            assertThat(logback.errors()).singleElement().asString().contains("LOG_FILE_IS_UNDEFINED");
        }
    }
}
