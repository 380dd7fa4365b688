// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static io.burstlog.log4j.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.core.impl.Log4jLogEvent;
import org.apache.logging.log4j.message.SimpleMessage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AcknowledgementTest {

    private static final int EVENTS = 400;

    @TempDir
    Path temporary;

    private OrdersDirectory directory;

    @BeforeEach
    void chooseDirectory() {
        directory = new OrdersDirectory(temporary);
    }

    @Test
    void an_event_that_is_not_the_end_of_a_batch_is_durable_on_return_when_its_own_thread_logs_it() {
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst()))) {
            for (int i = 0; i < EVENTS; i++) {
                log4j.orders().append(event(Thread.currentThread().getId(), false));
                assertThat(log4j.allIsDurable()).isTrue();
            }
            assertThat(commits(log4j)).isGreaterThanOrEqualTo(EVENTS);
        }
    }

    @Test
    void events_handed_over_by_another_thread_share_commits_and_the_end_of_the_batch_waits_for_all() {
        final long another = Thread.currentThread().getId() + 1;
        final int bursts;
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst()))) {
            bursts = assertABurstSharesCommits(log4j, () -> {
                for (int i = 0; i < EVENTS; i++) {
                    log4j.orders().append(event(another, false));
                }
                log4j.orders().append(event(another, true));
                assertThat(log4j.allIsDurable()).isTrue();
            });
        }
        assertThat(directory.lines()).hasSize(bursts * (EVENTS + 1));
    }

    @Test
    void a_batch_whose_end_another_logger_got_is_durable_soon_after() {
        final long another = Thread.currentThread().getId() + 1;
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst()))) {
            log4j.orders().append(event(another, false));
            await().until(log4j::allIsDurable);
        }
    }

    @Test
    void stop_makes_durable_what_was_enqueued() {
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst("ack=\"enqueued\"")))) {
            for (int i = 0; i < EVENTS; i++) {
                log4j.logger().info("order {}", i);
            }
        }
        assertThat(directory.lines()).hasSize(EVENTS).last().isEqualTo("INFO order " + (EVENTS - 1));
    }

    @Test
    void the_stop_of_one_of_two_appenders_of_a_file_makes_durable_what_was_enqueued() {
        final String second = directory.burst("ack=\"enqueued\"").replace("\"Orders\"", "\"Second\"");
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst("ack=\"enqueued\"") + second))) {
            for (int i = 0; i < 100 * EVENTS; i++) {
                log4j.logger().info("order {}", i);
            }
            log4j.<BurstAppender>appender("Second").stop();
            assertThat(log4j.allIsDurable()).isTrue();
        }
    }

    @Test
    void enqueued_events_share_commits_and_are_durable_soon_after() {
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst("ack=\"enqueued\"")))) {
            assertABurstSharesCommits(log4j, () -> {
                for (int i = 0; i < EVENTS; i++) {
                    log4j.logger().fatal("order {}", i);
                }
                await().until(log4j::allIsDurable);
            });
        }
    }

    @Test
    void events_below_the_ack_level_share_commits_and_those_at_or_above_it_are_durable_on_return() {
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst("ackLevel=\"info\"")))) {
            final Logger logger = log4j.logger();
            assertABurstSharesCommits(log4j, () -> {
                for (int i = 0; i < EVENTS; i++) {
                    logger.debug("detail {}", i);
                }
                logger.info("order 1");
                assertThat(log4j.allIsDurable()).isTrue();
                logger.error("order 2");
                assertThat(log4j.allIsDurable()).isTrue();
            });
        }
    }

    /**
     * On one CPU with cold code an event may take longer than a commit, so that each event gets its own. If events
     * never shared a commit, no burst would. Returns after how many bursts one did.
     */
    private static int assertABurstSharesCommits(final RunningLog4j log4j, final Runnable burst) {
        long commits;
        int bursts = 0;
        do {
            assertThat(bursts).as("bursts whose events did not share commits").isLessThan(20);
            final long before = commits(log4j);
            burst.run();
            commits = commits(log4j) - before;
            bursts++;
        } while (commits >= EVENTS / 2);
        return bursts;
    }

    private static long commits(final RunningLog4j log4j) {
        return log4j.orders().ring().log().stats().commits();
    }

    private static Log4jLogEvent event(final long threadId, final boolean endOfBatch) {
        return Log4jLogEvent.newBuilder()
                .setLevel(Level.INFO)
                .setMessage(new SimpleMessage("order"))
                .setThreadId(threadId)
                .setEndOfBatch(endOfBatch)
                .build();
    }
}
