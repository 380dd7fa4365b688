// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling.comparison;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The same events at the same times through two elements leave the same files with the same contents. */
@Tag("comparison")
class RollingComparisonTest {

    private static final Map<String, Scenario.Outcome> OF_ROLLING_FILE = new TreeMap<>();
    private static final LongSupplier NOBODY = () -> Long.MAX_VALUE;
    private static int scenarios;
    private static int files;
    private static int events;

    @TempDir
    Path temporary;

    static List<Scenario> scenarios() {
        return Scenario.all();
    }

    @AfterAll
    static void tellHowMany() {
        System.out.printf(
                "Burst compared with RollingFile: %d configurations, %d files, %d events%n", scenarios, files, events);
        OF_ROLLING_FILE.clear();
    }

    @Test
    void at_least_sixty_configurations_in_four_languages_have_names_of_their_own() {
        final Set<String> names = new TreeSet<>();
        final Set<String> formats = new TreeSet<>();
        for (final Scenario scenario : scenarios()) {
            assertThat(names.add(scenario.name())).as(scenario.name()).isTrue();
            formats.add(scenario.terms().get("format"));
        }
        assertThat(names).hasSizeGreaterThanOrEqualTo(60);
        assertThat(formats).containsExactly("json", "properties", "xml", "yaml");
    }

    /** Enough to see that the harness works. */
    static List<Scenario> everyThird() {
        final List<Scenario> all = scenarios();
        return IntStream.range(0, all.size())
                .filter(i -> i % 3 == 0)
                .mapToObj(all::get)
                .toList();
    }

    @ParameterizedTest
    @MethodSource("everyThird")
    void rolling_random_access_file_leaves_the_files_of_rolling_file(final Scenario scenario) {
        final Scenario.Outcome reference = rollingFile(scenario);
        final Scenario.Outcome outcome = scenario.run(
                temporary.resolve("compared"), text -> text.replace("RollingFile", "RollingRandomAccessFile"));
        assertThat(reference.contents().files()).as("files, after a roll").hasSizeGreaterThan(1);
        assertThat(outcome.contents().differencesFrom(reference.contents())).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void burst_leaves_the_files_of_rolling_file(final Scenario scenario) {
        final Scenario.Outcome outcome = scenario.run(temporary.resolve("burst"), scenario.asBurst(temporary));
        assertThat(rollingFile(scenario).contents().files())
                .as("files, after a roll")
                .hasSizeGreaterThan(1);
        final List<String> differences =
                outcome.contents().differencesFrom(rollingFile(scenario).contents());
        final String reason = scenario.terms().get("burst");
        if (reason == null) {
            assertThat(differences).isEmpty();
        } else {
            assertThat(differences).as("expected to differ: " + reason).isNotEmpty();
            System.out.println("Burst differs from RollingFile, " + scenario + ": " + reason);
        }
        count(outcome);
    }

    private static void count(final Scenario.Outcome outcome) {
        scenarios++;
        files += outcome.contents().files().size();
        events += outcome.events();
    }

    @ParameterizedTest
    @ValueSource(strings = {"2 +1h 2 +1h 1", "2 +1h 1 +1h 3", "2 +1h 2 +2h 2", "2 +30m 2 +1h 2", "2 +1h 2 +1h 2x50"})
    void the_comparison_sees_one_event_one_name_and_one_byte(final String steps) {
        final Scenario scenario = named("time_each_hour");
        final Scenario.Outcome expected =
                scenario.run(temporary.resolve("expected"), UnaryOperator.identity(), "2 +1h 2 +1h 2", NOBODY);
        final Scenario.Outcome outcome =
                scenario.run(temporary.resolve("outcome"), UnaryOperator.identity(), steps, NOBODY);
        assertThat(outcome.contents().differencesFrom(expected.contents())).isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"gz", "zip", "bz2", "xz", "zst", "deflate"})
    void the_comparison_looks_into_archives(final String suffix) {
        final Scenario scenario = named("size_with_archives_in_" + suffix);
        final Scenario.Outcome outcome =
                scenario.run(temporary.resolve("outcome"), UnaryOperator.identity(), "4 4 5 3 4", NOBODY);
        assertThat(outcome.contents().differencesFrom(rollingFile(scenario).contents()))
                .isEmpty();
        final Scenario.Outcome other =
                scenario.run(temporary.resolve("other"), UnaryOperator.identity(), "4x21 4 4 4 4", NOBODY);
        assertThat(other.contents().differencesFrom(outcome.contents()))
                .isNotEmpty()
                .allMatch(difference -> difference.contains("event"));
    }

    @ParameterizedTest
    @CsvSource({
        "delete_by_a_script, app-4.log app-5.log app.log",
        "delete_by_a_script_of_the_configuration, app-1.log.gz app.log"
    })
    void a_script_decides_which_archives_go(final String scenario, final String files) {
        assertThat(rollingFile(named(scenario)).contents().files().keySet()).containsExactly(files.split(" "));
    }

    private static Scenario named(final String name) {
        return scenarios().stream()
                .filter(scenario -> scenario.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private Scenario.Outcome rollingFile(final Scenario scenario) {
        return OF_ROLLING_FILE.computeIfAbsent(
                scenario.name(), name -> scenario.run(temporary.resolve("reference"), UnaryOperator.identity()));
    }
}
