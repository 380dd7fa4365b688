// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import static org.assertj.core.api.Assertions.assertThat;

import io.burstlog.Roll;
import io.burstlog.log4j.StatusLines;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.appender.rolling.CompositeTriggeringPolicy;
import org.apache.logging.log4j.core.appender.rolling.DefaultRolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.DirectWriteRolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.NoOpTriggeringPolicy;
import org.apache.logging.log4j.core.appender.rolling.RolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.SizeBasedTriggeringPolicy;
import org.apache.logging.log4j.core.appender.rolling.TimeBasedTriggeringPolicy;
import org.apache.logging.log4j.core.appender.rolling.TriggeringPolicy;
import org.apache.logging.log4j.core.appender.rolling.action.AbstractAction;
import org.apache.logging.log4j.core.appender.rolling.action.Action;
import org.apache.logging.log4j.core.layout.PatternLayout;
import org.apache.logging.log4j.core.lookup.StrSubstitutor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A roll in the ring: its content before it is performed, and what a process knows after the rolls of another one. */
@SuppressWarnings("deprecation") // Older versions of Log4j lack the factories' replacements.
class PlannedRollsTest {

    private static final Instant BEGIN = Instant.parse("2026-11-22T10:30:00Z");

    @TempDir
    Path folder;

    private static RolloverStrategy keepsAll() {
        return DefaultRolloverStrategy.createStrategy(null, null, "nomax", null, null, true, RolledLog.configuration());
    }

    private RollingSettings settings(final String pattern, final TriggeringPolicy policy) {
        return RolledLog.settings(folder, pattern, policy, keepsAll());
    }

    private RolledLog open(final String pattern) {
        return RolledLog.open(folder, settings(pattern, SizeBasedTriggeringPolicy.createPolicy("1 MB")), BEGIN);
    }

    private static String target(final RolledLog log) {
        return Path.of(log.stream().lastRoll().target()).getFileName().toString();
    }

    @Test
    void rolls_that_wait_have_a_name_each_behind_the_highest_that_is_there() throws Exception {
        Files.writeString(folder.resolve("app-7.log"), "of before\n");
        Files.writeString(folder.resolve("app-9.log.zst"), "of before\n");
        try (RolledLog log = open("app-%i.log.gz")) {
            log.stream().hold(true);
            for (int i = 10; i < 13; i++) {
                log.log("order " + i);
                log.manager().rollover();
                assertThat(target(log)).isEqualTo("app-" + i + ".log");
            }
            log.stream().hold(false);
        }
    }

    @Test
    void a_roll_that_found_no_space_uses_up_no_number_and_no_name() {
        final RollingSettings due = settings("app-%i.log", SizeBasedTriggeringPolicy.createPolicy("1"));
        try (RolledLog log = RolledLog.open(folder, due, BEGIN)) {
            log.manager().retryAfter(Duration.ZERO);
            log.log("order 1");
            log.stream().hold(true);
            log.stream().refuseRolls(true);
            for (int i = 0; i < 3; i++) {
                log.rolling().beforeEvent(RolledLog.event("order 2", System.currentTimeMillis()), false);
            }
            log.stream().refuseRolls(false);
            log.rolling().beforeEvent(RolledLog.event("order 2", System.currentTimeMillis()), false);
            assertThat(target(log)).isEqualTo("app-1.log");
            log.stream().hold(false);
        }
    }

    @Test
    void events_that_come_while_the_ring_is_full_try_one_roll() {
        final RollingSettings due = settings("app-%i.log", SizeBasedTriggeringPolicy.createPolicy("1"));
        try (RolledLog log = RolledLog.open(folder, due, BEGIN)) {
            log.manager().retryAfter(Duration.ofDays(1));
            log.log("order 1");
            log.stream().refuseRolls(true);
            for (int i = 0; i < 3; i++) {
                log.rolling().beforeEvent(RolledLog.event("order 2", System.currentTimeMillis()), false);
            }
            assertThat(log.stream().offers()).isOne();
        }
    }

    @Test
    void a_file_with_another_end_or_a_number_that_is_no_index_counts_for_no_name() throws Exception {
        Files.writeString(folder.resolve("app-7.log"), "of before\n");
        Files.writeString(folder.resolve("app-50.txt"), "of somebody else\n");
        Files.writeString(folder.resolve("app-99999999999.log"), "of somebody else\n");
        try (RolledLog log = open("app-%i.log.gz")) {
            log.stream().hold(true);
            log.log("order 8");
            log.manager().rollover();
            assertThat(target(log)).isEqualTo("app-8.log");
            log.stream().hold(false);
        }
    }

