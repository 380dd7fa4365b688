// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.logging.log4j.core.appender.rolling.DefaultRolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.NoOpTriggeringPolicy;
import org.apache.logging.log4j.core.appender.rolling.action.AbstractAction;
import org.apache.logging.log4j.core.appender.rolling.action.Action;
import org.apache.logging.log4j.core.appender.rolling.action.CompositeAction;
import org.apache.logging.log4j.core.appender.rolling.action.FileRenameAction;
import org.apache.logging.log4j.core.appender.rolling.action.GzCompressAction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The work on rolled files, and the threads that do it. */
class ArchiveJobsTest {

    @TempDir
    Path folder;

    @Test
    void one_thread_that_holds_up_nobody_does_one_job_after_the_other() throws Exception {
        final CountDownLatch isReady = new CountDownLatch(1);
        final CountDownLatch secondBegan = new CountDownLatch(1);
        final AtomicReference<Boolean> sawSecond = new AtomicReference<>();
        final AtomicReference<Thread> thread = new AtomicReference<>();
        ArchiveJobs.schedule(
                () -> {
                    thread.set(Thread.currentThread());
                    isReady.countDown();
                    try {
                        sawSecond.set(secondBegan.await(50, TimeUnit.MILLISECONDS));
                    } catch (final InterruptedException unexpected) {
                        throw new AssertionError(unexpected);
                    }
                },
                Duration.ZERO);
        isReady.await();
        ArchiveJobs.schedule(secondBegan::countDown, Duration.ZERO).get();
        assertThat(sawSecond.get()).isFalse();
        assertThat(thread.get().isDaemon()).isTrue();
        assertThat(thread.get().getPriority()).isEqualTo(Thread.MIN_PRIORITY);
    }

    private Action compression(final boolean hasTemporaryName) {
        final Action compress = new GzCompressAction(
                folder.resolve("app-1.log").toFile(),
                folder.resolve(hasTemporaryName ? "tmp-1" : "app-1.log.gz").toFile(),
                true,
                0);
        final FileRenameAction rename = new FileRenameAction(
                folder.resolve("tmp-1").toFile(), folder.resolve("app-1.log.gz").toFile(), true);
        return hasTemporaryName ? new CompositeAction(List.of(compress, rename), true) : compress;
    }

    private static ArchiveActions actions(final String level) {
        return new ArchiveActions(
                new ReentrantLock(),
                new NameWarning("Orders"),
                DefaultRolloverStrategy.newBuilder()
                        .withCompressionLevelStr(level)
                        .withConfig(RolledLog.configuration())
                        .build(),
                () -> "app.log");
    }

    @Test
    void a_compression_gives_its_file_the_name_itself() throws Exception {
        final Path plain = folder.resolve("app-1.log");
        Files.writeString(plain, "order 1\n");
        final Action safe = actions("9").safe(compression(true), plain.toString(), plain);
        assertThat(((CompositeAction) safe).getActions())
                .singleElement()
                .asString()
                .startsWith("CompressAction");
        safe.execute();
        assertThat(RolledLog.files(folder)).containsOnlyKeys("app-1.log.gz");
    }

    @Test
    void the_level_of_the_strategy_counts() throws Exception {
        final Path plain = folder.resolve("app-1.log");
        for (final int level : new int[] {0, 9}) {
            Files.writeString(plain, "order 1\n".repeat(10_000));
            actions(Integer.toString(level))
                    .safe(compression(false), plain.toString(), plain)
                    .execute();
            assertThat(Files.size(folder.resolve("app-1.log.gz")) > 80_000).isEqualTo(level == 0);
            Files.delete(folder.resolve("app-1.log.gz"));
        }
    }

    @Test
    void of_a_file_whose_name_was_taken_the_twin_is_named_after_the_one_it_has() throws Exception {
        final Path archive = folder.resolve("app-1.log.1");
        Files.writeString(archive, "order 1\n");
        actions("9")
                .safe(compression(false), folder.resolve("app-1.log").toString(), archive)
                .execute();
        assertThat(RolledLog.files(folder)).containsOnlyKeys("app-1.log.1.gz");
    }

    private StreamJobs jobs() {
        final RollingSettings settings = RolledLog.settings(
                folder,
                "app-%i.log",
                NoOpTriggeringPolicy.createPolicy(),
                DefaultRolloverStrategy.newBuilder()
                        .withConfig(RolledLog.configuration())
                        .build());
        final FileWritingStream stream = new FileWritingStream(folder.resolve("app.log"), Instant.now());
        return new StreamJobs(
                "Orders",
                actions("9"),
                Duration.ZERO,
                new Retention(settings, stream, new ReentrantLock(), Clock.systemUTC()));
    }

    @Test
    void a_compression_that_failed_is_tried_again_until_it_succeeds() throws Exception {
        final CountDownLatch left = new CountDownLatch(3);
        final StreamJobs jobs = jobs();
        jobs.retryAfter(Duration.ofMillis(1));
        final Action reluctant = new AbstractAction() {
            @Override
            public boolean execute() throws IOException {
                left.countDown();
                if (left.getCount() > 0) {
                    throw new CompressAction.Failure("not yet", null);
                }
                return true;
            }
        };
        jobs.add(reluctant, Duration.ZERO);
        assertThat(left.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(jobs.end(RolledLog.PATIENCE)).isTrue();
    }

    @Test
    void an_end_waits_for_what_is_due_and_lets_the_rest_be() {
        final List<String> done = new CopyOnWriteArrayList<>();
        final StreamJobs jobs = jobs();
        jobs.add(noted(done, "later"), Duration.ofHours(1));
        jobs.add(noted(done, "due"), Duration.ZERO);
        final long begin = System.nanoTime();
        assertThat(jobs.end(Duration.ofMinutes(10))).isTrue();
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofMinutes(5));
        jobs.add(noted(done, "after the end"), Duration.ZERO);
        assertThat(done).containsExactly("due");
    }

    private static Action noted(final List<String> done, final String name) {
        return new AbstractAction() {
            @Override
            public boolean execute() {
                return done.add(name);
            }
        };
    }
}
