// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import static org.assertj.core.api.Assertions.assertThat;

import io.burstlog.BurstException;
import io.burstlog.log4j.StatusLines;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.appender.rolling.DefaultRolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.NoOpTriggeringPolicy;
import org.apache.logging.log4j.core.appender.rolling.RollingFileManager;
import org.apache.logging.log4j.core.appender.rolling.RolloverDescription;
import org.apache.logging.log4j.core.appender.rolling.RolloverDescriptionImpl;
import org.apache.logging.log4j.core.appender.rolling.RolloverListener;
import org.apache.logging.log4j.core.appender.rolling.RolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.SizeBasedTriggeringPolicy;
import org.apache.logging.log4j.core.appender.rolling.TimeBasedTriggeringPolicy;
import org.apache.logging.log4j.core.appender.rolling.TriggeringPolicy;
import org.apache.logging.log4j.core.appender.rolling.action.AbstractAction;
import org.apache.logging.log4j.core.appender.rolling.action.Action;
import org.apache.logging.log4j.core.appender.rolling.action.CompositeAction;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** After a roll that could not be done the file goes on, nothing is lost, and it is tried again, but not at once. */
@SuppressWarnings("deprecation") // Older versions of Log4j lack the factories' replacements.
class FailedRollTest {

    private static final Duration NEVER = Duration.ofDays(1);

    @TempDir
    Path temporary;

    private StatusLines status;

    private final RolloverStrategy strategy =
            DefaultRolloverStrategy.createStrategy(null, null, "nomax", null, null, true, RolledLog.configuration());

    @BeforeEach
    void listen() {
        status = new StatusLines();
    }

    @AfterEach
    void stopListening() {
        status.stopListening();
    }

    /** Gives no name as often as it is told, and counts how often it is asked. */
    private final class Reluctant implements RolloverStrategy {

        private int failures;
        private int asked;

        @Override
        public synchronized RolloverDescription rollover(final RollingFileManager manager) {
            asked++;
            return failures-- > 0 ? null : strategy.rollover(manager);
        }

        synchronized int asked() {
            return asked;
        }
    }

    private RolledLog open(final TriggeringPolicy policy, final RolloverStrategy by, final String pattern) {
        return RolledLog.open(temporary, RolledLog.settings(temporary, pattern, policy, by));
    }

    @Test
    void the_file_goes_on_and_keeps_its_size() {
        final Reluctant reluctant = new Reluctant();
        reluctant.failures = 3;
        try (RolledLog log = open(SizeBasedTriggeringPolicy.createPolicy("50"), reluctant, "app-%i.log")) {
            log.manager().retryAfter(NEVER);
            for (int i = 0; i < 40; i++) {
                log.log("order " + i);
                log.awaitDrained();
                if (i == 7) {
                    // Before the file can be full once more.
                    awaitFailure(log);
                }
            }
            assertThat(reluctant.asked()).isOne();
            assertThat(log.manager().getFileSize())
                    .isEqualTo(log.files().get("app.log").length())
                    .isGreaterThan(300);
        }
        assertThat(status.atLeast(Level.WARN))
                .singleElement()
                .asString()
                .contains("Orders", "app.log", "goes on", "10 s");
    }

    @Test
    void a_roll_is_tried_again_with_the_names_of_its_own_time() {
        final Reluctant reluctant = new Reluctant();
        reluctant.failures = 2;
        final long begin = Instant.parse("2026-11-22T10:30:00Z").toEpochMilli();
        final RollingSettings settings = RolledLog.settings(
                temporary,
                "app-%d{yyyy-MM-dd-HH}{UTC}.log",
                TimeBasedTriggeringPolicy.createPolicy("1", "true"),
                reluctant);
        try (RolledLog log = RolledLog.open(temporary, settings, Instant.ofEpochMilli(begin))) {
            log.manager().retryAfter(Duration.ZERO);
            for (int i = 0; i < 6; i++) {
                log.log("order " + i, begin + TimeUnit.MINUTES.toMillis(20L * i));
                log.awaitDrained();
                if (i == 2 || i == 3) {
                    awaitFailure(log);
                }
            }
        }
        assertThat(RolledLog.files(temporary))
                .containsEntry("app-2026-11-22-10.log", "order 0\norder 1\norder 2\norder 3\n")
                .containsEntry("app-2026-11-22-11.log", "order 4\n")
                .containsEntry("app.log", "order 5\n");
        assertThat(status.atLeast(Level.WARN)).hasSize(1);
    }

    @Test
    void a_failure_after_a_roll_that_worked_is_told_again() {
        final Reluctant reluctant = new Reluctant();
        try (RolledLog log = open(NoOpTriggeringPolicy.createPolicy(), reluctant, "app-%i.log")) {
            for (int i = 0; i < 4; i++) {
                reluctant.failures = i % 2;
                log.log("order " + i);
                log.manager().rollover();
                log.awaitDrained();
            }
        }
        assertThat(status.atLeast(Level.WARN)).hasSize(2);
        assertThat(RolledLog.files(temporary))
                .containsEntry("app-1.log", "order 0\n")
                .containsEntry("app-2.log", "order 1\norder 2\n")
                .containsEntry("app.log", "order 3\n");
    }

