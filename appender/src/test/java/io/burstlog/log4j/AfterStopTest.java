// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.appender.AppenderLoggingException;
import org.apache.logging.log4j.core.config.AppenderControl;
import org.apache.logging.log4j.core.impl.Log4jLogEvent;
import org.apache.logging.log4j.message.SimpleMessage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AfterStopTest {

    private static final LogEvent LATE = Log4jLogEvent.newBuilder()
            .setLevel(Level.INFO)
            .setMessage(new SimpleMessage("late"))
            .build();

    @TempDir
    Path temporary;

    private OrdersDirectory directory;

    @BeforeEach
    void chooseDirectory() {
        directory = new OrdersDirectory(temporary);
    }

    @Test
    void an_event_after_shutdown_throws_with_a_reason() {
        final BurstAppender stopped;
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst()))) {
            stopped = log4j.orders();
        }
        assertThatThrownBy(() -> stopped.append(LATE))
                .isInstanceOf(AppenderLoggingException.class)
                .hasMessageContaining("Burst 'Orders'")
                .hasMessageContaining("closed");
        assertThatThrownBy(() -> new AppenderControl(stopped, null, null).callAppender(LATE))
                .isInstanceOf(AppenderLoggingException.class);
        assertThat(directory.lines()).isEmpty();
    }

    @Test
    void an_event_for_an_appender_that_a_reconfiguration_stopped_is_durable_because_the_ring_is_open() {
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst()))) {
            final BurstAppender stopped = log4j.orders();
            log4j.reconfigure(RunningLog4j.xml(directory.burst()));
            assertThat(stopped.isStopped()).isTrue();
            stopped.append(LATE);
            assertThat(log4j.allIsDurable()).isTrue();
        }
        assertThat(directory.lines()).containsExactly("INFO late");
    }

    @Test
    void with_exceptions_ignored_a_late_event_is_reported_to_the_operator() {
        final StatusLines status = new StatusLines();
        final BurstAppender stopped;
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst("ignoreExceptions=\"true\"")))) {
            stopped = log4j.orders();
        }
        new AppenderControl(stopped, null, null).callAppender(LATE);
        status.stopListening();
        assertThat(status.atLeast(Level.ERROR)).isNotEmpty();
    }

    @Test
    void an_appender_can_be_started_and_stopped_again_and_twice() {
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst()))) {
            final BurstAppender appender = log4j.orders();
            appender.start();
            appender.stop();
            appender.stop();
            appender.start();
            appender.append(LATE);
        }
        assertThat(directory.lines()).containsExactly("INFO late");
    }
}
