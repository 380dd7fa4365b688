// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.burstlog.BurstException;
import io.burstlog.RollRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.Year;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.apache.logging.log4j.core.appender.rolling.DefaultRolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.RolloverListener;
import org.apache.logging.log4j.core.appender.rolling.SizeBasedTriggeringPolicy;
import org.apache.logging.log4j.core.appender.rolling.TriggeringPolicy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The rolls of a stream whose drain is another process. The test is the drain. */
class RollsElsewhereTest {

    @TempDir
    private Path folder;

    private final AtomicInteger heard = new AtomicInteger();
    private FileWritingStream stream;
    private FileRolling rolling;
    private BurstRollingFileManager manager;

    private RollingSettings settings(final String pattern) {
        return settings(pattern, SizeBasedTriggeringPolicy.createPolicy("100 MB"));
    }

    private RollingSettings settings(final String pattern, final TriggeringPolicy policy) {
        return RolledLog.settings(
                folder,
                pattern,
                policy,
                DefaultRolloverStrategy.newBuilder()
                        .withConfig(RolledLog.configuration())
                        .withFileIndex("nomax")
                        .build());
    }

    @BeforeEach
    void open() {
        final RollingSettings settings = settings("app-%i.log");
        stream = new FileWritingStream(Path.of(settings.fileName()), Instant.now());
        rolling = FileRolling.elsewhere(settings, stream);
        rolling.begin(true);
        manager = (BurstRollingFileManager) rolling.manager();
        manager.addRolloverListener(new RolloverListener() {
            @Override
            public void rolloverTriggered(final String fileName) {
                // It has the same file.
            }

            @Override
            public void rolloverComplete(final String fileName) {
                heard.incrementAndGet();
            }
        });
    }

    @AfterEach
    void close() {
        stream.kill();
        rolling.end(RolledLog.PATIENCE);
    }

    private void log(final int bytes) {
        stream.write(new byte[bytes]);
        rolling.accepted(bytes);
    }

    private RollRequest rollAfter(final int bytes) {
        log(bytes);
        manager.rollover();
        return stream.nextRoll(RolledLog.PATIENCE);
    }

    @Test
    void the_names_go_on_behind_those_that_the_drain_has_given() {
        final RollRequest first = rollAfter(10);
        stream.rolled(first.sequence(), first.target(), null);
        assertThat(first.target()).endsWith("/app-1.log");
        final RollRequest second = rollAfter(10);
        assertThat(second.target()).endsWith("/app-2.log");
        stream.rolled(second.sequence(), second.target(), null);
    }

    @Test
    void a_roll_that_the_drain_gives_up_is_tried_again_and_the_file_counts_on() {
        manager.retryAfter(Duration.ZERO);
        final RollRequest refused = rollAfter(10);
        log(5);
        assertThat(manager.getFileSize()).isEqualTo(5);
        stream.rollFailed(refused.sequence(), 0);
        await().atMost(RolledLog.PATIENCE).until(manager::hasFailed);
        assertThat(manager.getFileSize()).isEqualTo(15);
        rolling.beforeEvent(RolledLog.event("the next one", System.currentTimeMillis()), true);
        final RollRequest again = stream.nextRoll(RolledLog.PATIENCE);
        stream.rolled(again.sequence(), again.target(), null);
        await().atMost(RolledLog.PATIENCE).until(() -> !manager.hasFailed());
        assertThat(manager.getFileSize()).isZero();
    }

    @Test
    void a_later_roll_makes_up_for_one_that_was_given_up() throws Exception {
        stream.hold(true);
        log(10);
        manager.rollover();
        Thread.sleep(2); // another millisecond: the drain tells by its birth which file it writes
        log(10);
        manager.rollover();
        synchronized (stream) { // no look between them
            stream.hold(false);
            stream.rollFailed(stream.nextRoll(RolledLog.PATIENCE).sequence(), 0);
            final RollRequest last = stream.nextRoll(RolledLog.PATIENCE);
            stream.rolled(last.sequence(), last.target(), null);
        }
        await().atMost(RolledLog.PATIENCE).until(() -> heard.get() == 2);
        assertThat(manager.hasFailed()).isFalse();
        assertThat(manager.getFileSize()).isZero();
    }

    @Test
    void a_roll_that_is_performed_before_anybody_is_told_of_it_counts() {
        final RollRequest first = rollAfter(10);
        stream.afterRoll(() -> {
            stream.rolled(first.sequence(), first.target(), null);
            final RollRequest second = stream.nextRoll(RolledLog.PATIENCE);
            stream.rolled(second.sequence(), second.target(), null);
            LockSupport.parkNanos(Duration.ofMillis(300).toNanos()); // some looks long
        });
        log(10);
        manager.rollover();
        await().atMost(RolledLog.PATIENCE).until(() -> heard.get() == 2);
        assertThat(manager.hasFailed()).isFalse();
        assertThat(manager.getFileSize()).isZero();
    }

    private static long rollers() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("burstlog-roller "))
                .count();
    }

    @Test
    void a_begin_that_fails_leaves_no_thread_behind() {
        final long before = rollers();
        final FileRolling failing = FileRolling.elsewhere(settings("app-%i.log", new FailingPolicy()), stream);
        assertThatThrownBy(() -> failing.begin(true)).hasMessage("broken");
        await().atMost(RolledLog.PATIENCE).until(() -> rollers() <= before);
    }

    @Test
    void what_the_drain_has_in_hand_cannot_change() {
        assertThatThrownBy(() -> rolling.update(settings("app-%i.log.gz"), RolledLog.PATIENCE))
                .isInstanceOf(BurstException.class)
                .hasMessageContaining("restart the process");
        rolling.update(settings("app-%d{yyyy}-%i.log"), RolledLog.PATIENCE);
        assertThat(rollAfter(10).target()).contains("app-" + Year.now() + "-1.log");
    }
}