    @Test
    void an_action_that_fails_after_it_has_worked_is_told_again() {
        final List<String> done = new CopyOnWriteArrayList<>();
        final Action everySecondFails = new AbstractAction() {
            @Override
            public boolean execute() throws IOException {
                done.add("again");
                if (done.size() % 2 == 1) {
                    throw new IOException("broken");
                }
                return true;
            }
        };
        final RolloverStrategy acting = DefaultRolloverStrategy.createStrategy(
                null, null, "nomax", null, new Action[] {everySecondFails}, false, RolledLog.configuration());
        try (RolledLog log = open(NoOpTriggeringPolicy.createPolicy(), acting, "app-%i.log")) {
            for (int i = 0; i < 4; i++) {
                log.log("order " + i);
                log.manager().rollover();
                log.awaitDrained();
                final int rolls = i + 1;
                Awaitility.await().atMost(RolledLog.PATIENCE).until(() -> done.size() == rolls);
            }
        }
        assertThat(status.atLeast(Level.WARN)).hasSize(2);
    }

    private static void awaitFailure(final RolledLog log) {
        Awaitility.await().atMost(RolledLog.PATIENCE).until(log.manager()::hasFailed);
    }

    @Test
    void a_roll_that_a_full_ring_refuses_is_made_up_for() {
        try (RolledLog log = open(SizeBasedTriggeringPolicy.createPolicy("50"), strategy, "app-%i.log")) {
            log.manager().retryAfter(Duration.ZERO);
            log.stream().refuseRolls(true);
            for (int i = 0; i < 20; i++) {
                log.log("order " + i);
            }
            assertThat(log.manager().getFileSize()).isEqualTo(20 * 8 + 10);
            log.stream().refuseRolls(false);
            log.log("order 20");
        }
        assertThat(RolledLog.files(temporary)).containsOnlyKeys("app-1.log", "app.log");
        assertThat(RolledLog.files(temporary).get("app.log")).isEqualTo("order 20\n");
    }

    /** The medium is slower than blockTimeout. */
    @Test
    void a_roll_that_was_not_durable_in_time_is_in_the_ring_and_is_not_made_twice() {
        try (RolledLog log = open(NoOpTriggeringPolicy.createPolicy(), strategy, "app-%i.log")) {
            log.manager().retryAfter(Duration.ZERO);
            log.log("order 1");
            log.stream().hold(true);
            log.stream().afterRoll(() -> {
                throw new BurstException(BurstException.Code.UNDECIDED, "not durable within blockTimeout");
            });
            log.manager().rollover();
            assertThat(log.manager().hasFailed()).isFalse();
            assertThat(log.manager().getFileSize()).isZero();
            log.stream().afterRoll(() -> {});
            log.stream().hold(false);
            log.log("order 2");
            log.log("order 3");
        }
        assertThat(RolledLog.files(temporary))
                .isEqualTo(Map.of("app-1.log", "order 1\n", "app.log", "order 2\norder 3\n"));
    }

    @Test
    void a_roll_that_is_refused_uses_up_no_number_and_no_name() {
        try (RolledLog log = open(NoOpTriggeringPolicy.createPolicy(), strategy, "app-%i.log")) {
            log.manager().retryAfter(Duration.ZERO);
            log.stream().hold(true);
            log.log("order 1");
            log.stream().refuseRolls(true);
            for (int i = 0; i < 3; i++) {
                log.manager().rollover();
            }
            log.stream().refuseRolls(false);
            log.log("order 2");
            assertThat(log.stream().lastRoll().target()).endsWith("/app-1.log");
            log.stream().hold(false);
        }
    }

    @Test
    void an_action_that_throws_is_told_once_and_the_next_one_is_done() {
        final List<String> done = new CopyOnWriteArrayList<>();
        final Action broken = new AbstractAction() {
            @Override
            public boolean execute() throws IOException {
                done.add("again");
                throw new IOException("broken");
            }
        };
        final RolloverStrategy acting = DefaultRolloverStrategy.createStrategy(
                null, null, "nomax", null, new Action[] {broken}, false, RolledLog.configuration());
        try (RolledLog log = open(SizeBasedTriggeringPolicy.createPolicy("50"), acting, "app-%i.log.gz")) {
            for (int i = 0; i < 20; i++) {
                log.log("order " + i);
                log.awaitDrained();
            }
        }
        assertThat(done).hasSizeGreaterThan(1);
        assertThat(status.atLeast(Level.WARN)).singleElement().asString().contains("Orders", "broken");
    }

