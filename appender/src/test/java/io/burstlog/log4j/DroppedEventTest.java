// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Field;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.core.Appender;
import org.apache.logging.log4j.core.Filter;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.appender.AppenderLoggingException;
import org.apache.logging.log4j.core.appender.FailoverAppender;
import org.apache.logging.log4j.core.appender.rewrite.RewriteAppender;
import org.apache.logging.log4j.core.config.AppenderControl;
import org.apache.logging.log4j.core.config.AppenderControlArraySet;
import org.apache.logging.log4j.core.config.LoggerConfig;
import org.apache.logging.log4j.core.filter.AbstractFilter;
import org.apache.logging.log4j.core.impl.Log4jLogEvent;
import org.apache.logging.log4j.message.AsynchronouslyFormattable;
import org.apache.logging.log4j.message.Message;
import org.apache.logging.log4j.message.SimpleMessage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Log4j marks in a ThreadLocal that a thread is in an appender, and drops events that the thread logs meanwhile; its
 * log calls return. A stack overflow at the wrong moment leaves that mark for ever: this test sets it by hand.
 */
class DroppedEventTest {

    private static final String OVERFLOW = "since a stack overflow in an earlier log call";
    private static final String NESTED = "while this appender was taking another event of the same logger";

    @TempDir
    Path temporary;

    private OrdersDirectory directory;

    @BeforeEach
    void chooseDirectory() {
        directory = new OrdersDirectory(temporary);
    }

    private static Object valueOf(final Class<?> type, final String name, final Object of) throws Exception {
        final Field field = type.getDeclaredField(name);
        field.setAccessible(true);
        return field.get(of);
    }

    /** Leaves the mark as a stack overflow in that control's call does. */
    @SuppressWarnings("unchecked")
    private static void mark(final AppenderControl control) throws Exception {
        ((ThreadLocal<AppenderControl>) valueOf(AppenderControl.class, "recursive", control)).set(control);
    }

    private static AppenderControl controlOf(final RunningLog4j log4j) throws Exception {
        final LoggerConfig root = log4j.context().getConfiguration().getRootLogger();
        return ((AppenderControlArraySet) valueOf(LoggerConfig.class, "appenders", root)).get()[0];
    }

