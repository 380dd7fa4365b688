// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static io.burstlog.log4j.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.burstlog.BurstException;
import io.burstlog.jmx.RingMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.management.JMX;
import javax.management.ObjectName;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.appender.AppenderLoggingException;
import org.apache.logging.log4j.core.appender.rolling.AbstractTriggeringPolicy;
import org.apache.logging.log4j.core.appender.rolling.RollingFileManager;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An appender's rule for a full ring that was opened with another rule. */
class LaterRuleTest {

    private static final long HANGS_SECONDS = 120;

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
                new ObjectName("io.burstlog:type=Ring,name=\"" + directory.ring() + "\""),
                RingMXBean.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"onFull=\"block\"", "onFull=\"discard\""})
    void discarded_events_are_counted_whichever_rule_the_ring_was_opened_with(final String before) throws Exception {
        try (RunningLog4j log4j = reconfigured("ack=\"enqueued\" " + before, "ack=\"enqueued\" onFull=\"discard\"")) {
            try (FileSizeLimit limit = FullRing.withoutDrain()) {
                FullRing.fill(log4j.orders().stream().records());
                final long fullBefore = shown().getFullWaits();
                FullRing.logMoreThanFits(log4j.logger());
                assertThat(shown().getDiscarded()).isEqualTo(FullRing.EVENTS);
                // A line about them that is under way may be in one figure, and not yet in the other.
                await().until(() -> shown().getFullWaits() - fullBefore == FullRing.EVENTS);
            }
        }
    }

    @Test
    void a_roll_that_finds_no_space_counts_for_no_event() throws Exception {
        final String bySize = "<SizeBasedTriggeringPolicy size=\"1\"/>";
        final String xml = RunningLog4j.xml(directory.rolled("old-%i.log", "onFull=\"discard\"", bySize));
        try (RunningLog4j log4j = RunningLog4j.with(xml)) {
            try (FileSizeLimit limit = FullRing.withoutDrain()) {
                FullRing.fill(log4j.orders().stream().records());
                final long fullBefore = shown().getFullWaits();
                FullRing.logMoreThanFits(log4j.logger());
                // A line about them that is under way may be in one figure, and not yet in the other.
                await().until(() -> shown().getFullWaits() - fullBefore == FullRing.EVENTS);
                assertThat(shown().getDiscarded()).isEqualTo(FullRing.EVENTS);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"onFull=\"fail\"", "onFull=\"discard\"", "blockTimeout=\"100 ms\""})
    void a_roll_that_is_due_waits_for_space_no_longer_than_its_event(final String rule) throws Exception {
        final String bySize = "<SizeBasedTriggeringPolicy size=\"1\"/>";
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.rolled("old-%i.log", "", bySize)))) {
            log4j.reconfigure(RunningLog4j.xml(directory.rolled("old-%i.log", rule, bySize)));
            try (FileSizeLimit limit = FullRing.withoutDrain()) {
                FullRing.fill(log4j.orders().stream().records());
                CompletableFuture.runAsync(() -> log4j.logger().info("order 1"))
                        .handle((logged, failure) -> failure)
                        .get(HANGS_SECONDS, TimeUnit.SECONDS);
            }
            await().until(() -> shown().getUsedBytes() == 0); // what was freed first may be taken by the roll
            log4j.logger().info("order 2");
        }
        assertThat(directory.lines()).contains("order 2").noneMatch(line -> line.startsWith("long ago"));
        assertThat(directory.path().resolve("old-1.log")).exists();
    }

    /** As {@code OnStartupTriggeringPolicy} does for a file of an earlier JVM. */
    private static final class RollsAtOnce extends AbstractTriggeringPolicy {

        @Override
        public void initialize(final RollingFileManager manager) {
            manager.rollover();
        }

        @Override
        public boolean isTriggeringEvent(final LogEvent event) {
            return false;
        }
    }

    @Test
    void a_policy_that_rolls_as_it_begins_waits_for_no_space() throws Exception {
        final String bySize = "<SizeBasedTriggeringPolicy size=\"1 GB\"/>";
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.rolled("old-%i.log", "", bySize)))) {
            try (FileSizeLimit limit = FullRing.withoutDrain()) {
                FullRing.fill(log4j.orders().stream().records());
                CompletableFuture.runAsync(() -> log4j.orders().getManager().setTriggeringPolicy(new RollsAtOnce()))
                        .get(HANGS_SECONDS, TimeUnit.SECONDS);
            }
            await().until(() -> shown().getUsedBytes() == 0);
            log4j.logger().info("order 1");
        }
        assertThat(directory.lines()).containsExactly("order 1");
        assertThat(directory.path().resolve("old-1.log")).exists();
    }

    @Test
    void an_event_that_waits_for_space_found_the_ring_full_once() throws Exception {
        try (RunningLog4j log4j = reconfigured("ack=\"enqueued\"", "ack=\"enqueued\" blockTimeout=\"10 min\"")) {
            final CompletableFuture<Void> logging;
            final long fullBefore;
            try (FileSizeLimit limit = FullRing.withoutDrain()) {
                FullRing.fill(log4j.orders().stream().records());
                fullBefore = shown().getFullWaits();
                logging = CompletableFuture.runAsync(() -> log4j.logger().info(FullRing.LARGE));
                await().until(() -> shown().getFullWaits() > fullBefore);
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
                FullRing.fill(log4j.orders().stream().records());
                logging = CompletableFuture.runAsync(() -> log4j.logger().info(FullRing.LARGE));
                await().until(() -> log4j.status(Level.ERROR).stream()
                        .anyMatch(line -> line.contains("ring " + directory.ring() + " has been full for")));
                assertThat(logging).isNotDone();
            }
            logging.join();
        }
    }

    @Test
    void a_time_that_no_clock_reaches_is_waited_for() {
        try (RunningLog4j log4j =
                reconfigured("ack=\"enqueued\"", "ack=\"enqueued\" blockTimeout=\"999999999999 min\"")) {
            final FileSizeLimit limit = FullRing.withoutDrain();
            FullRing.fill(log4j.orders().stream().records());
            final CompletableFuture<Void> space = CompletableFuture.runAsync(
                    limit::close, CompletableFuture.delayedExecutor(100, TimeUnit.MILLISECONDS));
            log4j.logger().info(FullRing.LARGE);
            space.join();
            assertThat(log4j.orders().ring().log().awaitDrained(Patience.TIME)).isTrue();
        }
    }

    @Test
    void an_event_that_may_still_become_durable_is_undecided() throws Exception {
        try (RunningLog4j log4j = reconfigured("", "blockTimeout=\"1 us\"")) {
            final Queue<BurstException> undurable = new ConcurrentLinkedQueue<>();
            // Each waits for the other's write.
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
                final BurstException cause = (BurstException) failure.getCause();
                if (cause.code() != BurstException.Code.TIMED_OUT) {
                    undurable.add(cause);
                }
            }
        }
    }
}