    @Test
    void a_name_without_an_index_gets_a_number_if_it_is_there_or_its_twin() throws Exception {
        Files.writeString(folder.resolve("app.old.zst"), "of before\n");
        Files.createFile(folder.resolve("app.old.1"));
        try (RolledLog log = open("app.old")) {
            log.log("order 1");
            log.manager().rollover();
            assertThat(target(log)).isEqualTo("app.old.1");
        }
        assertThat(RolledLog.files(folder)).containsEntry("app.old.1", "order 1\n");
    }

    @Test
    void it_says_when_and_at_which_length_the_next_one_is_due() {
        final RollingSettings both = settings(
                "app-%d{yyyy-MM-dd-HH}{UTC}-%i.log",
                CompositeTriggeringPolicy.createPolicy(
                        TimeBasedTriggeringPolicy.createPolicy("1", "true"),
                        SizeBasedTriggeringPolicy.createPolicy("1 MB")));
        try (RolledLog log = RolledLog.open(folder, both, BEGIN)) {
            log.log("order 1", BEGIN.toEpochMilli());
            log.manager().rollover();
            final Roll roll = log.stream().lastRoll();
            assertThat(roll.nextTimeNanos()).isPositive();
            assertThat(TimeUnit.NANOSECONDS.toDays(roll.nextTimeNanos())).isGreaterThan(20_000);
            assertThat(roll.nextFileBytes()).isEqualTo(1 << 20);
        }
    }

    @Test
    void without_a_limit_it_says_nothing_of_the_next_one() {
        try (RolledLog log =
                RolledLog.open(folder, settings("app-%i.log", NoOpTriggeringPolicy.createPolicy()), BEGIN)) {
            log.log("order 1");
            log.manager().rollover();
            assertThat(log.stream().lastRoll().nextTimeNanos()).isZero();
            assertThat(log.stream().lastRoll().nextFileBytes()).isZero();
        }
    }

    @Test
    void the_age_of_the_file_is_taken_behind_the_rolls_that_a_crash_has_left() {
        final RollingSettings hourly =
                settings("app-%d{yyyy-MM-dd-HH}{UTC}.log", TimeBasedTriggeringPolicy.createPolicy("1", "true"));
        final FileWritingStream stream = new FileWritingStream(folder.resolve("app.log"), BEGIN);
        final RolledLog killed = RolledLog.open(hourly, stream);
        killed.log("of ten", BEGIN.toEpochMilli());
        killed.awaitDrained();
        stream.hold(true);
        killed.log("of eleven", BEGIN.plus(Duration.ofHours(1)).toEpochMilli());
        stream.kill();
        killed.rolling().end(RolledLog.PATIENCE);
        stream.reopen();
        stream.holdUntilAsked();
        try (RolledLog log = RolledLog.open(hourly, stream)) {
            log.log("of twelve", BEGIN.plus(Duration.ofHours(2)).toEpochMilli());
        }
        assertThat(RolledLog.files(folder))
                .containsEntry("app-2026-11-22-10.log", "of ten\n")
                .containsEntry("app-2026-11-22-11.log", "of eleven\n")
                .containsEntry("app.log", "of twelve\n");
    }

    @Test
    void without_a_policy_of_time_a_name_has_the_birth_of_its_file() {
        final RollingSettings bySize =
                settings("app-%d{HH}{UTC}-%i.log", SizeBasedTriggeringPolicy.createPolicy("1 MB"));
        final FileWritingStream stream = new FileWritingStream(folder.resolve("app.log"), BEGIN);
        stream.hold(true);
        stream.write("of ten\n".getBytes(StandardCharsets.UTF_8));
        final long nextBegins = BEGIN.plus(Duration.ofHours(1)).toEpochMilli();
        stream.roll(Roll.to(folder.resolve("app-10-1.log").toString()), TimeUnit.MILLISECONDS.toNanos(nextBegins));
        stream.write("of eleven\n".getBytes(StandardCharsets.UTF_8));
        stream.holdUntilAsked();
        try (RolledLog log = RolledLog.open(bySize, stream)) {
            log.manager().rollover();
            log.awaitDrained();
        }
        assertThat(RolledLog.files(folder))
                .containsEntry("app-10-1.log", "of ten\n")
                .containsEntry("app-11-1.log", "of eleven\n");
    }

