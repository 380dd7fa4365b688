// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling.comparison;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code <Burst>} where users of other rolling appenders lose events, archives or their patience. */
@Tag("comparison")
class RollingBetterTest {

    private static final String SIZE = "<SizeBasedTriggeringPolicy size=\"300\"/>";
    private static final String KEEPS_ALL = "<DefaultRolloverStrategy fileIndex=\"nomax\"/>";
    private static final String DAILY = "<TimeBasedTriggeringPolicy/>";
    private static final Pattern EVENT = Pattern.compile("(\\S+) event (\\d+) ");

    @TempDir
    Path temporary;

    private Map<String, String> files(final String pattern, final String content, final String steps) {
        return files(pattern, "", content, "UTC", "2024-05-06T22:15", steps);
    }

    private Map<String, String> files(
            final String pattern,
            final String attributes,
            final String content,
            final String zone,
            final String start,
            final String steps) {
        final Scenario scenario = new Scenario(
                "burst",
                Map.of("format", "xml", "zone", zone, "start", start, "run", steps),
                "<RollingFile name=\"R\" fileName=\"DIR/app.log\" filePattern=\"DIR/" + pattern + "\" " + attributes
                        + ">LAYOUT" + content + "</RollingFile>");
        return scenario.run(temporary, scenario.asBurst(temporary)).contents().files();
    }

    private static void assertEachEventOnce(final Map<String, String> files, final int count) {
        final List<Integer> events = files.values().stream()
                .flatMap(text -> EVENT.matcher(text).results())
                .map(event -> Integer.parseInt(event.group(2)))
                .sorted()
                .toList();
        assertThat(events)
                .containsExactlyElementsOf(
                        IntStream.rangeClosed(1, count).boxed().toList());
    }

    @ParameterizedTest
    @ValueSource(strings = {"gz", "zip", "bz2", "xz", "zst", "deflate"})
    void an_archive_is_not_lost_while_the_one_before_is_still_compressed(final String suffix) {
        final Map<String, String> files = files("app-%i.log." + suffix, SIZE + KEEPS_ALL, "150x90");
        assertEachEventOnce(files, 150);
        assertThat(files.keySet())
                .filteredOn(name -> name.endsWith("." + suffix))
                .hasSizeGreaterThan(30);
    }

    @ParameterizedTest
    @ValueSource(strings = {"app.old.log", "app-%d{yyyy-MM-dd}.log", "app-%d{yyyy-MM-dd}.log.gz", "app-%d{HH}.zip"})
    void a_pattern_without_an_index_replaces_no_archive(final String pattern) {
        final Map<String, String> files = files(pattern, SIZE, "5 5 5 5 5 5");
        assertEachEventOnce(files, 30);
        assertThat(files).hasSizeGreaterThan(3);
    }

    @ParameterizedTest
    @CsvSource({
        "Europe/Berlin, 2024-03-29T22:20",
        "Europe/Berlin, 2024-10-25T22:20",
        "America/New_York, 2024-03-08T22:20",
        "America/New_York, 2024-11-01T22:20",
        "Australia/Lord_Howe, 2024-04-05T22:20",
        "Australia/Lord_Howe, 2024-10-04T22:20"
    })
    void each_event_is_in_the_file_of_its_day_when_the_clocks_change(final String zone, final String start) {
        final Map<String, String> files =
                files("app-%d{yyyy-MM-dd}.log", "", DAILY, zone, start, "1 +30m ".repeat(144));
        assertEachEventOnce(files, 144);
        assertThat(files).hasSize(4);
        files.forEach((name, text) -> {
            final Matcher event = EVENT.matcher(text);
            while (event.find()) {
                final LocalDateTime local = LocalDateTime.parse(event.group(1))
                        .atOffset(ZoneOffset.UTC)
                        .atZoneSameInstant(ZoneId.of(zone))
                        .toLocalDateTime();
                assertThat(name.equals("app.log") ? 3 : name.compareTo("app-" + local.toLocalDate() + ".log"))
                        .as(name + " has " + local)
                        .isEqualTo(name.equals("app.log") ? 3 : 0);
            }
        });
    }

