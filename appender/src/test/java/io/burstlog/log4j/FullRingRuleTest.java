// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static io.burstlog.log4j.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.burstlog.BurstException;
import io.burstlog.OnFull;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.management.JMX;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.appender.AppenderLoggingException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The rule that an appender keeps by itself, because the ring was opened with another. */
class FullRingRuleTest {

    @TempDir
    Path temporary;

    private OrdersDirectory directory;

    @BeforeEach
    void chooseDirectory() throws Exception {
        directory = new OrdersDirectory(temporary.toRealPath());
        FullRing.makeLong(directory.file());
    }

    private RunningLog4j reconfigured(final String before, final String after) {
        final RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst(before)));
        log4j.reconfigure(RunningLog4j.xml(directory.burst(after)));
        return log4j;
    }

    private RingMXBean shown() throws Exception {
        return JMX.newMXBeanProxy(
                ManagementFactory.getPlatformMBeanServer(),
                RingManagement.nameOf(directory.ring().toString()),
                RingMXBean.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"onFull=\"block\"", "onFull=\"discard\""})
    void discarded_events_are_counted_whichever_rule_the_ring_was_opened_with(final String before) throws Exception {
        try (RunningLog4j log4j = reconfigured("ack=\"enqueued\" " + before, "ack=\"enqueued\" onFull=\"discard\"")) {
            try (FileSizeLimit limit = FullRing.withoutDrain()) {
                FullRing.fill(log4j.orders().manager().log());
                final long fullBefore = shown().getFullWaits();
                FullRing.logMoreThanFits(log4j.logger());
                assertThat(shown().getDiscarded()).isEqualTo(FullRing.EVENTS);
                assertThat(shown().getFullWaits() - fullBefore).isEqualTo(FullRing.EVENTS);
            }
        }
    }

    @Test
    void an_event_that_waits_for_space_found_the_ring_full_once() throws Exception {
        try (RunningLog4j log4j = reconfigured("ack=\"enqueued\"", "ack=\"enqueued\" blockTimeout=\"10 min\"")) {
            final CompletableFuture<Void> logging;
            final long fullBefore;
            try (FileSizeLimit limit = FullRing.withoutDrain()) {
                FullRing.fill(log4j.orders().manager().log());
                fullBefore = shown().getFullWaits();
                logging = CompletableFuture.runAsync(() -> log4j.logger().info(FullRing.LARGE));
                final long enough = fullBefore + 100;
                await().until(() -> log4j.orders().manager().log().stats().fullWaits() > enough);
            }
            logging.join();
            assertThat(shown().getFullWaits() - fullBefore).isEqualTo(1);
        }
    }

    @Test
    void an_event_that_waits_for_space_is_an_error_to_the_operator() {
        try (RunningLog4j log4j = reconfigured("ack=\"enqueued\"", "ack=\"enqueued\" blockTimeout=\"10 min\"")) {
            final CompletableFuture<Void> logging;
            try (FileSizeLimit limit = FullRing.withoutDrain()) {
                FullRing.fill(log4j.orders().manager().log());
                logging = CompletableFuture.runAsync(() -> log4j.logger().info(FullRing.LARGE));
                await().until(() -> log4j.status(Level.ERROR).stream()
                        .anyMatch(line -> line.contains("a log call waits")
                                && line.contains(directory.file().toString())));
                assertThat(logging).isNotDone();
            }
            logging.join();
        }
    }

    @Test
    void without_a_block_timeout_an_event_waits_for_the_medium_as_long_as_it_takes() {
        final FullRingRule rule = new FullRingRule(OnFull.BLOCK, Duration.ZERO);
        final long yesterday = System.nanoTime() - TimeUnit.DAYS.toNanos(1);
        final List<Duration> waits = new ArrayList<>();
        for (final Duration left : new Duration[] {rule.all(), rule.left(yesterday)}) {
            rule.awaitDurable((log, sequence, timeout) -> waits.add(timeout), null, 1, left);
        }
        assertThat(waits).hasSize(2).allMatch(timeout -> timeout.compareTo(Duration.ofDays(36_500)) > 0);
    }

    @Test
    void with_a_block_timeout_an_event_is_undecided_when_it_is_over() {
        final FullRingRule rule = new FullRingRule(OnFull.BLOCK, Duration.ofMillis(10));
        assertThat(rule.all()).isEqualTo(Duration.ofMillis(10));
        assertThat(rule.left(System.nanoTime() - TimeUnit.DAYS.toNanos(1))).isZero();
        assertThatExceptionOfType(BurstException.class)
                .isThrownBy(() -> rule.awaitDurable((log, sequence, timeout) -> false, null, 1, rule.all()))
                .withMessageContaining("blockTimeout, 10 ms")
                .extracting(BurstException::code)
                .isEqualTo(BurstException.Code.UNDECIDED);
    }

    @Test
    void a_time_that_no_clock_reaches_is_waited_for() {
        try (RunningLog4j log4j =
                reconfigured("ack=\"enqueued\"", "ack=\"enqueued\" blockTimeout=\"999999999999 min\"")) {
            final FileSizeLimit limit = FullRing.withoutDrain();
            FullRing.fill(log4j.orders().manager().log());
            final CompletableFuture<Void> space = CompletableFuture.runAsync(
                    limit::close, CompletableFuture.delayedExecutor(100, TimeUnit.MILLISECONDS));
            log4j.logger().info(FullRing.LARGE);
            space.join();
            assertThat(log4j.orders().manager().log().awaitDrained(Patience.TIME))
                    .isTrue();
        }
    }

    @Test
    void an_event_that_may_still_become_durable_is_undecided() throws Exception {
        try (RunningLog4j log4j = reconfigured("", "blockTimeout=\"1 us\"")) {
            final Queue<BurstException> undurable = new ConcurrentLinkedQueue<>();
            // Each waits for the write of the other.
            final List<Thread> threads = Stream.generate(() -> new Thread(() -> logUntil(undurable, log4j)))
                    .limit(2)
                    .toList();
            threads.forEach(Thread::start);
            for (final Thread thread : threads) {
                thread.join();
            }
            assertThat(undurable).isNotEmpty().allMatch(failure -> failure.code() == BurstException.Code.UNDECIDED);
        }
    }

    private static void logUntil(final Queue<BurstException> undurable, final RunningLog4j log4j) {
        while (undurable.isEmpty()) {
            try {
                log4j.logger().info("order");
            } catch (final AppenderLoggingException failure) {
                if (failure.getMessage().contains("may still become durable")) {
                    undurable.add((BurstException) failure.getCause());
                }
            }
        }
    }
}
