// SPDX-License-Identifier: Apache-2.0
package io.burstlog.doors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.burstlog.BurstConfig;
import io.burstlog.BurstException;
import io.burstlog.BurstLog;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** CheckpointIT, in it-tests, does the same by {@code org.crac}, with threads that log. */
@Timeout(60)
class SuspensionTest {

    @TempDir
    Path folder;

    @AfterEach
    void end() {
        Suspension.end();
    }

    private RecordStream open(String file) {
        Map<String, String> texts = Map.of(
                "ring",
                folder.resolve("app.ring").toString(),
                "ringSize",
                "4 MB",
                "shutdownTimeout",
                "5 min",
                "file",
                folder.resolve(file).toString());
        Settings settings = new Settings(new TreeMap<>(texts), Wording.of("setting"));
        return RecordStream.open(RecordTerms.read(settings, null), new FakeHolder(file));
    }

    private static long append(RecordStream stream, String line) {
        return stream.append((line + "\n").getBytes(StandardCharsets.UTF_8), true);
    }

    private BurstLog openedElsewhere() {
        return BurstLog.open(BurstConfig.builder()
                .ring(folder.resolve("app.ring").toString())
                .build());
    }

    /** Runs a call on another thread, and returns once it waits. */
    private static <T> CompletableFuture<T> waiting(Supplier<T> call) throws InterruptedException {
        CompletableFuture<T> answer = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                answer.complete(call.get());
            } catch (RuntimeException failure) {
                answer.completeExceptionally(failure);
            }
        });
        thread.start();
        while (thread.getState() != Thread.State.WAITING) {
            assertThat(answer).isNotDone();
            Thread.sleep(1);
        }
        return answer;
    }

    @Test
    void a_call_that_comes_while_the_rings_are_closed_waits_and_is_durable_then() throws Exception {
        RecordStream first = open("a.log");
        RecordStream second = open("b.log");
        append(first, "order 1");
        append(second, "order 2");
        Suspension.begin();
        openedElsewhere().close();
        CompletableFuture<Long> waits = waiting(() -> append(second, "order 3"));
        Suspension.end();
        long sequence = waits.get();
        assertThat(sequence).isEqualTo(3);
        assertThat(second.awaitDurable(sequence, Duration.ZERO)).isTrue();
        append(first, "order 4");
        assertThat(first.close(() -> null) & second.close(() -> null)).isTrue();
        assertThat(folder.resolve("a.log")).hasContent("order 1\norder 4");
        assertThat(folder.resolve("b.log")).hasContent("order 2\norder 3");
    }

    @Test
    void everything_is_in_the_log_file_before_the_checkpoint() {
        RecordStream stream = open("a.log");
        append(stream, "order 1");
        Suspension.begin();
        assertThat(folder.resolve("a.log")).hasContent("order 1");
        Suspension.end();
        stream.close(() -> null);
    }

    @Test
    void the_thread_that_makes_the_checkpoint_is_refused() {
        RecordStream stream = open("a.log");
        Suspension.begin();
        assertThatThrownBy(() -> append(stream, "order 1"))
                .isInstanceOf(BurstException.class)
                .hasMessageContaining("checkpoint of this process, which this thread makes");
        assertThatThrownBy(() -> open("b.log")).hasMessageContaining("which this thread makes");
        Suspension.end();
        append(stream, "order 2");
        stream.close(() -> null);
        assertThat(folder.resolve("a.log")).hasContent("order 2");
    }

    @Test
    void a_log_file_that_is_asked_for_meanwhile_is_opened_then() throws Exception {
        RecordStream first = open("a.log");
        Suspension.begin();
        CompletableFuture<RecordStream> waits = waiting(() -> open("b.log"));
        openedElsewhere().close();
        Suspension.end();
        RecordStream second = waits.get(50, TimeUnit.SECONDS);
        append(second, "order 1");
        second.close(() -> null);
        first.close(() -> null);
    }

    @Test
    void a_log_file_that_is_closed_meanwhile_stays_closed() {
        RecordStream stream = open("a.log");
        Suspension.begin();
        assertThat(stream.close(() -> null)).isTrue();
        Suspension.end();
        openedElsewhere().close();
        assertThatThrownBy(() -> append(stream, "order 1"))
                .isInstanceOfSatisfying(
                        BurstException.class,
                        failure -> assertThat(failure.code()).isEqualTo(BurstException.Code.CLOSED));
    }

    @Test
    void a_ring_that_another_process_holds_at_the_restore_refuses_each_event_and_says_why() {
        RecordStream stream = open("a.log");
        Suspension.begin();
        try (BurstLog other = openedElsewhere()) {
            assertThat(other.durableSequence()).isZero();
            assertThatThrownBy(Suspension::end)
                    .hasMessageStartingWith(
                            "Not every log file could be opened after the restore of this process; a.log of")
                    .hasMessageContaining("app.ring");
            assertThatThrownBy(() -> append(stream, "order 1"))
                    .hasMessageStartingWith("The log file was not opened after a restore of this process: ");
        }
        Suspension.begin();
        Suspension.end();
        append(stream, "order 2");
        stream.close(() -> null);
        assertThat(folder.resolve("a.log")).hasContent("order 2");
    }

    @Test
    void a_part_that_cannot_let_go_ends_the_checkpoint_and_all_go_on() {
        RecordStream stream = open("a.log");
        FakePart fake = new FakePart();
        Suspension.add(fake);
        try {
            fake.isDurable = false;
            assertThatThrownBy(Suspension::begin)
                    .hasMessage("The log cannot be closed for a checkpoint of this process;"
                            + " a fake: not everything was durable, see the message before.");
            append(stream, "order 1");
            fake.isDurable = true;
            fake.isClosed = false;
            assertThatThrownBy(Suspension::begin).hasMessageContaining("its ring is not closed within shutdownTimeout");
            append(stream, "order 2");
            assertThat(fake.takenUp).isEqualTo(2);
        } finally {
            Suspension.remove(fake);
        }
        stream.close(() -> null);
    }

    private static final class FakePart implements Suspension.Part {
        private boolean isDurable = true;
        private boolean isClosed = true;
        private int takenUp;

        @Override
        public String place() {
            return "a fake";
        }

        @Override
        public boolean letGo() {
            return isDurable;
        }

        @Override
        public boolean isClosed() {
            return isClosed;
        }

        @Override
        public void takeUp() {
            takenUp++;
        }
    }
}
