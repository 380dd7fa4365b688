// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import static io.burstlog.TempLog.LONG_ENOUGH;
import static io.burstlog.TempLog.line;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@EachBinding
class AppendTest {

    private final Binding binding;
    private TempLog temp;

    AppendTest(Binding binding) {
        this.binding = binding;
    }

    @BeforeEach
    void createDirectory(@TempDir Path directory) {
        temp = new TempLog(directory, binding);
    }

    @Test
    void sequencesStartAtOneAndHaveNoGap() {
        try (BurstLog log = temp.open()) {
            for (long expected = 1; expected <= 100; expected++) {
                assertThat(log.append(line("order " + expected))).isEqualTo(expected);
            }
        }
    }

    @Test
    void anAppendedRecordIsDurableOnReturn() {
        try (BurstLog log = temp.open()) {
            long sequence = log.append(line("order"));
            assertThat(log.durableSequence()).isGreaterThanOrEqualTo(sequence);
        }
    }

    @Test
    void theFileHoldsTheRecordsAndNothingElse() throws IOException {
        byte[] expected = new byte[300_000];
        new Random(1).nextBytes(expected);
        try (BurstLog log = temp.open()) {
            int length = 0;
            for (int at = 0; at < expected.length; at += length) {
                length = Math.min(length + 7, expected.length - at);
                log.append(ByteBuffer.wrap(expected, at, length));
            }
            assertThat(log.awaitDrained(LONG_ENOUGH)).isTrue();
            assertThat(Files.readAllBytes(Path.of(log.currentFile()))).isEqualTo(expected);
        }
        assertThat(Files.readAllBytes(temp.file())).isEqualTo(expected);
    }

    @Test
    void sequencesAndTheFileGoOnOverAReopen() throws IOException {
        try (BurstLog log = temp.open()) {
            assertThat(log.append(line("first"))).isEqualTo(1);
            assertThat(log.enqueue(line("second"))).isEqualTo(2);
        }
        try (BurstLog log = temp.open()) {
            assertThat(log.durableSequence()).isEqualTo(2);
            assertThat(log.append(line("third"))).isEqualTo(3);
        }
        assertThat(temp.lines()).containsExactly("first", "second", "third");
    }

    @Test
    void enqueuedAndOfferedRecordsBecomeDurable() throws IOException {
        try (BurstLog log = temp.open()) {
            long enqueued = log.enqueue(line("enqueued"));
            long offered = log.offer(line("offered"));
            assertThat(offered).isEqualTo(enqueued + 1);
            assertThat(log.awaitDurable(offered, LONG_ENOUGH)).isTrue();
            assertThat(log.durableSequence()).isGreaterThanOrEqualTo(offered);
        }
        assertThat(temp.lines()).containsExactly("enqueued", "offered");
    }

    @Test
    void flushMakesEverythingAcceptedDurable() {
        try (BurstLog log = temp.open()) {
            long last = 0;
            for (int i = 0; i < 1000; i++) {
                last = log.enqueue(line("order " + i));
            }
            log.flush();
            assertThat(log.durableSequence()).isEqualTo(last);
        }
    }

    @Test
    void anEmptyRecordHasASequenceAndNoByteInTheFile() throws IOException {
        try (BurstLog log = temp.open()) {
            assertThat(log.append(line("a"))).isEqualTo(1);
            assertThat(log.append(new byte[0])).isEqualTo(2);
            assertThat(log.append(line("b"))).isEqualTo(3);
        }
        assertThat(temp.lines()).containsExactly("a", "b");
    }

    @Test
    void theLongestRecordIsAccepted() throws IOException {
        byte[] longest = new byte[100_000];
        Arrays.fill(longest, (byte) 'x');
        try (BurstLog log =
                BurstLog.open(temp.config().maxRecordBytes(longest.length).build())) {
            assertThat(log.stats().maxRecordBytes()).isEqualTo(longest.length);
            log.append(longest);
        }
        assertThat(Files.readAllBytes(temp.file())).isEqualTo(longest);
    }

    @Test
    void aLongerRecordIsRefusedNamingBothSizesAndNothingIsWritten() throws IOException {
        try (BurstLog log = BurstLog.open(temp.config().maxRecordBytes(1000).build())) {
            RecordBuffer record = RecordBuffer.allocate(2000, 2000).put(new byte[1001], 0, 1001);
            List<Runnable> attempts = List.of(
                    () -> log.append(new byte[1001]),
                    () -> log.append(record, 0),
                    () -> log.enqueue(record, 0),
                    () -> log.offer(record, 0));
            for (Runnable attempt : attempts) {
                assertThatExceptionOfType(BurstException.class)
                        .isThrownBy(attempt::run)
                        .withMessageContaining("1001")
                        .withMessageContaining("1000")
                        .extracting(BurstException::code)
                        .isEqualTo(BurstException.Code.RECORD_TOO_LARGE);
            }
            assertThat(log.append(line("next"))).isEqualTo(1);
        }
        assertThat(temp.lines()).containsExactly("next");
    }

    @Test
    void waitingIsOverAtOnceForADurableRecordAndRefusedForOneThatNobodyWrote() {
        try (BurstLog log = temp.open()) {
            long sequence = log.append(line("order"));
            assertThat(log.awaitDurable(sequence, Duration.ZERO)).isTrue();
            assertThatExceptionOfType(BurstException.class)
                    .isThrownBy(() -> log.awaitDurable(sequence + 1, LONG_ENOUGH))
                    .withMessageContaining(String.valueOf(sequence + 1))
                    .extracting(BurstException::code)
                    .isEqualTo(BurstException.Code.INVALID_ARGUMENT);
        }
    }

    @Test
    void aTimeoutTooLongToCountHasNoEnd() {
        Duration tooLong = Duration.ofSeconds(Long.MAX_VALUE);
        BurstConfig config = temp.config(temp.main().blockTimeout(tooLong))
                .shutdownTimeout(Duration.ofNanos(Long.MAX_VALUE))
                .build();
        try (BurstLog log = BurstLog.open(config)) {
            assertThat(log.awaitDurable(log.enqueue(line("order")), tooLong)).isTrue();
            assertThat(log.awaitDrained(Duration.ofNanos(Long.MAX_VALUE))).isTrue();
            log.append(line("another"));
        }
    }
}