    @ParameterizedTest
    @CsvSource({
        "Europe/Berlin, 2024-03-30T22:20",
        "America/New_York, 2024-11-02T22:20",
        "Asia/Kolkata, 2024-05-06T22:20"
    })
    void a_cron_schedule_loses_nothing_when_the_clocks_change(final String zone, final String start) {
        final String cron = "<CronTriggeringPolicy schedule=\"0 0 0 * * ?\"/>";
        assertEachEventOnce(files("app-%d{yyyy-MM-dd}.log.gz", "", cron, zone, start, "1 +1h ".repeat(72)), 72);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1h", "-1d", "-40d"})
    void a_clock_that_is_set_back_loses_nothing(final String step) {
        assertEachEventOnce(
                files("app-%d{yyyy-MM-dd-HH}.log", DAILY, "3 +1h 3 " + step + " 3 +30m 3 +2h 3 restart 3 +1h 3 +1h 3"),
                24);
    }

    @Test
    void a_roll_that_fails_leaves_the_events_in_the_file_and_counts_them() {
        final Map<String, String> files =
                files("old/app-%i.log", SIZE + KEEPS_ALL, "write:old 5 5 5 delete:old restart 5 5 5");
        assertEachEventOnce(files, 30);
        assertThat(files.get("old/app-1.log")).contains("event 1 ", "event 15 ");
        assertThat(files.keySet()).contains("app.log", "old/app-2.log");
    }

    @Test
    void after_its_file_was_deleted_the_appender_goes_on_and_rolls() {
        final Map<String, String> files = files("app-%i.log", SIZE + KEEPS_ALL, "5 5 5 delete:app.log 5 5 5 5 5");
        assertThat(files.keySet()).contains("app-1.log", "app-2.log", "app.log");
        assertThat(String.join("", files.values())).contains("event 16 ", "event 40 ");
    }

    @Test
    void folders_of_archives_are_made_with_the_first_archive() {
        assertThat(files("old/%d{yyyy}/app-%i.log", SIZE, "2 +1d restart 2").keySet())
                .containsExactly("app.log");
        assertThat(temporary.resolve("logs/old")).doesNotExist();
    }

    @Test
    void a_roll_by_hand_of_an_empty_file_makes_no_archive_and_the_next_one_is_made() {
        assertThat(files("app-%i.log", SIZE, "roll roll 2 roll roll 2").keySet())
                .containsExactly("app-1.log", "app.log");
    }

    @Test
    void indexes_start_again_with_the_next_day() {
        assertThat(files("app-%d{dd}-%i.log.gz", "<Policies>" + DAILY + SIZE + "</Policies>", "8 8 8 +1d 8 8 8")
                        .keySet())
                .contains("app-06-1.log.gz", "app-06-2.log.gz", "app-07-1.log.gz")
                .noneMatch(name -> name.matches("app-07-[4-9].*"));
    }

    @Test
    void an_archive_has_its_own_name_inside_a_zip() {
        final Map<String, String> files = files("app-%d{yyyy-MM-dd}-%i.log.zip", SIZE + KEEPS_ALL, "8 8 8");
        files.forEach((name, text) -> {
            if (name.endsWith(".zip")) {
                assertThat(text).startsWith(name.replace(".zip", ": "));
            }
        });
        assertThat(files).hasSizeGreaterThan(2);
    }

    @Test
    void a_restart_goes_on_with_the_birth_that_the_ring_knows() {
        final Map<String, String> files =
                files("app-%d{yyyy-MM-dd}.log", DAILY, "2 +1h restart 2 +1d restart 2 +3d restart restart 2");
        assertThat(files.keySet()).containsExactly("app-2024-05-06.log", "app-2024-05-07.log", "app.log");
        assertEachEventOnce(files, 8);
    }

    @Test
    void archives_of_all_dates_and_indexes_are_kept_up_to_a_size_in_all() {
        final Map<String, String> files = files(
                "app-%d{yyyy-MM-dd}-%i.log",
                "maxTotalSize=\"1 KB\"",
                "<Policies>" + DAILY + SIZE + "</Policies>" + KEEPS_ALL,
                "UTC",
                "2024-05-06T22:15",
                "8 8 +1d 8 8 +1d 8 8");
        assertThat(files.keySet())
                .containsExactly("app-2024-05-07-1.log", "app-2024-05-07-2.log", "app-2024-05-08-1.log", "app.log");
    }
}
