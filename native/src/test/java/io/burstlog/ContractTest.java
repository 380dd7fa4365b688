// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import static org.assertj.core.api.Assertions.assertThat;

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

/** What the documentation says of codes, times and values that are handed over. */
class ContractTest {

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
            for (BurstException failure : new BurstException[] {
                BurstException.ofCall(errno, "why"), BurstException.ofOpen(errno, "why")
            }) {
                assertThat(failure.code()).as("errno %d", errno).isEqualTo(code);
                assertThat(failure.errno()).isEqualTo(errno);
                assertThat(failure).hasMessage("why");
            }
        });
        assertThat(BurstException.ofCall(11, "")).isInstanceOf(RingFullException.class);
        assertThat(BurstException.ofCall(5, "")).isInstanceOf(RingFailedException.class);
        assertThat(BurstException.ofOpen(5, "")).isNotInstanceOf(RingFailedException.class);
        assertThat(new BurstException(BurstException.Code.TIMED_OUT, "").errno()).isEqualTo(110);
    }

    @Test
    void aTimeoutOfNothingOrLessDoesNotWaitAndOneTooLongHasNoEnd() {
        assertThat(NativeTime.nanosOf(Duration.ZERO)).isZero();
        assertThat(NativeTime.nanosOf(Duration.ofNanos(-1))).isZero();
        assertThat(NativeTime.nanosOf(Duration.ofSeconds(Long.MIN_VALUE))).isZero();
        assertThat(NativeTime.nanosOf(Duration.ofNanos(1))).isEqualTo(1);
        assertThat(NativeTime.nanosOf(Duration.ofNanos(NativeTime.LONGEST_NANOS))).isEqualTo(NativeTime.LONGEST_NANOS);
        assertThat(NativeTime.nanosOf(Duration.ofNanos(NativeTime.LONGEST_NANOS).plusNanos(1)))
                .isEqualTo(NativeTime.FOREVER);
        assertThat(NativeTime.nanosOf(Duration.ofSeconds(Long.MAX_VALUE))).isEqualTo(NativeTime.FOREVER);
    }

    @Test
    void whatIsDoneToASetOfPermissionsAfterTheBuildChangesNothing(@TempDir Path directory) {
        Set<PosixFilePermission> permissions = PosixFilePermissions.fromString("rw-r-----");
        BurstConfig config = new TempLog(directory, Binding.AUTO).config().filePermissions(permissions).build();
        permissions.add(PosixFilePermission.OTHERS_WRITE);
        assertThat(config.filePermissions()).isEqualTo(PosixFilePermissions.fromString("rw-r-----"));
        assertThat(NativeConfig.of(config).fileMode).isEqualTo(0640);
    }

    @Test
    void anEventHasTheTimeAtWhichItWasToldAndItsSeverity(@TempDir Path directory) throws InterruptedException {
        BlockingQueue<BurstEvent> heard = new LinkedBlockingQueue<>();
        Instant before = Instant.now();
        BurstConfig config = new TempLog(directory, Binding.AUTO).config().listener(heard::add).build();
        try (BurstLog log = BurstLog.open(config)) {
            BurstEvent opened = heard.poll(60, TimeUnit.SECONDS);
            assertThat(opened).isNotNull();
            assertThat(opened.text()).contains(log.recoveryStatement());
            assertThat(opened.severity()).isEqualTo(BurstEvent.Severity.INFO);
            assertThat(opened.time()).isBetween(before, Instant.now());
        }
    }
}
