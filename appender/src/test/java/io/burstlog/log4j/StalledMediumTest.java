// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static io.burstlog.log4j.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.burstlog.BurstException;
import io.burstlog.BurstStats;
import io.burstlog.doors.OpenRing;
import io.burstlog.doors.Rings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.appender.AppenderLoggingException;
import org.apache.logging.log4j.core.appender.rolling.AbstractTriggeringPolicy;
import org.apache.logging.log4j.core.appender.rolling.RollingFileManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A medium hangs within calls with a time limit, and within other calls. It goes on only after the call that is judged
 * has returned.
 */
class StalledMediumTest {

    private static final String ONE_SECOND = "shutdownTimeout=\"1 s\" ";
    private static final long HANGS_SECONDS = 120;

    @TempDir
    Path temporary;

    private FreezableFileSystem fileSystem;
    private OrdersDirectory frozen;
    private OrdersDirectory other;

    @BeforeEach
    void mount() throws Exception {
        fileSystem = FreezableFileSystem.in(temporary);
        frozen = new OrdersDirectory(Files.createDirectory(fileSystem.path().resolve("orders")));
        other = new OrdersDirectory(Files.createDirectory(temporary.resolve("other")));
    }

    @AfterEach
    void unmount() {
        if (fileSystem != null) {
            fileSystem.close();
        }
    }

    /** Runs on a thread of its own, since it may hang. */
    private static CompletableFuture<Void> begin(final Runnable work) {
        final CompletableFuture<Void> done = new CompletableFuture<>();
        final Thread thread = new Thread(() -> {
            try {
                work.run();
                done.complete(null);
            } catch (final Throwable failure) {
                done.completeExceptionally(failure);
            }
        });
        thread.setDaemon(true);
        thread.start();
        return done;
    }

    private static void mustReturn(final Runnable work) throws Exception {
        begin(work).get(HANGS_SECONDS, TimeUnit.SECONDS);
    }

