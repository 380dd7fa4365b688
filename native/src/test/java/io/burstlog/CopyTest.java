// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import static io.burstlog.TempLog.LONG_ENOUGH;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** How far the copy of a stream has got, and those who wait for it. */
@Timeout(120)
class CopyTest {

    private static final Duration A_MOMENT = Duration.ofMillis(50);

    private TempLog temp;
    private Path folder;
    private BurstLog log;
    private BurstStream stream;

    @BeforeEach
    void open(@TempDir Path directory) {
        temp = new TempLog(directory, Binding.AUTO);
        folder = directory.resolve("orders.segments");
        log = BurstLog.open(temp.config()
                .fileName(null)
                // Only a hurried drain comes sooner.
                .drainInterval(Duration.ofSeconds(60))
                .build());
        stream = log.stream(
                "orders",
                StreamConfig.builder()
                        .fileName(temp.file().toString())
                        .segments(Segments.in(folder.toString()))
                        .build());
    }

    @AfterEach
    void close() {
        log.close();
    }

    /** Confirms what a consumer reads, until the stream's watermark has the sequence. */
    private CompletableFuture<Void> keepCopyUpTo(long sequence) {
        return CompletableFuture.runAsync(() -> {
            try (BurstConsumer consumer = BurstConsumer.open(folder, "copy")) {
                while (stream.copiedSequence() < sequence) {
                    ConsumedRecords records = consumer.poll(1 << 16, LONG_ENOUGH);
                    while (records.next()) {
                        stream.copyProgress().copied(records.ring(), records.sequence());
                    }
                }
            }
        });
    }

    private long append(String text) {
        return stream.append(TempLog.line(text));
    }

    private String ring() {
        append("the first one");
        assertThat(stream.awaitCopied(1, Duration.ZERO)).isFalse();
        CompletableFuture<Void> keeper = keepCopyUpTo(1);
        assertThat(stream.awaitCopied(1, LONG_ENOUGH)).isTrue(); // this wait hurries the drain
        keeper.join();
        try (BurstConsumer consumer = BurstConsumer.open(folder, "reader")) {
            ConsumedRecords records = consumer.poll(1 << 16, LONG_ENOUGH);
            assertThat(records.next()).isTrue();
            return records.ring();
        }
    }

    private CompletableFuture<Boolean> wait(long sequence, BooleanSupplier givesUp) {
        return CompletableFuture.supplyAsync(
                () -> stream.awaitCopied(sequence, LONG_ENOUGH, givesUp), task -> new Thread(task).start());
    }

    @Test
    void aWaitHurriesTheDrainAndEndsWhenTheCopyHasTheRecord() {
        CompletableFuture<Void> keeper = keepCopyUpTo(2);
        assertThat(stream.awaitCopied(append("one"), LONG_ENOUGH)).isTrue();
        assertThat(stream.awaitCopied(append("two"), LONG_ENOUGH)).isTrue();
        assertThat(stream.copiedSequence()).isEqualTo(2);
        keeper.join();
    }

    @Test
    void oneConfirmationReleasesAllUpToItAndNoOther() throws Exception {
        String ring = ring();
        var second = wait(2, () -> false);
        var third = wait(3, () -> false);
        var fourth = wait(4, () -> false);
        stream.copyProgress().copied(ring, 3);
        assertThat(second.get(30, TimeUnit.SECONDS)).isTrue();
        assertThat(third.get(30, TimeUnit.SECONDS)).isTrue();
        assertThat(fourth).isNotDone();
        stream.copyProgress().copied(ring, 2);
        assertThat(stream.copiedSequence()).isEqualTo(3);
        stream.copyProgress().copied(ring, 9);
        assertThat(fourth.get(30, TimeUnit.SECONDS)).isTrue();
        assertThat(stream.awaitCopied(9, Duration.ZERO)).isTrue();
        assertThat(stream.awaitCopied(0, Duration.ZERO)).isTrue();
    }

    @Test
    void recordsOfAnotherRingDoNotCount() {
        stream.copyProgress().copied("00000000000000000000000000000000", 7);
        assertThat(stream.copiedSequence()).isZero();
        assertThat(stream.awaitCopied(1, A_MOMENT)).isFalse();
    }

    @Test
    void whoeverGivesUpIsAskedAgainWhenTheCopyIsAway() throws Exception {
        String ring = ring();
        AtomicBoolean isAway = new AtomicBoolean();
        var patient = wait(2, () -> false);
        var impatient = wait(2, isAway::get);
        isAway.set(true);
        // The one that waits may not be linked in yet: it then asks by itself.
        stream.copyProgress().away("the broker is gone");
        assertThat(impatient.get(30, TimeUnit.SECONDS)).isFalse();
        assertThat(patient).isNotDone();
        stream.copyProgress().copied(ring, 2);
        assertThat(patient.get(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aWaitOutlastsTheCloseOfTheLog() throws Exception {
        String ring = ring();
        var waiting = wait(append("two"), () -> false);
        log.close();
        assertThat(waiting).isNotDone();
        stream.copyProgress().copied(ring, 2);
        assertThat(waiting.get(30, TimeUnit.SECONDS)).isTrue();
        assertThat(stream.awaitCopied(3, A_MOMENT)).isFalse();
    }

    @Test
    void waitsOfManyThreadsEndWhateverTheOrderOfTheirConfirmations() throws Exception {
        String ring = ring();
        for (int round = 0; round < 200; round++) {
            long sequence = 10L * round + 10;
            var waits = new CompletableFuture<?>[] {wait(sequence - 1, () -> false), wait(sequence, () -> false)};
            stream.copyProgress().copied(ring, sequence - 1);
            stream.copyProgress().away("for a moment");
            stream.copyProgress().copied(ring, sequence);
            CompletableFuture.allOf(waits).get(60, TimeUnit.SECONDS);
            assertThat(waits).allSatisfy(each -> assertThat(each.join()).isEqualTo(true));
        }
    }
}
