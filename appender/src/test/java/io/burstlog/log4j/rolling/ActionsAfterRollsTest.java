// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.burstlog.log4j.StatusLines;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.appender.rolling.DefaultRolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.NoOpTriggeringPolicy;
import org.apache.logging.log4j.core.appender.rolling.RolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.SizeBasedTriggeringPolicy;
import org.apache.logging.log4j.core.appender.rolling.action.AbstractAction;
import org.apache.logging.log4j.core.appender.rolling.action.Action;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** All actions after a roll take place, in order, under any name of the file, and disturb no roll. */
@SuppressWarnings("deprecation") // Older versions of Log4j lack the factories' replacements.
class ActionsAfterRollsTest {

    private static final Duration LATER = Duration.ofHours(1);

    @TempDir
    Path folder;

    private StatusLines status;

    @BeforeEach
    void listen() {
        status = new StatusLines();
    }

    @AfterEach
    void stopListening() {
        status.stopListening();
    }

    /** The work of a user's action. */
    private interface Step {
        boolean act() throws IOException, InterruptedException;
    }

    private static Action action(final Step step) {
        return new AbstractAction() {
            @Override
            public boolean execute() throws IOException {
                try {
                    return step.act();
                } catch (final InterruptedException unexpected) {
                    throw new AssertionError(unexpected);
                }
            }

            @Override
            public String toString() {
                return "an action of a test";
            }
        };
    }

    private static RolloverStrategy strategy(final String max, final boolean stopsOnError, final Action... actions) {
        return DefaultRolloverStrategy.createStrategy(
                max, null, "max", null, actions, stopsOnError, RolledLog.configuration());
    }

    private RollingSettings settings(final String pattern, final RolloverStrategy by, final Duration compressDelay) {
        final RollingSettings plain = RolledLog.with(
                RolledLog.settings(folder, pattern, NoOpTriggeringPolicy.createPolicy(), by),
                before -> new RollingSettings.Archives(compressDelay, 0, Duration.ZERO));
        return new RollingSettings(
                plain.appender(),
                plain.fileName(),
                plain.filePattern(),
                plain.policy(),
                plain.strategy(),
                plain.layout(),
                plain.configuration(),
                new RollingSettings.FileAttributes("rw-r-x---", null, null),
                plain.archives(),
                false,
                false,
                null);
    }

    private static void roll(final RolledLog log, final int first, final int count) {
        for (int i = first; i < first + count; i++) {
            log.log("order " + i);
            log.manager().rollover();
        }
        log.awaitDrained();
    }

    private static void awaitJobs(final RolledLog log) {
        Awaitility.await()
                .atMost(RolledLog.PATIENCE)
                .until(() -> log.rolling().jobs().awaitEmpty(Duration.ofMillis(100)));
    }

