// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The documentation's promises about codes, times and arguments. */
class ContractTest {

    private static final int BLOCK = 4096;

    /** Behind the ring's own megabyte and the marker's block. */
    private static final long FIRST_RECORD = (1 << 20) + BLOCK;

    private static final int EVENT_TIME = 24;

    private static final Map<Integer, BurstException.Code> CODES = Map.ofEntries(
            Map.entry(22, BurstException.Code.INVALID_ARGUMENT),
            Map.entry(90, BurstException.Code.RECORD_TOO_LARGE),
            Map.entry(11, BurstException.Code.RING_FULL),
            Map.entry(110, BurstException.Code.TIMED_OUT),
            Map.entry(115, BurstException.Code.UNDECIDED),
            Map.entry(5, BurstException.Code.IO_ERROR),
            Map.entry(108, BurstException.Code.CLOSED),
            Map.entry(16, BurstException.Code.BUSY),
            Map.entry(61, BurstException.Code.NO_RING),
            Map.entry(117, BurstException.Code.RING_DAMAGED),
            Map.entry(71, BurstException.Code.UNKNOWN_FORMAT),
            Map.entry(124, BurstException.Code.MEDIUM_TOO_WEAK),
            Map.entry(130, BurstException.Code.FORKED),
            Map.entry(28, BurstException.Code.OTHER));

    @Test
    void eachErrnoOfLinuxHasItsCode() {
        CODES.forEach((errno, code) -> {
            for (BurstException failure :
                    new BurstException[] {BurstException.ofCall(errno, "why"), BurstException.ofOpen(errno, "why")}) {
                assertThat(failure.code()).as("errno %d", errno).isEqualTo(code);
                assertThat(failure.errno()).isEqualTo(errno);
                assertThat(failure).hasMessage("why");
            }
        });
        assertThat(BurstException.ofCall(11, "")).isInstanceOf(RingFullException.class);
        assertThat(BurstException.ofCall(5, "")).isInstanceOf(RingFailedException.class);
        assertThat(BurstException.ofOpen(5, "")).isNotInstanceOf(RingFailedException.class);
        assertThat(new BurstException(BurstException.Code.TIMED_OUT, "").errno())
                .isEqualTo(110);
    }

    @Test
    void aTimeoutOfNothingOrLessDoesNotWaitAndOneTooLongHasNoEnd() {
        assertThat(NativeTime.nanosOf(Duration.ZERO)).isZero();
        assertThat(NativeTime.nanosOf(Duration.ofNanos(-1))).isZero();
        assertThat(NativeTime.nanosOf(Duration.ofSeconds(Long.MIN_VALUE))).isZero();
        assertThat(NativeTime.nanosOf(Duration.ofNanos(1))).isEqualTo(1);
        assertThat(NativeTime.nanosOf(Duration.ofNanos(NativeTime.LONGEST_NANOS)))
                .isEqualTo(NativeTime.LONGEST_NANOS);
        assertThat(NativeTime.nanosOf(Duration.ofNanos(NativeTime.LONGEST_NANOS).plusNanos(1)))
                .isEqualTo(NativeTime.FOREVER);
        assertThat(NativeTime.nanosOf(Duration.ofSeconds(Long.MAX_VALUE))).isEqualTo(NativeTime.FOREVER);
    }

    @Test
    void whatIsDoneToASetOfPermissionsAfterTheBuildChangesNothing(@TempDir Path directory) {
        Set<PosixFilePermission> permissions = PosixFilePermissions.fromString("rw-r-----");
        TempLog temp = new TempLog(directory, Binding.AUTO);
        BurstConfig config =
                temp.config(temp.main().filePermissions(permissions)).build();
        permissions.add(PosixFilePermission.OTHERS_WRITE);
        assertThat(config.main().values().get("filePermissions"))
                .isEqualTo(PosixFilePermissions.fromString("rw-r-----"));
        assertThat(NativeConfig.of(config).main.fileMode).isEqualTo(0640);
    }

    @Test
    void theRingHasTheTimeOfTheCallOrTheOneThatIsGiven(@TempDir Path directory) throws IOException {
        TempLog temp = new TempLog(directory, Binding.AUTO);
        Instant before = Instant.now();
        RecordBuffer record = RecordBuffer.allocate(10, 10).put(TempLog.line("given"), 0, 6);
        try (BurstLog log = temp.open()) {
            log.append(TempLog.line("now"));
            log.append(record, -123_456_789L);
        }
        Instant after = Instant.now();
        ByteBuffer block = ByteBuffer.allocate(2 * BLOCK).order(ByteOrder.LITTLE_ENDIAN);
        try (FileChannel ring = FileChannel.open(temp.ring())) {
            assertThat(ring.read(block, FIRST_RECORD)).isEqualTo(2 * BLOCK);
        }
        assertThat(Instant.ofEpochSecond(0, block.getLong(EVENT_TIME))).isBetween(before.minusMillis(1), after);
        assertThat(block.getLong(BLOCK + EVENT_TIME)).isEqualTo(-123_456_789L);
    }

    @Test
    void anEventHasTheTimeAtWhichItWasToldAndItsSeverity(@TempDir Path directory) throws InterruptedException {
        BlockingQueue<BurstEvent> heard = new LinkedBlockingQueue<>();
        Instant before = Instant.now();
        BurstConfig config = new TempLog(directory, Binding.AUTO)
                .config()
                .listener(heard::add)
                .build();
        try (BurstLog log = BurstLog.open(config)) {
            BurstEvent opened = heard.poll(60, TimeUnit.SECONDS);
            assertThat(opened).isNotNull();
            assertThat(opened.text()).contains(log.recoveryStatement());
            assertThat(opened.severity()).isEqualTo(BurstEvent.Severity.INFO);
            assertThat(opened.time()).isBetween(before, Instant.now());
        }
    }
}
