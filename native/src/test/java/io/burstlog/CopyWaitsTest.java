// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import static io.burstlog.TempLog.LONG_ENOUGH;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Those who wait for the second copy of a log, and what releases them. */
@Timeout(120)
class CopyWaitsTest {

    private static final Executor THREADS = threads();

    private final ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 16);
    private TempLog temp;
    private BurstLog log;
    private CopyFeed feed;

    @BeforeEach
    void open(@TempDir Path directory) {
        temp = new TempLog(directory, Binding.AUTO);
        log = BurstLog.open(temp.config().copy("B").build());
        feed = log.copyFeed();
        assertThat(feed.begin(0, 0, 0)).isEqualTo(new CopyFeed.Begun(1, 0, 0, 1, 0));
    }

    @AfterEach
    void close() {
        try {
            feed.away();
        } catch (BurstException closed) {
            assertThat(closed.code()).isEqualTo(BurstException.Code.CLOSED);
        }
        log.close();
    }

    private void take(long upTo) {
        while (feed.take(buffer, Duration.ofMillis(100))) {
            assertThat(buffer.limit()).isPositive();
        }
        assertThat(log.durableSequence()).isEqualTo(upTo);
    }

    private long append() {
        return log.append(TempLog.line("order"));
    }

    private CompletableFuture<Boolean> waitFor(long sequence) {
        return CompletableFuture.supplyAsync(() -> log.awaitCopied(sequence, LONG_ENOUGH), THREADS);
    }

    /** Virtual threads if the JVM has them: only these park in Java. */
    private static Executor threads() {
        try {
            return (Executor)
                    Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        } catch (NoSuchMethodException olderJdk) {
            return task -> new Thread(task).start();
        } catch (ReflectiveOperationException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private static Throwable failureOf(CompletableFuture<Boolean> wait) throws Exception {
        try {
            return wait.handle((answer, failure) -> failure).get(30, TimeUnit.SECONDS);
        } catch (CompletionException failure) {
            return failure.getCause();
        }
    }

    @Test
    void aConfirmationReleasesAllUpToItAndNoOther() throws Exception {
        for (int i = 0; i < 3; i++) {
            append();
        }
        List<CompletableFuture<Boolean>> waits = new ArrayList<>(List.of(waitFor(1), waitFor(2), waitFor(3)));
        take(3);
        feed.confirm(2);
        assertThat(waits.get(0).get(30, TimeUnit.SECONDS)).isTrue();
        assertThat(waits.get(1).get(30, TimeUnit.SECONDS)).isTrue();
        assertThat(waits.get(2)).isNotDone();
        assertThat(log.copiedSequence()).isEqualTo(2);
        assertThat(log.awaitCopied(3, Duration.ofMillis(20))).isFalse();
        feed.confirm(3);
        assertThat(waits.get(2).get(30, TimeUnit.SECONDS)).isTrue();
        assertThat(log.mainStream().awaitCopied(3, Duration.ZERO)).isTrue();
        assertThat(log.awaitCopied(0, Duration.ZERO)).isTrue();
    }

    @Test
    void aWaitEndsWhenTheCopyIsAwayAndWhenItIsMissing() throws Exception {
        long sequence = append();
        var waiting = waitFor(sequence);
        feed.away();
        assertThat(failureOf(waiting)).hasMessageContaining("is away: records from 1 on have one copy only");
        assertThat(log.awaitDrained(LONG_ENOUGH)).isTrue();
        assertThat(feed.begin(0, 0, 0).missing()).isEqualTo(1);
        assertThatThrownBy(() -> log.awaitCopied(sequence, LONG_ENOUGH))
                .isInstanceOfSatisfying(BurstException.class, missing -> {
                    assertThat(missing.code()).isEqualTo(BurstException.Code.COPY_AWAY);
                    assertThat(missing.errno()).isEqualTo(61);
                });
    }

    @Test
    void aWaitEndsWithTheLog() throws Exception {
        var waiting = waitFor(append());
        log.close(Duration.ofSeconds(6)); // a quarter of it is left for a slow disk
        assertThat(failureOf(waiting)).isNotNull();
        assertThatThrownBy(() -> feed.take(buffer, LONG_ENOUGH))
                .isInstanceOfSatisfying(
                        BurstException.class,
                        closed -> assertThat(closed.code()).isEqualTo(BurstException.Code.CLOSED));
    }

    @Test
    void manyWaitsEndWhateverTheOrder() throws Exception {
        for (int round = 0; round < 300; round++) {
            long sequence = append();
            var waits = List.of(waitFor(sequence), waitFor(sequence), waitFor(sequence));
            while (!feed.take(buffer, LONG_ENOUGH)) {
                assertThat(log.copiedSequence()).isLessThan(sequence);
            }
            feed.confirm(sequence);
            for (var wait : waits) {
                assertThat(wait.get(60, TimeUnit.SECONDS)).isTrue();
            }
        }
    }

    @Test
    void aRecordLongerThanTheBufferIsTold() {
        log.append(new byte[100_000]);
        assertThatThrownBy(() -> feed.take(buffer, LONG_ENOUGH))
                .isInstanceOfSatisfying(
                        BurstException.class,
                        large -> assertThat(large.code()).isEqualTo(BurstException.Code.RECORD_TOO_LARGE));
    }

    @Test
    void aLogWithoutACopyHasNone(@TempDir Path other) {
        try (BurstLog plain =
                BurstLog.open(new TempLog(other, Binding.AUTO).config().build())) {
            assertThatThrownBy(plain::copyFeed).hasMessageContaining("has no second copy");
            long sequence = plain.append(TempLog.line("order"));
            assertThatThrownBy(() -> plain.awaitCopied(sequence, LONG_ENOUGH))
                    .hasMessageContaining("has no second copy");
        }
    }
}