    @Test
    void plugins_take_it_for_a_manager_that_writes() {
        try (RolledLog log = open("app-%i.log")) {
            assertThat(log.manager().hasOutputStream()).isTrue();
            assertThat(log.manager().stop(1, TimeUnit.SECONDS)).isTrue();
            log.log("order 1");
            log.manager().rollover();
        }
        assertThat(RolledLog.files(folder)).containsEntry("app-1.log", "order 1\n");
    }

    @Test
    void after_the_end_nothing_is_rolled() {
        try (RolledLog log = open("app-%i.log")) {
            log.log("order 1");
            log.rolling().stopPolicy(Duration.ZERO);
            log.manager().rollover();
            log.manager().setTriggeringPolicy(SizeBasedTriggeringPolicy.createPolicy("1"));
            log.manager().checkRollover(RolledLog.event("order 2", BEGIN.toEpochMilli()));
            log.log("order 2");
        }
        assertThat(RolledLog.files(folder)).containsOnlyKeys("app.log");
    }

    @Test
    void another_configuration_has_its_strategy_its_names_and_its_policy_at_once() {
        try (RolledLog log = open("old-%i.log")) {
            final RollingSettings other = settings("new-%i.log", SizeBasedTriggeringPolicy.createPolicy("10"));
            log.rolling().update(other, RolledLog.PATIENCE);
            assertThat(log.manager().getRolloverStrategy().toString())
                    .isEqualTo(other.strategy().toString());
            assertThat((Object) log.manager().getRolloverStrategy()).isSameAs(other.strategy());
            assertThat((Object) log.manager().getTriggeringPolicy()).isSameAs(other.policy());
            assertThat(log.manager().getPatternProcessor().getPattern()).endsWith("new-%i.log");
            log.stream().hold(true);
            log.log("order 1");
            log.log("order 2");
            log.log("order 3");
            assertThat(target(log)).isEqualTo("new-1.log");
            log.stream().hold(false);
            log.awaitDrained();
        }
        assertThat(RolledLog.files(folder)).containsKeys("new-1.log", "app.log");
    }

    @Test
    void names_are_made_of_the_times_of_the_roll_whatever_a_strategy_sets() {
        final long begin = BEGIN.toEpochMilli();
        final long hour = TimeUnit.HOURS.toMillis(1);
        final RollPatternProcessor processor = new RollPatternProcessor(
                "app-%d{HH}{UTC}-%i.log.gz", new RollNote(begin, begin + hour, begin + 2 * hour, false));
        processor.setPrevFileTime(begin + 7 * hour);
        processor.setCurrentFileTime(begin + 7 * hour);
        assertThat(processor.plainName(new StrSubstitutor(), false, 3)).isEqualTo("app-10-3.log");
        assertThat(processor.plainName(new StrSubstitutor(), true, 3)).isEqualTo("app-11-3.log");
        assertThat(processor.getNextFileTime()).isEqualTo(begin + 2 * hour);
    }

    /** A user's strategy may ask for these. */
    @Test
    void a_strategy_sees_the_file_that_ends_and_not_the_one_that_is_written() {
        final List<Long> seen = new CopyOnWriteArrayList<>();
        final RolloverStrategy asking = manager -> {
            seen.add(manager.getFileSize());
            seen.add(manager.getFileTime());
            manager.rollover();
            return keepsAll().rollover(manager);
        };
        final RollingSettings settings =
                RolledLog.settings(folder, "app-%i.log", SizeBasedTriggeringPolicy.createPolicy("1 MB"), asking);
        try (RolledLog log = RolledLog.open(folder, settings, BEGIN)) {
            log.stream().hold(true);
            log.log("order 1");
            log.manager().rollover();
            log.log("order 2 of the next file");
            log.stream().hold(false);
            log.awaitDrained();
        }
        assertThat(seen).containsExactly(8L, BEGIN.toEpochMilli());
        assertThat(RolledLog.files(folder))
                .containsOnly(Map.entry("app-1.log", "order 1\n"), Map.entry("app.log", "order 2 of the next file\n"));
    }