    @Test
    void a_listener_that_throws_stops_no_thread() {
        try (RolledLog log = open(SizeBasedTriggeringPolicy.createPolicy("50"), strategy, "app-%i.log")) {
            log.manager().addRolloverListener(new RolloverListener() {
                @Override
                public void rolloverTriggered(final String fileName) {
                    throw new IllegalStateException("broken");
                }

                @Override
                public void rolloverComplete(final String fileName) {
                    throw new IllegalStateException("broken");
                }
            });
            for (int i = 0; i < 20; i++) {
                log.log("order " + i);
                log.awaitDrained();
            }
        }
        assertThat(RolledLog.files(temporary)).containsKeys("app-1.log", "app-2.log", "app.log");
    }

    /** A user's strategy may want it in place of a rename. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_strategy_may_rename_the_file_itself(final boolean works) {
        final RolloverStrategy moving = manager -> {
            final File file = new File(manager.getFileName());
            final Action move = new AbstractAction() {
                @Override
                public boolean execute() {
                    return works && file.renameTo(new File(file.getParentFile(), "moved-" + file.length()));
                }
            };
            return new RolloverDescriptionImpl(manager.getFileName(), false, move, null);
        };
        try (RolledLog log = open(SizeBasedTriggeringPolicy.createPolicy("50"), moving, "app-%i.log")) {
            log.manager().retryAfter(NEVER);
            for (int i = 0; i < 9; i++) {
                log.log("order " + i);
                log.awaitDrained();
            }
        }
        final Map<String, String> files = RolledLog.files(temporary);
        assertThat(String.join("", files.values()).lines()).hasSize(9).doesNotHaveDuplicates();
        assertThat(files).hasSize(works ? 2 : 1);
        assertThat(status.atLeast(Level.WARN)).hasSize(works ? 0 : 1);
    }

    private static Stream<RuntimeException> failuresOfAStrategy() {
        return Stream.of(
                new IllegalStateException("broken"),
                new BurstException(BurstException.Code.RING_FULL, "a ring of its own is broken"));
    }

    @ParameterizedTest
    @MethodSource("failuresOfAStrategy")
    void a_strategy_that_throws_stops_no_thread(final RuntimeException failure) {
        final RolloverStrategy broken = manager -> {
            throw failure;
        };
        try (RolledLog log = open(SizeBasedTriggeringPolicy.createPolicy("50"), broken, "app-%i.log")) {
            log.manager().retryAfter(Duration.ZERO);
            for (int i = 0; i < 40; i++) {
                log.log("order " + i);
                log.awaitDrained();
            }
            assertThat(log.files()).containsOnlyKeys("app.log");
            assertThat(log.files().get("app.log").lines()).hasSize(40);
        }
        assertThat(status.atLeast(Level.WARN)).singleElement().asString().contains("broken");
    }

    @Test
    void what_fails_behind_a_roll_ends_no_roll() {
        final Action broken = new CompositeAction(List.of(), false) {
            @Override
            public Action[] getActions() {
                throw new OutOfMemoryError("for a moment");
            }
        };
        final RolloverStrategy acting = manager -> {
            final RolloverDescription description = strategy.rollover(manager);
            return new RolloverDescriptionImpl(
                    description.getActiveFileName(), false, description.getSynchronous(), broken);
        };
        try (RolledLog log = open(SizeBasedTriggeringPolicy.createPolicy("5"), acting, "app-%i.log")) {
            for (int i = 1; i <= 3; i++) {
                log.log("order " + i);
            }
            log.awaitDrained();
        }
        assertThat(RolledLog.files(temporary))
                .isEqualTo(Map.of("app-1.log", "order 1\n", "app-2.log", "order 2\n", "app.log", "order 3\n"));
        assertThat(status.atLeast(Level.WARN)).hasSize(2).allMatch(line -> line.contains("for a moment"));
    }

    /** Such as a missing class of the application, or a failed assertion. */
    @Test
    void a_listener_that_fails_with_an_error_ends_no_roll() {
        final RolloverListener listener = new RolloverListener() {
            @Override
            public void rolloverTriggered(final String fileName) {
                throw new NoClassDefFoundError("of the application");
            }

            @Override
            public void rolloverComplete(final String fileName) {
                throw new AssertionError("of the application");
            }
        };
        try (RolledLog log = open(SizeBasedTriggeringPolicy.createPolicy("5"), strategy, "app-%i.log")) {
            log.manager().addRolloverListener(listener);
            for (int i = 1; i <= 3; i++) {
                log.log("order " + i);
            }
            log.awaitDrained();
        }
        assertThat(RolledLog.files(temporary))
                .isEqualTo(Map.of("app-1.log", "order 1\n", "app-2.log", "order 2\n", "app.log", "order 3\n"));
        assertThat(status.atLeast(Level.WARN)).hasSize(4).allMatch(line -> line.contains("rollover listener"));
    }
}
