// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import static io.burstlog.TempLog.LONG_ENOUGH;
import static io.burstlog.TempLog.SMALL_RING_BYTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Copying into memory is much faster than the two media behind it: so a few large records fill a small ring. */
@EachBinding
class RingFullTest {

    private static final int RECORD_BYTES = 200_000;
    private static final int MORE_THAN_ENOUGH = 1000;

    private final Binding binding;
    private TempLog temp;

    RingFullTest(Binding binding) {
        this.binding = binding;
    }

    @BeforeEach
    void createDirectory(@TempDir Path directory) {
        temp = new TempLog(directory, binding);
    }

    private BurstConfig.Builder smallRing() {
        return smallRing(temp.main());
    }

    private BurstConfig.Builder smallRing(StreamConfig.Builder main) {
        return temp.config(main).ringBytes(SMALL_RING_BYTES).maxRecordBytes(RECORD_BYTES);
    }

    @Test
    void offerReturnsMinusOneAndLeavesTheBufferUnread() throws IOException {
        int accepted = 0;
        try (BurstLog log = BurstLog.open(smallRing().build())) {
            ByteBuffer record = ByteBuffer.allocate(RECORD_BYTES);
            while (log.offer(record) > 0) {
                assertThat(record.hasRemaining()).isFalse();
                record.clear();
                assertThat(++accepted).isLessThan(MORE_THAN_ENOUGH);
            }
            assertThat(record.remaining()).isEqualTo(RECORD_BYTES);
            assertThat(log.stats().fullWaits()).isPositive();
        }
        assertThat(Files.size(temp.file())).isEqualTo((long) accepted * RECORD_BYTES);
    }

    @Test
    void failThrowsAndNothingIsWritten() throws IOException {
        int[] accepted = {0};
        try (BurstLog log =
                BurstLog.open(smallRing(temp.main().onFull(OnFull.FAIL)).build())) {
            assertThatExceptionOfType(RingFullException.class).isThrownBy(() -> {
                while (accepted[0] < MORE_THAN_ENOUGH) {
                    log.enqueue(new byte[RECORD_BYTES]);
                    accepted[0]++;
                }
            });
        }
        assertThat(Files.size(temp.file())).isEqualTo((long) accepted[0] * RECORD_BYTES);
    }

    @Test
    void discardReturnsZeroAndIsCounted() throws IOException {
        int accepted = 0;
        try (BurstLog log =
                BurstLog.open(smallRing(temp.main().onFull(OnFull.DISCARD)).build())) {
            byte[] record = new byte[RECORD_BYTES];
            while (log.enqueue(record) > 0) {
                assertThat(++accepted).isLessThan(MORE_THAN_ENOUGH);
            }
            assertThat(log.stats().discarded()).isEqualTo(1);
        }
        assertThat(Files.size(temp.file())).isEqualTo((long) accepted * RECORD_BYTES);
    }

    @Test
    void blockWaitsUntilThereIsSpace() throws IOException {
        int records = 50;
        try (BurstLog log = BurstLog.open(smallRing().build())) {
            byte[] record = new byte[RECORD_BYTES];
            for (int i = 1; i <= records; i++) {
                assertThat(log.enqueue(record)).isEqualTo(i);
            }
        }
        assertThat(Files.size(temp.file())).isEqualTo((long) records * RECORD_BYTES);
    }

    @Test
    void aCallHasARuleOfItsOwnWhateverTheLogHas() throws IOException {
        RecordBuffer record = RecordBuffer.allocate(RECORD_BYTES, RECORD_BYTES);
        record.buffer().position(RECORD_BYTES);
        for (OnFull ofLog : OnFull.values()) {
            try (BurstLog log =
                    BurstLog.open(smallRing(temp.main().onFull(ofLog)).build())) {
                assertThat(codeWhenFull(() -> log.enqueue(record, 0, OnFull.BLOCK, Duration.ZERO)))
                        .isEqualTo(BurstException.Code.TIMED_OUT);
                assertThat(codeWhenFull(() -> log.enqueue(record, 0, OnFull.FAIL, LONG_ENOUGH)))
                        .isEqualTo(BurstException.Code.RING_FULL);
                assertThat(codeWhenFull(() -> log.enqueue(record, 0, OnFull.DISCARD, LONG_ENOUGH)))
                        .isNull();
                assertThat(log.stats().discarded()).isEqualTo(1);
                assertThat(log.append(record, 0, OnFull.BLOCK, Duration.ofSeconds(Long.MAX_VALUE)))
                        .isPositive();
            }
        }
    }

    /** The code of the call that first finds the ring full; null if it returns 0. */
    private static BurstException.Code codeWhenFull(LongSupplier call) {
        try {
            for (int i = 0; i < MORE_THAN_ENOUGH; i++) {
                if (call.getAsLong() == 0) {
                    return null;
                }
            }
            throw new AssertionError("never full");
        } catch (BurstException failure) {
            return failure.code();
        }
    }

    @Test
    void blockGivesUpAfterItsTimeout() {
        BurstConfig config =
                smallRing(temp.main().blockTimeout(Duration.ofNanos(1))).build();
        try (BurstLog log = BurstLog.open(config)) {
            assertThatExceptionOfType(BurstException.class)
                    .isThrownBy(() -> {
                        for (int i = 0; i < MORE_THAN_ENOUGH; i++) {
                            log.enqueue(new byte[RECORD_BYTES]);
                        }
                    })
                    .extracting(BurstException::code)
                    .isEqualTo(BurstException.Code.TIMED_OUT);
        }
    }
}
