// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.burstlog.BurstConfig;
import io.burstlog.BurstException;
import io.burstlog.BurstLog;
import io.burstlog.Durability;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.time.Instant;
import org.apache.logging.log4j.core.appender.AppenderLoggingException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The terms of an event in the ring, and of an appender at the ring. */
@Timeout(120)
class TermsTest {

    private static final String BOTH =
            "<Root level=\"all\"><AppenderRef ref=\"Orders\"/><AppenderRef ref=\"Second\"/></Root>";

    /** The place of the first record's event time, behind the ring's own megabyte and the marker's block. */
    private static final long FIRST_EVENT_TIME = (1 << 20) + 4096 + 24;

    @TempDir
    Path temporary;

    private OrdersDirectory directory;

    @BeforeEach
    void chooseDirectory() throws Exception {
        directory = new OrdersDirectory(temporary.toRealPath());
    }

    @Test
    void a_block_timeout_that_came_with_a_reconfiguration_ends_the_wait() {
        FullRing.makeLong(directory.file());
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst("ack=\"enqueued\"")))) {
            log4j.reconfigure(RunningLog4j.xml(directory.burst("ack=\"enqueued\" blockTimeout=\"20 ms\"")));
            try (FileSizeLimit limit = FullRing.withoutDrain()) {
                FullRing.fill(log4j.orders().stream().records());
                assertThatThrownBy(() -> log4j.logger().info(FullRing.LARGE))
                        .isInstanceOf(AppenderLoggingException.class)
                        .cause()
                        .isInstanceOfSatisfying(
                                BurstException.class,
                                failure -> assertThat(failure.code()).isEqualTo(BurstException.Code.TIMED_OUT));
            }
        }
    }

    @Test
    void an_appender_that_is_started_twice_is_attached_once() {
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst()))) {
            log4j.orders().start();
            log4j.logger().info("order 1");
        }
        final BurstConfig config = BurstConfig.builder()
                .ring(directory.ring().toString())
                .fileName(directory.file().toString())
                .durability(Durability.PROCESS)
                .build();
        BurstLog.open(config).close(); // the ring is not held any more
        assertThat(directory.lines()).containsExactly("INFO order 1");
    }

    @Test
    void the_ring_has_the_time_of_the_event() throws Exception {
        final Instant before;
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst()))) {
            before = Instant.now();
            log4j.logger().info("order 1");
        }
        final ByteBuffer time = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        try (FileChannel ring = FileChannel.open(directory.ring())) {
            assertThat(ring.read(time, FIRST_EVENT_TIME)).isEqualTo(Long.BYTES);
        }
        assertThat(Instant.ofEpochSecond(0, time.getLong(0))).isBetween(before.minusMillis(1), Instant.now());
    }

    @Test
    void what_was_only_enqueued_is_durable_when_one_of_two_appenders_has_stopped() {
        final String first = directory.burst("ack=\"enqueued\" batchDelay=\"1 s\"");
        final String second = first.replace("\"Orders\"", "\"Second\"");
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(first + second, BOTH))) {
            for (int i = 0; i < 100; i++) {
                log4j.logger().info("order");
            }
            log4j.<BurstAppender>appender("Second").stop();
            assertThat(log4j.allIsDurable()).isTrue();
        }
    }
}
