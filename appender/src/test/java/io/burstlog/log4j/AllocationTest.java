// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.impl.Log4jLogEvent;
import org.apache.logging.log4j.message.SimpleMessage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Measures the appender's work on an existing event. Log4j's own clock and its %d are free of garbage only after the
 * JIT compiler has optimised them, for which no test can wait. The appender is free of it from its first events.
 */
class AllocationTest {

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private static final int EVENTS = 400;
    private static final int ROUNDS_AT_MOST = 40;

    @TempDir
    Path temporary;

    private OrdersDirectory directory;

    @BeforeEach
    void chooseDirectory() {
        directory = new OrdersDirectory(temporary);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "ack=\"enqueued\"", "onFull=\"discard\"", "ackLevel=\"warn\"", "blockTimeout=\"10 s\""})
    void appending_allocates_nothing_in_the_steady_state(final String attributes) {
        final String burst = directory.burst(attributes, "<PatternLayout pattern=\"%p %c{1} [%t] %m%n\"/>");
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(burst.replace("4 MB", "64 MB")))) {
            assertThat(steadyBytesPerRound(log4j.orders())).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<SizeBasedTriggeringPolicy size=\"1 GB\"/>",
                "<Policies><TimeBasedTriggeringPolicy/><SizeBasedTriggeringPolicy size=\"1 GB\"/>"
                        + "<CronTriggeringPolicy schedule=\"0 0 0 * * ?\"/><OnStartupTriggeringPolicy/></Policies>"
            })
    void appending_allocates_nothing_while_no_policy_has_to_be_asked(final String policy) {
        final String burst = directory.burst(
                "filePattern=\"" + temporary.resolve("orders-%d{yyyy}-%i.log") + "\"",
                "<PatternLayout pattern=\"%p %c{1} [%t] %m%n\"/>" + policy);
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(burst.replace("4 MB", "64 MB")))) {
            assertThat(steadyBytesPerRound(log4j.orders())).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"onFull=\"fail\"", "blockTimeout=\"10 s\""})
    void appending_allocates_nothing_under_a_rule_for_the_full_ring_that_came_later(final String attributes) {
        try (RunningLog4j log4j =
                RunningLog4j.with(RunningLog4j.xml(directory.burst().replace("4 MB", "64 MB")))) {
            log4j.reconfigure(RunningLog4j.xml(directory.burst(attributes).replace("4 MB", "64 MB")));
            assertThat(steadyBytesPerRound(log4j.orders())).isZero();
        }
    }

    private static long steadyBytesPerRound(final BurstAppender appender) {
        final LogEvent event = Log4jLogEvent.newBuilder()
                .setLoggerName("com.example.Trading")
                .setLevel(Level.INFO)
                .setMessage(new SimpleMessage("order A-4711 of ACME accepted"))
                .build();
        long bytes = Long.MAX_VALUE;
        for (int round = 0; round < ROUNDS_AT_MOST && bytes > 0; round++) {
            final long thread = Thread.currentThread().getId();
            final long before = THREADS.getThreadAllocatedBytes(thread);
            for (int i = 0; i < EVENTS; i++) {
                appender.append(event);
            }
            bytes = THREADS.getThreadAllocatedBytes(thread) - before;
        }
        return bytes;
    }
}
