// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TimeZone;
import org.apache.logging.log4j.core.appender.rolling.DefaultRolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.TimeBasedTriggeringPolicy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A file is named after the time in which its events were logged, however late it gets the name. */
@SuppressWarnings("deprecation") // Older versions of Log4j lack the factories' replacements.
class TimesOfNamesTest {

    private static final Duration STEP = Duration.ofMinutes(20);

    @TempDir
    Path temporary;

    private final TimeZone before = TimeZone.getDefault();

    @AfterEach
    void restoreZone() {
        TimeZone.setDefault(before);
    }

    private RollingSettings settings(final String date, final String zone) {
        return RolledLog.settings(
                temporary,
                "app-%d{" + date + "}{" + zone + "}-%i.log",
                TimeBasedTriggeringPolicy.createPolicy("1", "true"),
                DefaultRolloverStrategy.createStrategy(
                        null, null, "nomax", null, null, true, RolledLog.configuration()));
    }

    /** A day before and after a change of the clocks, and a day without one. */
    @ParameterizedTest
    @CsvSource({
        "Europe/Berlin, 2026-03-28T12:07",
        "Europe/Berlin, 2026-10-24T12:07",
        "Europe/Berlin, 2026-12-30T12:07",
        "America/New_York, 2026-03-07T12:07",
        "America/New_York, 2026-10-31T12:07",
        "America/New_York, 2026-12-30T12:07",
        "Asia/Kolkata, 2026-03-28T12:07",
        "Asia/Kolkata, 2026-12-30T12:07"
    })
    void each_hour_and_each_day_has_its_file(final String zone, final String begin) {
        for (final String date : new String[] {"yyyy-MM-dd-HH", "yyyy-MM-dd"}) {
            check(temporary.resolve(date), date, ZoneId.of(zone), begin);
        }
    }

    private void check(final Path folder, final String date, final ZoneId zone, final String begin) {
        // Older versions of Log4j use only this zone's hours.
        TimeZone.setDefault(TimeZone.getTimeZone(zone));
        final RollingSettings settings = RolledLog.settings(
                folder,
                "app-%d{" + date + "}{" + zone + "}-%i.log",
                TimeBasedTriggeringPolicy.createPolicy("1", "true"),
                DefaultRolloverStrategy.createStrategy(
                        null, null, "nomax", null, null, true, RolledLog.configuration()));
        final DateTimeFormatter form = DateTimeFormatter.ofPattern(date).withZone(zone);
        final Instant first = ZonedDateTime.parse(
                        begin + "[" + zone + "]", DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm'['VV']'"))
                .toInstant();
        final Set<String> hours = new HashSet<>();
        try (RolledLog log = RolledLog.open(folder, settings, first)) {
            for (int i = 0; i < 72; i++) {
                // Waiting events are named after their own time.
                log.stream().hold(i % 10 != 0);
                final Instant now = first.plus(STEP.multipliedBy(i));
                hours.add(form.format(now));
                log.log(form.format(now) + " event " + i, now.toEpochMilli());
            }
            log.stream().hold(false);
        }
        final Map<String, String> files = RolledLog.files(folder);
        files.forEach((name, content) -> {
            final Set<String> found = new HashSet<>();
            content.lines().forEach(line -> found.add(line.substring(0, line.indexOf(' '))));
            assertThat(found).as(name).hasSize(1);
            if (!name.equals("app.log")) {
                assertThat(name).startsWith("app-" + found.iterator().next());
            }
        });
        assertThat(files.values().stream().flatMap(String::lines)).hasSize(72).doesNotHaveDuplicates();
        assertThat(files).hasSizeGreaterThanOrEqualTo(hours.size());
    }

    @Test
    void a_clock_that_is_set_back_rolls_nothing_twice() {
        TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
        final Instant first = Instant.parse("2026-11-22T10:30:00Z");
        try (RolledLog log = RolledLog.open(temporary, settings("yyyy-MM-dd-HH", "UTC"), first)) {
            log.log("1", first.toEpochMilli());
            log.log("2", first.plus(Duration.ofHours(1)).toEpochMilli());
            log.log("3", first.minus(Duration.ofHours(2)).toEpochMilli());
            log.log("4", first.plus(Duration.ofHours(1)).toEpochMilli());
            log.log("5", first.plus(Duration.ofHours(2)).toEpochMilli());
        }
        assertThat(RolledLog.files(temporary))
                .containsOnly(
                        Map.entry("app-2026-11-22-10-1.log", "1\n"),
                        Map.entry("app-2026-11-22-11-1.log", "2\n3\n4\n"),
                        Map.entry("app.log", "5\n"));
    }

    @Test
    void after_a_restart_the_file_ends_with_the_hour_in_which_it_began() {
        TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
        final Instant first = Instant.parse("2026-11-22T10:59:59.700Z");
        try (RolledLog log = RolledLog.open(temporary, settings("yyyy-MM-dd-HH", "UTC"), first)) {
            log.log("1", first.toEpochMilli());
        }
        try (RolledLog log = RolledLog.open(temporary, settings("yyyy-MM-dd-HH", "UTC"), first)) {
            log.log("2", first.plus(Duration.ofDays(2)).toEpochMilli());
        }
        assertThat(RolledLog.files(temporary))
                .containsOnly(Map.entry("app-2026-11-22-10-1.log", "1\n"), Map.entry("app.log", "2\n"));
    }
}
