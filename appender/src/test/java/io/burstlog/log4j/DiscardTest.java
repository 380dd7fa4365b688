// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static io.burstlog.log4j.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.burstlog.doors.LossReport;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.logging.log4j.Level;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiscardTest {

    private static final Pattern NOTICE = Pattern.compile(
            "(?:WARN|ERROR Burst:) (\\d+) events? (was|were) discarded, because the ring .* was full.*");

    @TempDir
    Path temporary;

    private OrdersDirectory directory;

    @BeforeEach
    void chooseDirectory() {
        directory = new OrdersDirectory(temporary);
    }

    @Test
    void discarded_events_are_counted_in_a_warning_in_the_log_itself_when_space_returns() {
        try (RunningLog4j log4j =
                RunningLog4j.with(RunningLog4j.xml(directory.burst("ack=\"enqueued\" onFull=\"discard\"")))) {
            try (FileSizeLimit limit = FullRing.withoutDrain()) {
                FullRing.logMoreThanFits(log4j.logger());
            }
            log4j.awaitDrained();
            log4j.logger().info("next");
        }
        final List<String> lines = directory.lines();
        final long discarded = discarded(lines);
        assertThat(discarded).isPositive();
        assertThat(logged(lines)).isEqualTo(FullRing.EVENTS - discarded);
        // When the event comes the timer may be about to write the notice; the event does not wait for that.
        assertThat(lines.stream().filter(line -> !NOTICE.matcher(line).matches()))
                .last()
                .isEqualTo("INFO next");
    }

    @Test
    void the_operator_is_told_while_events_are_discarded_and_not_of_each() {
        try (RunningLog4j log4j =
                RunningLog4j.with(RunningLog4j.xml(directory.burst("ack=\"enqueued\" onFull=\"discard\"")))) {
            final LongSupplier lines = () -> log4j.status(Level.ERROR).stream()
                    .filter(line -> line.contains("an event was discarded") && line.contains("" + directory.ring()))
                    .count();
            try (FileSizeLimit limit = FullRing.withoutDrain()) {
                final long begin = System.nanoTime();
                FullRing.logMoreThanFits(log4j.logger());
                FullRing.logMoreThanFits(log4j.logger());
                final long minutes = (System.nanoTime() - begin) / LossReport.ONE_MINUTE.toNanos();
                assertThat(lines.getAsLong()).isBetween(1L, 1 + minutes);
            }
        }
    }

    @Test
    void the_warning_comes_without_a_further_event() {
        try (RunningLog4j log4j =
                RunningLog4j.with(RunningLog4j.xml(directory.burst("ack=\"enqueued\" onFull=\"discard\"")))) {
            try (FileSizeLimit limit = FullRing.withoutDrain()) {
                FullRing.logMoreThanFits(log4j.logger());
            }
            await().untilAsserted(() -> {
                log4j.awaitDrained();
                final List<String> lines = directory.lines();
                assertThat(logged(lines) + discarded(lines)).isEqualTo(FullRing.EVENTS);
            });
        }
    }

    @Test
    void the_warning_is_not_lost_when_log4j_stops_at_once() {
        final RunningLog4j log4j =
                RunningLog4j.with(RunningLog4j.xml(directory.burst("ack=\"enqueued\" onFull=\"discard\"")));
        try (FileSizeLimit limit = FullRing.withoutDrain()) {
            FullRing.logMoreThanFits(log4j.logger());
        }
        assertEveryEventIsLoggedOrCountedAfterStopOf(log4j);
    }

    @Test
    void a_discard_that_came_with_a_reconfiguration_is_counted_in_the_same_way() {
        final RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst("ack=\"enqueued\"")));
        log4j.reconfigure(RunningLog4j.xml(directory.burst("ack=\"enqueued\" onFull=\"discard\"")));
        try (FileSizeLimit limit = FullRing.withoutDrain()) {
            FullRing.logMoreThanFits(log4j.logger());
        }
        assertEveryEventIsLoggedOrCountedAfterStopOf(log4j);
        assertThat(logged(directory.lines())).isLessThan(FullRing.EVENTS);
    }

    /** A slow disk may leave a stop without space for one second: then it tells the operator the rest. */
    private void assertEveryEventIsLoggedOrCountedAfterStopOf(final RunningLog4j log4j) {
        final long begin = System.nanoTime();
        log4j.close();
        final boolean waitedForSpace = System.nanoTime() - begin >= TimeUnit.SECONDS.toNanos(1);
        final List<String> told = log4j.status(Level.ERROR).stream()
                .filter(line -> line.contains("the log itself"))
                .toList();
        assertThat(told.isEmpty() || waitedForSpace)
                .as("the log itself says so: %s", told)
                .isTrue();
        final List<String> lines = directory.lines();
        assertThat(logged(lines) + discarded(lines) + discarded(told)).isEqualTo(FullRing.EVENTS);
    }

    @Test
    void what_the_log_itself_could_not_say_until_the_end_is_told_as_an_error() {
        // With lines of that length some events do not fit into the room that an even longer one leaves.
        final String layout = "<PatternLayout pattern=\"%p %m " + "y".repeat(300_000) + "%n\"/>";
        FullRing.makeLong(directory.file());
        final RunningLog4j log4j =
                RunningLog4j.with(RunningLog4j.xml(directory.burst("ack=\"enqueued\" onFull=\"discard\"", layout)));
        try (FileSizeLimit limit = FullRing.withoutDrain()) {
            FullRing.logMoreThanFits(log4j.logger());
            log4j.close();
        }
        final long told = discarded(log4j.status(Level.ERROR));
        assertThat(told).isPositive();
        RunningLog4j.with(RunningLog4j.xml(directory.burst())).close();
        final List<String> lines = directory.lines();
        assertThat(logged(lines) + discarded(lines) + told).isEqualTo(FullRing.EVENTS);
    }

    @Test
    void a_record_size_too_small_for_the_warning_costs_the_warning_and_no_event() {
        final String xml =
                RunningLog4j.xml(directory.burst("ack=\"enqueued\" onFull=\"discard\" maxRecordSize=\"60\""));
        try (RunningLog4j log4j = RunningLog4j.with(xml)) {
            try (FileSizeLimit limit = FullRing.withoutDrain()) {
                // Asking for the figures takes longer than many events.
                while (log4j.orders().ring().log().stats().discarded() == 0) {
                    for (int event = 0; event < 1_000; event++) {
                        log4j.logger().info("order");
                    }
                }
            }
            log4j.awaitDrained();
            // Space of drained records is free once both checkpoints say so, a moment after the first.
            await().until(() -> log4j.orders().ring().log().stats().usedBytes() == 0);
            log4j.logger().info("next");
            await().untilAsserted(
                            () -> assertThat(log4j.status(Level.WARN)).anyMatch(line -> line.contains("discarded")));
        }
        assertThat(directory.lines()).last().isEqualTo("INFO next");
    }

    private static long logged(final List<String> lines) {
        return lines.stream().filter(line -> line.startsWith("INFO xxx")).count();
    }

    private static long discarded(final List<String> lines) {
        return lines.stream()
                .map(NOTICE::matcher)
                .filter(Matcher::matches)
                .mapToLong(match -> Long.parseLong(match.group(1)))
                .sum();
    }
}