    @Test
    void the_first_event_after_a_stack_overflow_throws_and_the_next_is_logged() throws Exception {
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst()))) {
            mark(controlOf(log4j));
            assertThatThrownBy(() -> log4j.logger().info("dropped"))
                    .isInstanceOf(AppenderLoggingException.class)
                    .hasMessageStartingWith("Burst 'Orders': an event was not logged")
                    .hasMessageContaining(OVERFLOW)
                    .hasMessageContaining("the next event of the thread is logged again");
            log4j.logger().info("next");
            assertThat(log4j.status(Level.ERROR)).singleElement().asString().contains(OVERFLOW);
        }
        assertThat(directory.lines()).containsExactly("INFO next");
    }

    @Test
    void what_a_stack_overflow_left_in_one_thread_is_removed_also_while_others_are_in_the_appender() throws Exception {
        final List<Throwable> thrown = new ArrayList<>();
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst()))) {
            final AppenderControl control = controlOf(log4j);
            final Object startsAnother = new Object() {
                @Override
                public String toString() {
                    final Thread marked = new Thread(() -> {
                        try {
                            mark(control);
                            log4j.logger().info("dropped");
                        } catch (final Exception refusal) {
                            thrown.add(refusal);
                        }
                        log4j.logger().info("of the other");
                    });
                    marked.start();
                    joined(marked);
                    return "one";
                }
            };
            log4j.logger().info("this {}", startsAnother);
        }
        assertThat(thrown).singleElement().asString().contains(OVERFLOW);
        assertThat(directory.lines()).containsExactly("INFO of the other", "INFO this one");
    }

    private static void joined(final Thread thread) {
        try {
            thread.join();
        } catch (final InterruptedException impossible) {
            throw new AssertionError(impossible);
        }
    }

    @Test
    void where_exceptions_are_ignored_each_dropped_event_is_counted_and_told() throws Exception {
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst("ignoreExceptions=\"true\"")))) {
            for (int i = 0; i < 3; i++) {
                mark(controlOf(log4j));
                assertThatCode(() -> log4j.logger().info("dropped")).doesNotThrowAnyException();
            }
            log4j.logger().info("next");
            assertThat(log4j.status(Level.ERROR)).singleElement().asString().contains(OVERFLOW);
            log4j.context().stop();
            assertThat(log4j.status(Level.ERROR))
                    .hasSize(2)
                    .last()
                    .asString()
                    .contains(OVERFLOW)
                    .endsWith("This has happened 2 times since it was last told.");
        }
        assertThat(directory.lines()).containsExactly("INFO next");
    }

    @Test
    void a_thread_whose_mark_cannot_be_removed_hears_it_at_each_call() throws Exception {
        final BurstAppender appender = BurstAppender.newBuilder()
                .setName("Orders")
                .set("ring", directory.ring().toString())
                .set("ringSize", "4 MB")
                .set("fileName", directory.file().toString())
                .build();
        appender.start();
        try {
            final AppenderControl control = new AppenderControl(appender, null, null);
            mark(control);
            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(() -> control.callAppender(event()))
                        .isInstanceOf(AppenderLoggingException.class)
                        .hasMessageContaining(OVERFLOW)
                        .hasMessageContaining("no event of this thread is logged any more");
            }
        } finally {
            appender.stop();
        }
        assertThat(directory.lines()).isEmpty();
    }

    private static LogEvent event() {
        return Log4jLogEvent.newBuilder()
                .setLevel(Level.INFO)
                .setMessage(new SimpleMessage("dropped"))
                .build();
    }

    @Test
    void a_failover_gets_the_event_and_the_mark_of_its_primary_is_removed() throws Exception {
        final Path other = temporary.resolve("other.log");
        final String appenders = directory.burst() + "<File name=\"Other\" fileName=\"" + other + "\">"
                + OrdersDirectory.LEVEL_AND_MESSAGE + "</File><Failover name=\"Both\" primary=\"Orders\""
                + " retryIntervalSeconds=\"0\"><Failovers><AppenderRef ref=\"Other\"/></Failovers></Failover>";
        final String loggers = "<Root level=\"all\"><AppenderRef ref=\"Both\"/></Root>";
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(appenders, loggers))) {
            final Appender both = log4j.appender("Both");
            final AppenderControl primary = (AppenderControl) valueOf(FailoverAppender.class, "primary", both);
            mark(primary);
            // The mark of the Failover itself stays, since the nested event is nested in its call.
            log4j.logger().info(new LogsTwice(log4j.logger(), new ArrayList<>()));
            assertThat(log4j.status(Level.ERROR))
                    .anyMatch(line -> line.contains(OVERFLOW) && line.contains("is logged again"));
            primary.callAppender(event());
        }
        assertThat(other).content().isEqualToIgnoringNewLines("INFO formatted");
        assertThat(directory.lines()).containsExactly("INFO dropped");
    }

    @Test
    void the_mark_is_removed_also_behind_a_rewrite_and_where_it_is_the_second_choice() throws Exception {
        final String appenders = directory.burst() + "<Null name=\"First\"/><Rewrite name=\"Rewritten\""
                + " ignoreExceptions=\"false\"><AppenderRef ref=\"Orders\"/><MapRewritePolicy/></Rewrite>"
                + "<Failover name=\"Both\" primary=\"First\"><Failovers><AppenderRef ref=\"Orders\"/></Failovers>"
                + "</Failover>";
        final String loggers = "<Root level=\"all\"><AppenderRef ref=\"Rewritten\"/><AppenderRef ref=\"Both\"/></Root>";
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(appenders, loggers))) {
            final Map<?, ?> rewritten =
                    (Map<?, ?>) valueOf(RewriteAppender.class, "appenders", log4j.appender("Rewritten"));
            final List<?> second =
                    (List<?>) valueOf(FailoverAppender.class, "failoverAppenders", log4j.appender("Both"));
            for (final Object control : List.of(rewritten.values().iterator().next(), second.get(0))) {
                mark((AppenderControl) control);
                assertThatThrownBy(() -> ((AppenderControl) control).callAppender(event()))
                        .hasMessageContaining("is logged again");
                ((AppenderControl) control).callAppender(event());
            }
        }
        assertThat(directory.lines()).containsExactly("INFO dropped", "INFO dropped");
    }

    @Test
    void an_event_that_is_logged_while_its_own_logger_logs_throws_and_leaves_the_outer_one_whole() {
        final List<Throwable> thrown = new ArrayList<>();
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst()))) {
            log4j.logger().info(new LogsTwice(log4j.logger(), thrown));
            log4j.logger().info("next");
            assertThat(log4j.status(Level.ERROR)).singleElement().asString().contains(NESTED);
        }
        assertThat(thrown)
                .hasSize(2)
                .allSatisfy(each -> assertThat(each)
                        .isInstanceOf(AppenderLoggingException.class)
                        .hasMessageContaining(NESTED));
        assertThat(directory.lines()).containsExactly("INFO formatted", "INFO next");
    }

    @Test
    void a_nested_event_is_counted_and_told_where_exceptions_are_ignored() {
        final List<Throwable> thrown = new ArrayList<>();
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst("ignoreExceptions=\"true\"")))) {
            log4j.logger().info(new LogsTwice(log4j.logger(), thrown));
            log4j.context().stop();
            assertThat(log4j.status(Level.ERROR)).hasSize(2).allMatch(line -> line.contains(NESTED));
        }
        assertThat(thrown).isEmpty();
        assertThat(directory.lines()).containsExactly("INFO formatted");
    }

    /** Log4j asks the appender's filter before the appender: this call set the mark, so it must stay. */
    @Test
    void an_event_that_the_filter_of_the_appender_logs_throws_each_time() {
        final List<Throwable> thrown = new ArrayList<>();
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst()))) {
            final LogsTwice logging = new LogsTwice(log4j.logger(), thrown);
            log4j.orders().addFilter(new AbstractFilter() {
                @Override
                public Filter.Result filter(final LogEvent event) {
                    assertThat(logging.getFormattedMessage()).isEqualTo("formatted");
                    return Filter.Result.NEUTRAL;
                }
            });
            log4j.logger().info("outer");
        }
        assertThat(thrown).hasSize(2).allSatisfy(each -> assertThat(each).hasMessageContaining(NESTED));
        assertThat(directory.lines()).containsExactly("INFO outer");
    }

    /** A message whose text is first asked for by the layout. */
    @AsynchronouslyFormattable
    private record LogsTwice(Logger logger, List<Throwable> thrown) implements Message {

        @Override
        public String getFormattedMessage() {
            for (int i = 0; i < 2; i++) {
                try {
                    logger.info("inner");
                } catch (final RuntimeException refusal) {
                    thrown.add(refusal);
                }
            }
            return "formatted";
        }

        @Override
        public String getFormat() {
            return "";
        }

        @Override
        public Object[] getParameters() {
            return new Object[0];
        }

        @Override
        public Throwable getThrowable() {
            return null;
        }
    }
}
