// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.appender.AppenderLoggingException;
import org.apache.logging.log4j.core.impl.Log4jLogEvent;
import org.apache.logging.log4j.message.AsynchronouslyFormattable;
import org.apache.logging.log4j.message.Message;
import org.apache.logging.log4j.message.SimpleMessage;
import org.apache.logging.log4j.util.StringBuilderFormattable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Formatting breaks in the midst: the caller is told, nothing half-written is logged, and the appender goes on. */
@Timeout(120)
class DyingLayoutTest {

    private static final int ENOUGH = 20;

    @TempDir
    Path temporary;

    private OrdersDirectory directory;

    @BeforeEach
    void chooseDirectory() {
        directory = new OrdersDirectory(temporary);
    }

    /**
     * Writes half of its text, then throws. The layout formats this one; Log4j formats others before it calls an
     * appender.
     */
    @AsynchronouslyFormattable
    private record Dying(int half, Supplier<Throwable> cause) implements Message, StringBuilderFormattable {

        private static final long serialVersionUID = 1L;

        @Override
        public void formatTo(final StringBuilder text) {
            text.append("half ".repeat(half));
            DyingLayoutTest.<RuntimeException>throwAnything(cause.get());
        }

        @Override
        public String getFormattedMessage() {
            formatTo(new StringBuilder());
            return "never";
        }

        @Override
        public Object[] getParameters() {
            return null;
        }

        @Override
        public Throwable getThrowable() {
            return null;
        }
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void throwAnything(final Throwable throwable) throws T {
        throw (T) throwable;
    }

    private static Throwable outOfMemory() {
        try {
            return new AssertionError("so much memory: " + new long[Integer.MAX_VALUE].length);
        } catch (final OutOfMemoryError real) {
            return real;
        }
    }

    private static Throwable stackOverflow() {
        return stackOverflow();
    }

    @Test
    void whoever_logs_is_told_and_the_next_events_of_all_threads_are_whole() throws Exception {
        final List<Supplier<Throwable>> causes = List.of(
                () -> new IllegalStateException("broken"),
                () -> new AppenderLoggingException("broken"),
                DyingLayoutTest::outOfMemory,
                DyingLayoutTest::stackOverflow,
                () -> new AssertionError("broken"));
        final List<String> expected = new ArrayList<>();
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst()))) {
            for (final Supplier<Throwable> cause : causes) {
                for (final int half : new int[] {1, 3_000, 100_000}) {
                    final Throwable thrown = catchThrowable(() -> log4j.logger().info(new Dying(half, cause)));
                    assertThat(thrown)
                            .as("half %d; what Log4j said: %s", half, log4j.status(Level.INFO))
                            .isInstanceOf(AppenderLoggingException.class);
                    final String own = "own " + expected.size();
                    final String other = "other " + expected.size();
                    log4j.logger().info(own);
                    final Thread thread = new Thread(() -> log4j.logger().info(other));
                    thread.start();
                    thread.join();
                    expected.add("INFO " + own);
                    expected.add("INFO " + other);
                }
            }
        }
        assertThat(directory.lines()).isEqualTo(expected);
    }

    @Test
    void a_thread_whose_stack_ends_anywhere_in_a_log_call_logs_whole_events_after_it() throws Exception {
        final List<String> returned = new ArrayList<>();
        final List<String> given = new ArrayList<>();
        final int[] broken = {0};
        final RecordEncoder[] encoders = new RecordEncoder[2];
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst()))) {
            // Once beforehand: a class that is initialized at the end of the stack fails for ever.
            log4j.logger().info("first");
            final Thread thread = new Thread(
                    null,
                    () -> {
                        encoders[0] = own();
                        descend(log4j.orders(), given, returned, broken);
                        encoders[1] = own();
                        log4j.logger().info("last");
                    },
                    "deep",
                    512 * 1024);
            thread.start();
            thread.join();
        }
        assertThat(broken[0]).as("calls that died").isPositive();
        assertThat(returned).hasSizeGreaterThanOrEqualTo(ENOUGH);
        assertThat(directory.lines())
                .doesNotHaveDuplicates()
                .containsAll(returned)
                .startsWith("INFO first")
                .endsWith("INFO last");
        given.add("INFO first");
        given.add("INFO last");
        assertThat(directory.lines()).isSubsetOf(given);
        assertThat(encoders[1]).as("the encoder of the thread is free again").isSameAs(encoders[0]);
    }

    private static LogEvent event(final String text) {
        return Log4jLogEvent.newBuilder()
                .setLevel(Level.INFO)
                .setMessage(new SimpleMessage(text))
                .build();
    }

    private static RecordEncoder own() {
        final RecordEncoder encoder = RecordEncoders.acquire();
        RecordEncoders.release(encoder);
        return encoder;
    }

    private static void descend(
            final BurstAppender appender, final List<String> given, final List<String> returned, final int[] broken) {
        try {
            descend(appender, given, returned, broken);
        } catch (final StackOverflowError theEnd) {
            // From here on each frame has a little more room.
        }
        if (returned.size() < ENOUGH) {
            try {
                final String text = "event " + given.size();
                given.add("INFO " + text);
                // Not through a logger: that answers an error of its own by returning, as if the event were logged.
                appender.append(event(text));
                returned.add("INFO " + text);
            } catch (final StackOverflowError | RuntimeException half) {
                broken[0]++;
            }
        }
    }
}