    /** The engine performs a roll a moment after the stream is drained, and adds its work then. */
    private static void awaitPending(final RolledLog log, final int count) {
        Awaitility.await()
                .atMost(RolledLog.PATIENCE)
                .until(() -> log.rolling().jobs().pending() == count);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_file_that_got_another_name_is_compressed_and_one_that_is_gone_ends_nothing(final boolean stopsOnError)
            throws Exception {
        final AtomicInteger done = new AtomicInteger();
        final RolloverStrategy by = strategy("2", stopsOnError, action(() -> done.incrementAndGet() > 0));
        try (RolledLog log = RolledLog.open(folder, settings("app-%i.log.gz", by, LATER))) {
            roll(log, 1, 5);
            awaitPending(log, 5);
            assertThat(RolledLog.files(folder)).containsOnlyKeys("app-1.log", "app-2.log", "app.log");
            log.rolling().update(settings("app-%i.log.gz", by, Duration.ZERO), RolledLog.PATIENCE);
            awaitJobs(log);
            assertThat(done).hasValue(5);
        }
        assertThat(RolledLog.files(folder)).containsOnlyKeys("app-1.log.gz", "app-2.log.gz", "app.log");
        for (final String name : List.of("app-1.log.gz", "app-2.log.gz")) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve(name))))
                    .isEqualTo("rw-r-x---");
        }
        assertThat(status.atLeast(Level.WARN)).isEmpty();
    }

    @Test
    void at_the_end_what_is_not_compressed_yet_stays_and_the_rest_is_done_in_order() {
        final List<String> done = new CopyOnWriteArrayList<>();
        final RolloverStrategy by =
                strategy("9", true, action(() -> done.add("first")), action(() -> done.add("then")));
        try (RolledLog log = RolledLog.open(folder, settings("app-%i.log.gz", by, LATER))) {
            roll(log, 1, 2);
        }
        assertThat(done).containsExactly("first", "then", "first", "then");
        assertThat(RolledLog.files(folder)).containsOnlyKeys("app-1.log", "app-2.log", "app.log");
    }

    /** With a compression the action delays nobody; without one it delays every roll. */
    @ParameterizedTest
    @ValueSource(strings = {"app-%i.log", "app-%i.log.gz"})
    void no_strategy_is_asked_while_an_action_is_under_way(final String pattern) throws Exception {
        final CountDownLatch actionBegan = new CountDownLatch(1);
        final AtomicInteger asked = new AtomicInteger();
        final List<Integer> askedMeanwhile = new CopyOnWriteArrayList<>();
        final RolloverStrategy names = strategy("9", true, action(() -> {
            final int before = asked.get();
            actionBegan.countDown();
            Awaitility.await()
                    .atMost(RolledLog.PATIENCE)
                    .until(() -> before == 2 || asked.get() > before || RolledLog.isARollerHeldUp());
            askedMeanwhile.add(asked.get() - before);
            return true;
        }));
        final RolloverStrategy by = manager -> {
            asked.incrementAndGet();
            return names.rollover(manager);
        };
        try (RolledLog log = RolledLog.open(folder, settings(pattern, by, Duration.ZERO))) {
            log.rolling().jobs().limit(1_000, LATER);
            roll(log, 1, 1);
            assertThat(actionBegan.await(30, TimeUnit.SECONDS)).isTrue();
            roll(log, 2, 1);
            Awaitility.await().atMost(RolledLog.PATIENCE).until(() -> askedMeanwhile.size() == 2);
        }
        assertThat(askedMeanwhile).containsExactly(0, 0);
        assertThat(status.atLeast(Level.WARN)).isEmpty();
    }

    @Test
    void a_strategy_finds_done_what_the_roll_before_has_left_to_do() throws Exception {
        final RolloverStrategy by = strategy(
                "100",
                true,
                action(() -> true),
                action(() -> Files.deleteIfExists(folder.resolve("app-4.log")) || true));
        try (RolledLog log = RolledLog.open(folder, settings("app-%i.log", by, Duration.ZERO))) {
            roll(log, 1, 40);
            awaitJobs(log);
        }
        assertThat(RolledLog.files(folder)).containsOnlyKeys("app-1.log", "app-2.log", "app-3.log", "app.log");
    }

    @Test
    void beyond_a_bound_of_pending_work_the_file_goes_on_which_is_told_once() {
        final RolloverStrategy by = strategy("100", true, action(() -> true));
        try (RolledLog log = RolledLog.open(folder, settings("app-%i.log.gz", by, LATER))) {
            log.rolling().jobs().limit(3, LATER);
            log.manager().retryAfter(Duration.ZERO);
            for (int i = 1; i <= 3; i++) {
                roll(log, i, 1);
                awaitPending(log, i);
            }
            roll(log, 4, 6);
            assertThat(RolledLog.files(folder)).containsOnlyKeys("app-1.log", "app-2.log", "app-3.log", "app.log");
            assertThat(log.manager().getFileSize()).isEqualTo(6 * "order 4\n".length());
            assertThat(status.atLeast(Level.WARN))
                    .singleElement()
                    .asString()
                    .contains("Orders", "app.log", "goes on", "after 3 rolls", "10 s");
            log.rolling().update(settings("app-%i.log.gz", by, Duration.ZERO), RolledLog.PATIENCE);
            awaitJobs(log);
            log.log("order 10");
            log.awaitDrained();
            awaitJobs(log);
        }
        assertThat(RolledLog.files(folder))
                .containsEntry("app.log", "order 10\n")
                .containsKey("app-4.log.gz");
    }

    @ParameterizedTest
    @ValueSource(strings = {"app-%i.log", "app-%i.log.gz"})
    void an_action_that_hangs_puts_off_rolls_and_holds_up_no_event(final String pattern) throws Exception {
        final CountDownLatch isOver = new CountDownLatch(1);
        final CountDownLatch hangs = new CountDownLatch(1);
        final AtomicInteger asked = new AtomicInteger();
        final RolloverStrategy names = strategy("100", true, action(() -> {
            hangs.countDown();
            return isOver.await(60, TimeUnit.SECONDS);
        }));
        final RolloverStrategy by = manager -> {
            asked.incrementAndGet();
            return names.rollover(manager);
        };
        try (RolledLog log = RolledLog.open(folder, settings(pattern, by, Duration.ZERO))) {
            log.rolling().jobs().limit(1_000, Duration.ofMillis(20));
            log.manager().retryAfter(Duration.ZERO);
            roll(log, 1, 1);
            assertThat(hangs.await(30, TimeUnit.SECONDS)).isTrue();
            roll(log, 2, 8);
            assertThat(asked).hasValue(1);
            // The roller is not asked any more: the file that goes on gets no further footer.
            assertThat(log.rolling().jobs().reasonToPutOff()).contains("20 ms");
            isOver.countDown();
            awaitJobs(log);
            log.log("order 10");
            log.awaitDrained();
            awaitJobs(log);
        }
        final List<String> lines = RolledLog.files(folder).entrySet().stream()
                .filter(file -> !file.getKey().endsWith(".gz"))
                .flatMap(file -> file.getValue().lines())
                .toList();
        assertThat(lines).doesNotHaveDuplicates().contains("order 10");
        assertThat(RolledLog.files(folder)).hasSize(3).containsEntry("app.log", "order 10\n");
        assertThat(status.atLeast(Level.WARN))
                .singleElement()
                .asString()
                .contains("Orders", "app.log", "goes on", "20 ms");
    }

    /** Pretends that another stream has a file of terabytes. */
    private static void compressUntil(final CountDownLatch isOver) {
        ArchiveJobs.schedule(
                () -> {
                    try {
                        isOver.await(60, TimeUnit.SECONDS);
                    } catch (final InterruptedException unexpected) {
                        throw new AssertionError(unexpected);
                    }
                },
                Duration.ZERO);
    }

    @Test
    void a_roll_waits_for_no_compression() {
        final CountDownLatch isOver = new CountDownLatch(1);
        compressUntil(isOver);
        final RolloverStrategy by = strategy("9", true, action(() -> true));
        try (RolledLog log = RolledLog.open(folder, settings("app-%i.log.gz", by, Duration.ZERO))) {
            try {
                roll(log, 1, 3);
                assertThat(RolledLog.files(folder)).containsOnlyKeys("app-1.log", "app-2.log", "app-3.log", "app.log");
            } finally {
                isOver.countDown();
            }
        }
        assertThat(RolledLog.files(folder)).containsKey("app-3.log.gz");
    }

    @Test
    void an_action_of_one_stream_waits_for_no_compression_of_another() throws Exception {
        final CountDownLatch isOver = new CountDownLatch(1);
        compressUntil(isOver);
        final CountDownLatch isDone = new CountDownLatch(1);
        final RolloverStrategy by = strategy("9", true, action(() -> {
            isDone.countDown();
            return true;
        }));
        try (RolledLog log = RolledLog.open(folder, settings("app-%i.log", by, Duration.ZERO))) {
            roll(log, 1, 1);
            assertThat(isDone.await(30, TimeUnit.SECONDS)).isTrue();
        } finally {
            isOver.countDown();
        }
    }

    @Test
    void what_was_done_before_a_compression_failed_is_not_done_again_with_it() throws Exception {
        final List<String> done = new ArrayList<>();
        final Path file = Files.writeString(folder.resolve("app-1.log"), "order 1\n");
        Files.createDirectory(folder.resolve(".app-1.log.gz.burst-tmp"));
        Files.createFile(folder.resolve(".app-1.log.gz.burst-tmp/in-the-way"));
        final CompressAction compression = new CompressAction(
                file,
                file,
                folder.resolve("app-1.log.gz"),
                null,
                Compressor.gz(6),
                new ReentrantLock(),
                new NameWarning("Orders"));
        final ActionsOfRoll actions = new ActionsOfRoll(
                List.of(
                        compression,
                        action(() -> {
                            done.add("fails");
                            throw new IllegalStateException("broken");
                        }),
                        action(() -> done.add("last"))),
                false);
        assertThatThrownBy(actions::execute).isInstanceOf(CompressAction.Failure.class);
        assertThat(actions.withoutCompression()).as("it has begun").isNull();
        Files.delete(folder.resolve(".app-1.log.gz.burst-tmp/in-the-way"));
        assertThat(actions.execute()).isTrue();
        assertThat(done).containsExactly("fails", "last");
        assertThat(RolledLog.files(folder)).containsOnlyKeys("app-1.log.gz");
    }

    @Test
    void an_action_that_refuses_or_throws_ends_the_rest_if_that_is_wanted() throws Exception {
        final List<String> done = new ArrayList<>();
        final ActionsOfRoll refuses =
                new ActionsOfRoll(List.of(action(() -> false), action(() -> done.add("behind"))), true);
        assertThat(refuses.execute()).isFalse();
        final ActionsOfRoll throwing = new ActionsOfRoll(
                List.of(
                        action(() -> {
                            throw new IOException("broken");
                        }),
                        action(() -> done.add("behind"))),
                true);
        assertThatThrownBy(throwing::execute).hasMessage("broken");
        assertThat(done).isEmpty();
    }

    @Test
    void actions_that_throw_do_not_stop_those_of_the_next_roll() {
        final AtomicInteger done = new AtomicInteger();
        final RolloverStrategy by = strategy("100", true, action(() -> {
            done.incrementAndGet();
            throw new StackOverflowError();
        }));
        try (RolledLog log = RolledLog.open(folder, settings("app-%i.log", by, Duration.ZERO))) {
            roll(log, 1, 4);
            awaitJobs(log);
        }
        assertThat(done).hasValue(4);
        assertThat(status.atLeast(Level.WARN)).singleElement().asString().contains("Orders", "StackOverflowError");
    }

    @Test
    void no_event_is_lost_or_doubled_whatever_actions_do() {
        final AtomicInteger rolls = new AtomicInteger();
        final RolloverStrategy names = strategy("100", false, action(() -> {
            if (rolls.incrementAndGet() % 3 == 0) {
                throw new IOException("broken");
            }
            TimeUnit.MILLISECONDS.sleep(rolls.get() % 7);
            return rolls.get() % 2 == 0;
        }));
        final RollingSettings settings =
                RolledLog.settings(folder, "app-%i.log", SizeBasedTriggeringPolicy.createPolicy("20"), names);
        try (RolledLog log = RolledLog.open(folder, settings)) {
            log.rolling().jobs().limit(1_000, Duration.ofMillis(3));
            log.manager().retryAfter(Duration.ZERO);
            for (int i = 100; i < 200; i++) {
                log.log("order " + i);
            }
            log.awaitDrained();
        }
        assertThat(RolledLog.files(folder).values().stream().flatMap(String::lines))
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(100, 200).mapToObj(i -> "order " + i).toList());
    }

    @Test
    void a_name_that_a_file_has_after_a_call_that_failed_is_its_name() throws Exception {
        final Path whole = Files.writeString(folder.resolve("whole"), "order 1\n");
        final Path name = Files.createLink(folder.resolve("name"), whole);
        Durable.link(whole, name);
        final Path other = Files.writeString(folder.resolve("other"), "order 1\n");
        assertThatThrownBy(() -> Durable.link(whole, other))
                .isInstanceOf(java.nio.file.FileAlreadyExistsException.class);
    }

    @Test
    void a_twin_that_has_its_name_though_the_call_failed_gets_no_second_one() throws Exception {
        final Path file = Files.writeString(folder.resolve("app-1.log"), "order 1\n");
        final Path temporary = folder.resolve(".app-1.log.gz.burst-tmp");
        final Compressor linksItself = new Compressor() {
            @Override
            public java.io.OutputStream compress(final java.io.OutputStream out, final String entry)
                    throws IOException {
                Files.createLink(folder.resolve("app-1.log.gz"), temporary);
                return Compressor.gz(6).compress(out, entry);
            }

            @Override
            public java.io.InputStream decompress(final java.io.InputStream in) throws IOException {
                return Compressor.gz(6).decompress(in);
            }
        };
        new CompressAction(
                        file,
                        file,
                        folder.resolve("app-1.log.gz"),
                        null,
                        linksItself,
                        new ReentrantLock(),
                        new NameWarning("Orders"))
                .execute();
        assertThat(RolledLog.files(folder)).containsOnlyKeys("app-1.log.gz");
    }
}