    private void startLogAndStopAnother() {
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(other.burst()))) {
            log4j.logger().info("order 1");
        }
        assertThat(other.lines()).containsExactly("INFO order 1");
    }

    private RunningLog4j withAnEventThatIsNotDurable(final String attributes, final FreezableFileSystem.Frozen[] ice) {
        final RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(frozen.burst("ack=\"enqueued\" " + attributes)));
        log4j.logger().info("order 1");
        log4j.awaitDrained();
        ice[0] = fileSystem.freeze();
        log4j.logger().info("order 2");
        return log4j;
    }

    @Test
    void a_stop_that_hangs_holds_up_no_start_and_no_stop_of_another_ring() throws Exception {
        final FreezableFileSystem.Frozen[] ice = {null};
        final RunningLog4j log4j = withAnEventThatIsNotDurable("", ice);
        final BurstAppender orders = log4j.orders();
        final CompletableFuture<Void> stopped;
        try {
            stopped = begin(log4j::close);
            await().until(() -> orders.isStopping() || orders.isStopped());
            mustReturn(this::startLogAndStopAnother);
            assertThat(stopped).isNotDone();
        } finally {
            ice[0].close();
        }
        stopped.get();
        assertThat(frozen.lines()).containsExactly("INFO order 1", "INFO order 2");
    }

    private static boolean oneWaitsForTheOpenOfAnother() {
        return Thread.getAllStackTraces().values().stream()
                .anyMatch(frames -> Arrays.stream(frames)
                                .anyMatch(frame -> frame.getClassName().equals(Rings.class.getName()))
                        && Arrays.stream(frames)
                                .anyMatch(frame -> frame.getMethodName().equals("awaitUninterruptibly")));
    }

    @Test
    void who_waits_for_a_ring_that_another_opens_has_it_as_soon_as_it_is_open() throws Exception {
        final CyclicBarrier bothAreOpen = new CyclicBarrier(2);
        final Runnable application = () -> {
            try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(frozen.burst()))) {
                bothAreOpen.await(HANGS_SECONDS, TimeUnit.SECONDS);
                log4j.logger().info("order");
            } catch (final InterruptedException | BrokenBarrierException | TimeoutException alone) {
                throw new AssertionError(alone);
            }
        };
        final CompletableFuture<Void> first;
        final CompletableFuture<Void> second;
        try (FreezableFileSystem.Frozen ice = fileSystem.freeze()) {
            first = begin(application);
            second = begin(application);
            Patience.await().until(StalledMediumTest::oneWaitsForTheOpenOfAnother);
        }
        first.get();
        second.get();
        assertThat(frozen.lines()).containsExactly("INFO order", "INFO order");
    }

    @Test
    void nor_does_a_start_that_hangs() throws Exception {
        final CompletableFuture<Void> started;
        try (FreezableFileSystem.Frozen ice = fileSystem.freeze()) {
            started = begin(() -> {
                try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(frozen.burst()))) {
                    log4j.logger().info("order 1");
                }
            });
            mustReturn(this::startLogAndStopAnother);
            assertThat(started).isNotDone();
        }
        started.get();
        assertThat(frozen.lines()).containsExactly("INFO order 1");
    }

    @Test
    void a_stop_whose_events_are_all_durable_ends_with_a_warning() throws Exception {
        final String burst = other.burst(ONE_SECOND)
                .replace(other.file().toString(), frozen.file().toString());
        final RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(burst));
        final OpenRing ring = log4j.orders().ring();
        try (FreezableFileSystem.Frozen ice = fileSystem.freeze()) {
            log4j.logger().info("order 1");
            mustReturn(log4j::close);
            assertThat(ring.isAllDurable()).isTrue();
        }
        assertThat(log4j.status(Level.ERROR)).isEmpty();
        assertThat(log4j.status(Level.WARN))
                .anyMatch(line -> line.contains("all events are durable") && line.contains("shutdownTimeout, 1 s"));
        await().ignoreExceptions().until(() -> {
            try (RunningLog4j again = RunningLog4j.with(RunningLog4j.xml(burst))) {
                again.logger().info("order 2");
                return true;
            }
        });
        assertThat(frozen.lines()).containsExactly("INFO order 1", "INFO order 2");
    }

    @Test
    void a_stop_ends_with_shutdownTimeout_and_the_next_start_is_refused_until_the_medium_answers() throws Exception {
        final FreezableFileSystem.Frozen[] ice = {null};
        final RunningLog4j log4j = withAnEventThatIsNotDurable(ONE_SECOND, ice);
        final OpenRing ring = log4j.orders().ring();
        try {
            mustReturn(log4j::close);
            assertThat(log4j.status(Level.ERROR)).anyMatch(line -> line.contains("could not be closed within"));
            assertThat(ring.log().stats().state()).isEqualTo(BurstStats.State.CLOSED);
            mustReturn(() -> {
                try (RunningLog4j again = RunningLog4j.with(RunningLog4j.xml(frozen.burst()))) {
                    assertThat(again.status(Level.ERROR))
                            .anyMatch(line -> line.contains("whose close of it has not ended"));
                }
            });
        } finally {
            ice[0].close();
        }
        // The time for draining is over: the next start brings the ring's records to the log file.
        await().ignoreExceptions().until(() -> {
            try (RunningLog4j again = RunningLog4j.with(RunningLog4j.xml(frozen.burst()))) {
                again.logger().info("order 3");
                return true;
            }
        });
        assertThat(frozen.lines()).containsExactly("INFO order 1", "INFO order 2", "INFO order 3");
    }

    @Test
    void a_log_file_that_hangs_holds_up_no_log_call_of_another_on_its_ring() throws Exception {
        final String stalled =
                other.burst().replace(other.file().toString(), frozen.file().toString());
        final String audit = other.burst().replace("\"Orders\"", "\"Audit\"");
        final RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(
                stalled + audit,
                "<Root level=\"all\"><AppenderRef ref=\"Orders\"/></Root>"
                        + "<Logger name=\"audit\" additivity=\"false\"><AppenderRef ref=\"Audit\"/></Logger>"));
        final EventStream orders = log4j.orders().stream();
        try (FreezableFileSystem.Frozen ice = fileSystem.freeze()) {
            log4j.logger().info("order 1");
            mustReturn(() -> {
                for (int i = 1; i <= 100; i++) {
                    log4j.logger("audit").info("record {}", i);
                }
                assertThat(log4j.allIsDurable()).isTrue();
            });
            assertThat(orders.records().stats().drainedSequence()).isZero();
        }
        log4j.close();
        assertThat(frozen.lines()).containsExactly("INFO order 1");
        assertThat(other.lines()).hasSize(100).last().isEqualTo("INFO record 100");
    }

    @Test
    void a_reconfiguration_that_meets_it_goes_on_after_shutdownTimeout() throws Exception {
        final FreezableFileSystem.Frozen[] ice = {null};
        final RunningLog4j log4j = withAnEventThatIsNotDurable(ONE_SECOND, ice);
        try {
            mustReturn(() -> log4j.reconfigure(RunningLog4j.xml(frozen.burst("ack=\"enqueued\" " + ONE_SECOND))));
            log4j.logger().info("order 3");
        } finally {
            ice[0].close();
        }
        assertThat(log4j.orders().ring().log().awaitDrained(Patience.TIME)).isTrue();
        log4j.close();
        assertThat(frozen.lines()).containsExactly("INFO order 1", "INFO order 2", "INFO order 3");
    }

    private String rolled(final String filePattern, final String attributes) {
        return RunningLog4j.xml(frozen.rolled(filePattern, attributes, "<SizeBasedTriggeringPolicy size=\"1 GB\"/>"));
    }

    private static CompletableFuture<Void> beginRoll(final RunningLog4j log4j) {
        final OpenRing ring = log4j.orders().ring();
        final long before = ring.log().stats().acceptedSequence();
        final CompletableFuture<Void> rolling = begin(log4j.orders().getManager()::rollover);
        await().until(() -> ring.log().stats().acceptedSequence() > before);
        return rolling;
    }

    @Test
    void a_roll_that_the_medium_does_not_take_holds_up_no_stop() throws Exception {
        final RunningLog4j log4j = RunningLog4j.with(rolled("old-%i.log", ONE_SECOND));
        final CompletableFuture<Void> rolling;
        try (FreezableFileSystem.Frozen ice = fileSystem.freeze()) {
            rolling = beginRoll(log4j);
            mustReturn(log4j::close);
            assertThat(log4j.status(Level.ERROR)).anyMatch(line -> line.contains("after shutdownTimeout, 1 s"));
            assertThat(rolling).isNotDone();
        }
        rolling.get();
    }

    @Test
    void nor_a_reconfiguration_which_says_that_the_policy_stays() throws Exception {
        final RunningLog4j log4j = RunningLog4j.with(rolled("old-%i.log", ONE_SECOND));
        log4j.logger().info("order 1");
        final CompletableFuture<Void> rolling;
        try (FreezableFileSystem.Frozen ice = fileSystem.freeze()) {
            rolling = beginRoll(log4j);
            mustReturn(() -> log4j.reconfigure(rolled("new-%i.log", ONE_SECOND)));
            assertThat(log4j.status(Level.ERROR))
                    .anyMatch(line -> line.contains("not in force")
                            && line.contains("a roll of the log file still waits for the ring " + frozen.ring()));
            assertThat(rolling).isNotDone();
        }
        rolling.get();
        log4j.logger().info("order 2");
        log4j.awaitDrained();
        log4j.close();
        assertThat(Files.readAllLines(frozen.path().resolve("old-1.log"))).containsExactly("order 1");
        assertThat(frozen.lines()).containsExactly("order 2");
    }

    private static final class AlwaysDue extends AbstractTriggeringPolicy {

        @Override
        public void initialize(final RollingFileManager manager) {
            // It needs none.
        }

        @Override
        public boolean isTriggeringEvent(final LogEvent event) {
            return true;
        }
    }

    @Test
    void nor_a_log_call_with_a_block_timeout_whose_own_roll_is_due() throws Exception {
        final RunningLog4j log4j = RunningLog4j.with(rolled("old-%i.log", ""));
        log4j.reconfigure(rolled("old-%i.log", "blockTimeout=\"200 ms\""));
        log4j.orders().getManager().setTriggeringPolicy(new AlwaysDue());
        final CompletableFuture<Void> rolling;
        try (FreezableFileSystem.Frozen ice = fileSystem.freeze()) {
            rolling = beginRoll(log4j);
            mustReturn(() -> assertThatThrownBy(() -> log4j.logger().info("order 1"))
                    .isInstanceOf(AppenderLoggingException.class)
                    .cause()
                    .isInstanceOfSatisfying(
                            BurstException.class, e -> assertThat(e.code()).isEqualTo(BurstException.Code.UNDECIDED)));
            assertThat(rolling).isNotDone();
        }
        rolling.get();
        log4j.close();
        assertThat(frozen.lines()).containsExactly("order 1");
    }

    @Test
    void a_block_timeout_that_came_later_bounds_the_wait_for_the_write_of_another_thread() throws Exception {
        final RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(frozen.burst()));
        log4j.reconfigure(RunningLog4j.xml(frozen.burst("blockTimeout=\"200 ms\"")));
        final OpenRing ring = log4j.orders().ring();
        final CompletableFuture<Void> writing;
        try (FreezableFileSystem.Frozen ice = fileSystem.freeze()) {
            writing = begin(() -> log4j.logger().info("order 1"));
            await().until(() -> ring.log().stats().acceptedSequence() == 1);
            mustReturn(() -> assertThatThrownBy(() -> log4j.logger().info("order 2"))
                    .isInstanceOf(AppenderLoggingException.class)
                    .cause()
                    .isInstanceOfSatisfying(
                            BurstException.class, e -> assertThat(e.code()).isEqualTo(BurstException.Code.UNDECIDED)));
            assertThat(writing).isNotDone();
        }
        writing.get();
        log4j.close();
        assertThat(frozen.lines()).containsExactly("INFO order 1", "INFO order 2");
    }

    @Test
    void without_one_the_call_waits_as_long_as_the_medium_does_also_after_a_reconfiguration() throws Exception {
        final RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(frozen.burst()));
        log4j.reconfigure(RunningLog4j.xml(frozen.burst("onFull=\"fail\"")));
        final CompletableFuture<Void> logged;
        try (FreezableFileSystem.Frozen ice = fileSystem.freeze()) {
            logged = begin(() -> log4j.logger().info("order 1"));
            await().until(() -> log4j.orders().ring().log().stats().acceptedSequence() == 1);
            Thread.sleep(Duration.ofSeconds(3).toMillis()); // a time limit, if it had one, would be over
            assertThat(logged).isNotDone();
        }
        logged.get();
        log4j.close();
        assertThat(frozen.lines()).containsExactly("INFO order 1");
    }
}