    @Test
    void an_action_finds_the_file_under_its_new_name() {
        final List<Boolean> found = new CopyOnWriteArrayList<>();
        final Action looking = new AbstractAction() {
            @Override
            public boolean execute() {
                return found.add(Files.exists(folder.resolve("app-1.log")));
            }
        };
        final RolloverStrategy acting = DefaultRolloverStrategy.createStrategy(
                null, null, "nomax", null, new Action[] {looking}, true, RolledLog.configuration());
        final RollingSettings settings =
                RolledLog.settings(folder, "app-%i.log", SizeBasedTriggeringPolicy.createPolicy("1 MB"), acting);
        try (RolledLog log = RolledLog.open(folder, settings, BEGIN)) {
            log.stream().performAfter(Duration.ofMillis(300));
            log.log("order 1");
            log.manager().rollover();
            log.awaitDrained();
        }
        assertThat(found).containsExactly(true);
    }

    @Test
    void a_strategy_that_writes_directly_to_one_name_gets_others() {
        final RollingSettings direct = RolledLog.settings(
                folder,
                "app.log",
                SizeBasedTriggeringPolicy.createPolicy("20"),
                DirectWriteRolloverStrategy.createStrategy(null, null, null, true, RolledLog.configuration()));
        try (RolledLog log = RolledLog.open(folder, direct, BEGIN)) {
            for (int i = 0; i < 9; i++) {
                log.log("order " + i);
            }
        }
        final Map<String, String> files = RolledLog.files(folder);
        assertThat(files).hasSizeGreaterThan(2);
        assertThat(String.join("", files.values()).lines()).hasSize(9).doesNotHaveDuplicates();
    }

    @Test
    void of_equal_headers_of_a_thousand_bytes_the_operator_is_told_once() {
        final StatusLines status = new StatusLines();
        try (RolledLog log = RolledLog.open(
                folder, withHeader(settings("app-%i.log", SizeBasedTriggeringPolicy.createPolicy("1 MB")), 1000))) {
            assertThat(log.manager().getFileSize()).as("without header").isZero();
            for (int i = 0; i < 3; i++) {
                log.log("order " + i);
                log.manager().rollover();
            }
            assertThat(status.atLeast(Level.WARN)).singleElement().asString().contains("1000 bytes", "fileStamp");
        } finally {
            status.stopListening();
        }
    }

    @Test
    void a_footer_is_left_out_if_that_is_wanted() {
        final RollingSettings settings = settings("app-%i.log", SizeBasedTriggeringPolicy.createPolicy("1 MB"));
        try (RolledLog log = RolledLog.open(folder, withHeader(settings, 3))) {
            log.manager().rollover();
            assertThat(log.stream().lastRoll().footer()).isNotEmpty();
            log.manager().skipFooter(true);
            log.manager().rollover();
            assertThat(log.stream().lastRoll().footer()).isEmpty();
        }
    }

    /** The same with a header of so many bytes, and a footer. */
    static RollingSettings withHeader(final RollingSettings settings, final int bytes) {
        return new RollingSettings(
                settings.appender(),
                settings.fileName(),
                settings.filePattern(),
                settings.policy(),
                settings.strategy(),
                PatternLayout.newBuilder()
                        .withPattern("%m%n")
                        .withHeader("h".repeat(bytes))
                        .withFooter("end\n")
                        .build(),
                settings.configuration(),
                settings.attributes(),
                settings.archives(),
                settings.createOnDemand(),
                settings.fileStamp(),
                settings.advertiseUri());
    }

    @Test
    void a_file_is_known_by_more_than_its_inode() throws Exception {
        final Path file = Files.writeString(folder.resolve("app-1.log"), "order 1\n");
        final FileIdentity identity = FileIdentity.of(file);
        assertThat(identity.isOf(file)).isTrue();
        Files.writeString(file, "order 10\n");
        assertThat(identity.isOf(file)).isFalse();
    }

    @Test
    void a_link_to_a_file_that_got_another_name_is_not_taken_for_it() throws Exception {
        final Path file = Files.writeString(folder.resolve("app-1.log"), "order 1\n");
        final FileIdentity identity = FileIdentity.of(file);
        Files.move(file, folder.resolve("app-2.log"));
        for (int i = 0; i < 20; i++) {
            Files.createSymbolicLink(folder.resolve("link-" + i), folder.resolve("app-2.log"));
        }
        assertThat(identity.find(file)).isEqualTo(folder.resolve("app-2.log"));
    }
}
