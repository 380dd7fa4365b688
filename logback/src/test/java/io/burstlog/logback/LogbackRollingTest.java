// SPDX-License-Identifier: Apache-2.0
package io.burstlog.logback;

import static io.burstlog.logback.RunningLogback.MESSAGE;
import static io.burstlog.logback.RunningLogback.burst;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.core.ContextBase;
import ch.qos.logback.core.rolling.RollingPolicy;
import ch.qos.logback.core.rolling.SizeAndTimeBasedRollingPolicy;
import ch.qos.logback.core.rolling.TimeBasedRollingPolicy;
import ch.qos.logback.core.util.FileSize;
import io.burstlog.Rolling;
import io.burstlog.doors.Settings;
import io.burstlog.doors.Wording;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LogbackRollingTest {

    private static final String POLICY = "<rollingPolicy class=\"ch.qos.logback.core.rolling.%s\">%s</rollingPolicy>";

    @TempDir
    Path folder;

    @Test
    void files_end_by_size_under_the_names_of_the_policy_and_hold_each_line_once() throws IOException {
        String pattern = "<fileNamePattern>" + folder + "/old/a-%d{yyyy-MM-dd}.%i.log</fileNamePattern>";
        String policy = POLICY.formatted("SizeAndTimeBasedRollingPolicy", pattern + "<maxFileSize>1KB</maxFileSize>");
        List<String> expected =
                IntStream.range(0, 100).mapToObj(i -> "INFO order " + i).toList();
        LocalDate before = LocalDate.now();
        try (RunningLogback logback = RunningLogback.with(burst(folder, "a", policy + MESSAGE), "a")) {
            IntStream.range(0, 100).forEach(i -> logback.logger().info("order {}", i));
            assertThat(logback.errors()).isEmpty();
        }
        List<String> lines = new ArrayList<>();
        int index = 0;
        for (Path file = archive(before, ++index); Files.exists(file); file = archive(before, ++index)) {
            assertThat(Files.size(file)).isLessThanOrEqualTo(1024);
            lines.addAll(Files.readAllLines(file));
        }
        lines.addAll(Files.readAllLines(folder.resolve("a.log")));
        assertThat(index).isPositive();
        if (LocalDate.now().equals(before)) {
            assertThat(lines).isEqualTo(expected);
            assertThat(index).as("files, and the one that is not there").isEqualTo(2);
        }
    }

    private Path archive(LocalDate date, int index) {
        return folder.resolve("old/a-" + date + "." + index + ".log");
    }

    @Test
    void every_property_of_a_policy_is_taken() {
        SizeAndTimeBasedRollingPolicy<Object> policy = new SizeAndTimeBasedRollingPolicy<>();
        policy.setContext(new ContextBase());
        policy.setFileNamePattern("old/a.%d{yyyy-MM-dd_HH}.%i.log.gz");
        policy.setMaxFileSize(FileSize.valueOf("10MB"));
        policy.setTotalSizeCap(FileSize.valueOf("1GB"));
        policy.setMaxHistory(48);
        assertThat(rolling(policy))
                .isEqualTo(Rolling.to("old/a.%Y-%m-%d_%H.%i.log")
                        .size(10 << 20)
                        .interval(Duration.ofHours(1))
                        .compress(true)
                        .keepBytes(1 << 30)
                        .keep(Duration.ofHours(48)));
    }

    @Test
    void a_policy_that_has_begun_to_delete_files_has_ended_that() {
        TimeBasedRollingPolicy<Object> policy = new TimeBasedRollingPolicy<>();
        policy.setContext(new ContextBase());
        policy.setParent(new BurstAppender<>());
        policy.setFileNamePattern(folder + "/a.%d.log");
        policy.setMaxHistory(1);
        policy.setCleanHistoryOnStart(true);
        policy.start();
        rolling(policy);
        assertThat(policy.isStarted()).isFalse();
    }

    @Test
    void a_policy_by_time_alone_keeps_all() {
        TimeBasedRollingPolicy<Object> policy = new TimeBasedRollingPolicy<>();
        policy.setContext(new ContextBase());
        policy.setFileNamePattern("old/a.%d.log");
        assertThat(rolling(policy)).isEqualTo(Rolling.to("old/a.%Y-%m-%d.log").interval(Duration.ofDays(1)));
    }

    private static Rolling rolling(RollingPolicy policy) {
        Settings settings = new Settings(new TreeMap<>(), Wording.of("setting"));
        Rolling rolling = new LogbackRolling(settings, new ContextBase()).read(policy, null, true, false);
        assertThat(settings.complaints()).isNull();
        return rolling;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a.%d.log | a.%Y-%m-%d.log | P1D | false",
                "a.%d{yyyy-MM-dd'T'HH-mm}.%i.gz | a.%Y-%m-%dT%H-%M.%i | PT1M | true",
                "a-%d{uuuuDDD}-%i | a-%Y%j-%i | P1D | false",
                "a-%d{HH-mm-ss} | a-%H-%M-%S | PT1S | false",
                "%d{yyyy, aux}/a-%d{yyyy-MM-dd} | %Y/a-%Y-%m-%d | P1D | false",
            })
    void the_engine_makes_the_names_of_a_pattern(String pattern, String engine, Duration period, boolean compress) {
        assertThat(FileNamePatternReader.read(pattern)).isEqualTo(new FileNamePatternReader(engine, period, compress));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a.%d{yyyy-MM}.log | not by months",
                "a.%d{yyyy-ww}.log | not ww",
                "'a.%d{yyyy-MM-dd, UTC}.log' | leave \"UTC\" out",
                "a.%i.log | it needs %d",
                "a.%d.zip | .gz alone",
                "a.%d.%03i | no other %",
                "'a.%d{yyyy, aux}.log' | it needs %d",
            })
    void a_pattern_that_the_engine_cannot_make_is_refused(String pattern, String reason) {
        assertThatThrownBy(() -> FileNamePatternReader.read(pattern)).hasMessageContaining(reason);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "FixedWindowRollingPolicy | <fileNamePattern>a.%i.log</fileNamePattern> | files that ended keep",
                "TimeBasedRollingPolicy | <fileNamePattern>%d{yyyy/MM/dd}/a.log</fileNamePattern> | its folder has a %",
                "TimeBasedRollingPolicy | <fileNamePattern>a-%d{yyyy-MM}.log</fileNamePattern> | not by months",
            })
    void a_policy_that_cannot_be_honoured_is_refused(String policy, String properties, String reason) {
        String rolling = POLICY.formatted(policy, properties);
        try (RunningLogback logback = RunningLogback.with(burst(folder, "a", rolling + MESSAGE), "a")) {
            assertThat(logback.errors()).singleElement().asString().contains("it is not started", reason);
        }
        assertThat(folder).isEmptyDirectory();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a.log.%d{yyyyMMdd}", "a.log.burst-%d{yyyyMMdd}"})
    void a_pattern_that_makes_the_name_of_a_log_that_cannot_go_on_is_refused(String pattern) {
        String named = "<fileNamePattern>" + folder.resolve(pattern) + "</fileNamePattern>";
        String content = POLICY.formatted("TimeBasedRollingPolicy", named) + MESSAGE;
        try (RunningLogback logback = RunningLogback.with(burst(folder, "a", content), "a")) {
            assertThat(logback.errors())
                    .singleElement()
                    .asString()
                    .contains("gets such a name itself", "let it have more");
        }
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void a_policy_excludes_a_triggering_policy_beside_it() {
        String pattern = "<fileNamePattern>" + folder + "/a-%d.log</fileNamePattern>";
        String triggering = "<triggeringPolicy class='ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy'/>";
        String content = POLICY.formatted("TimeBasedRollingPolicy", pattern) + triggering + MESSAGE;
        try (RunningLogback logback = RunningLogback.with(burst(folder, "a", content), "a")) {
            assertThat(logback.errors()).singleElement().asString().contains("triggeringPolicy cannot be used beside");
        }
    }

    @Test
    void a_policy_wants_a_file() {
        String policy = POLICY.formatted("TimeBasedRollingPolicy", "<fileNamePattern>a-%d.log</fileNamePattern>");
        String appender = burst(folder, "a", policy + MESSAGE).replaceFirst("<file>.*</file>", "");
        try (RunningLogback logback = RunningLogback.with(appender, "a")) {
            assertThat(logback.errors()).singleElement().asString().contains("a file named by its pattern");
        }
    }

    @Test
    void a_header_and_rolling_exclude_each_other() {
        String pattern = "<fileNamePattern>" + folder + "/a-%d.log</fileNamePattern>";
        String encoder = MESSAGE.replace("<pattern>", "<outputPatternAsHeader>true</outputPatternAsHeader><pattern>");
        String content = POLICY.formatted("TimeBasedRollingPolicy", pattern) + encoder;
        try (RunningLogback logback = RunningLogback.with(burst(folder, "a", content), "a")) {
            assertThat(logback.errors()).singleElement().asString().contains("header or a footer");
        }
    }
}
