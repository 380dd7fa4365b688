// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.logging.log4j.core.appender.RollingFileAppender;
import org.apache.logging.log4j.core.appender.rolling.CompositeTriggeringPolicy;
import org.apache.logging.log4j.core.appender.rolling.DefaultRolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.DirectWriteRolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.RolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.SizeBasedTriggeringPolicy;
import org.apache.logging.log4j.core.appender.rolling.TimeBasedTriggeringPolicy;
import org.apache.logging.log4j.core.appender.rolling.TriggeringPolicy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The same events through {@code RollingFile} make the same files. */
@SuppressWarnings("deprecation") // Older versions of Log4j lack the factories' replacements.
class SameAsRollingFileTest {

    private static final int EVENTS = 200;

    @TempDir
    Path temporary;

    private static RolloverStrategy named(final String max, final String min, final String fileIndex) {
        return DefaultRolloverStrategy.createStrategy(max, min, fileIndex, null, null, true, RolledLog.configuration());
    }

    private static RolloverStrategy direct(final String maxFiles) {
        return DirectWriteRolloverStrategy.createStrategy(maxFiles, null, null, true, RolledLog.configuration());
    }

    private static TriggeringPolicy hourly() {
        return TimeBasedTriggeringPolicy.createPolicy("1", "true");
    }

    @Test
    void by_size() {
        compare("app-%i.log", () -> SizeBasedTriggeringPolicy.createPolicy("300"), () -> named(null, null, null), 0);
    }

    @Test
    void by_size_with_all_indexes() {
        compare("app-%i.log", () -> SizeBasedTriggeringPolicy.createPolicy("300"), () -> named(null, null, "nomax"), 0);
    }

    @Test
    void by_size_with_the_newest_at_the_lowest_index() {
        compare("app-%i.log", () -> SizeBasedTriggeringPolicy.createPolicy("300"), () -> named("3", "2", "min"), 0);
    }

    @Test
    void by_size_with_padding_and_compression() {
        compare(
                "old/app-%03i.log.gz",
                () -> SizeBasedTriggeringPolicy.createPolicy("300"), () -> named("9", null, null), 0);
    }

    @Test
    void by_size_into_zip() {
        compare(
                "app-%i.log.zip",
                () -> SizeBasedTriggeringPolicy.createPolicy("300"), () -> named("30", null, null), 0);
    }

    @Test
    void by_hour() {
        compare("app-%d{yyyy-MM-dd-HH}.log", SameAsRollingFileTest::hourly, () -> named(null, null, null), 11);
    }

    @Test
    void by_hour_and_size() {
        compare(
                "%d{yyyy-MM}/app-%d{yyyy-MM-dd-HH}-%i.log",
                () -> CompositeTriggeringPolicy.createPolicy(hourly(), SizeBasedTriggeringPolicy.createPolicy("200")),
                () -> named("20", null, null),
                7);
    }

    @Test
    void directly_by_size() {
        compare("app-%i.log", () -> SizeBasedTriggeringPolicy.createPolicy("300"), () -> direct(null), 0);
    }

    @Test
    void directly_by_size_with_compression_and_a_limit() {
        compare("app-%i.log.gz", () -> SizeBasedTriggeringPolicy.createPolicy("300"), () -> direct("4"), 0);
    }

    private void compare(
            final String pattern,
            final Supplier<TriggeringPolicy> policy,
            final Supplier<RolloverStrategy> strategy,
            final int minutesBetween) {
        final Path theirs = temporary.resolve("theirs");
        final Path ours = temporary.resolve("ours");
        final long begin = System.currentTimeMillis();
        final RollingSettings settings = RolledLog.settings(theirs, pattern, policy.get(), strategy.get());
        final RollingFileAppender appender = RollingFileAppender.newBuilder()
                .setName("theirs")
                .withFileName(settings.fileName())
                .withFilePattern(settings.filePattern())
                .withPolicy(settings.policy())
                .withStrategy(settings.strategy())
                .setLayout(settings.layout())
                .setConfiguration(settings.configuration())
                .build();
        appender.start();
        for (int i = 0; i < EVENTS; i++) {
            appender.append(RolledLog.event(text(i), timeOf(i, begin, minutesBetween)));
        }
        appender.stop(10, TimeUnit.SECONDS);
        try (RolledLog log = RolledLog.open(ours, RolledLog.settings(ours, pattern, policy.get(), strategy.get()))) {
            for (int i = 0; i < EVENTS; i++) {
                log.log(text(i), timeOf(i, begin, minutesBetween));
            }
        }
        assertThat(RolledLog.files(ours)).hasSizeGreaterThan(2).isEqualTo(RolledLog.files(theirs));
    }

    private static String text(final int number) {
        return "order " + number + " " + "x".repeat(number % 17);
    }

    private static long timeOf(final int number, final long begin, final int minutesBetween) {
        return begin + TimeUnit.MINUTES.toMillis((long) number * minutesBetween);
    }
}
