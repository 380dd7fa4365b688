// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.logging.log4j.core.appender.rolling.DefaultRolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.SizeBasedTriggeringPolicy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@SuppressWarnings("deprecation") // Older versions of Log4j lack the factories' replacements.
class RetentionTest {

    private static final Instant NOW = Instant.parse("2026-11-22T12:00:00Z");

    @TempDir
    Path folder;

    private void create(final String name, final int bytes, final int daysOld) throws IOException {
        final Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        Files.write(file, new byte[bytes]);
        Files.setLastModifiedTime(file, FileTime.from(NOW.minus(Duration.ofDays(daysOld))));
    }

    private void keep(final long maxTotalBytes, final Duration maxAge) {
        keep(maxTotalBytes, maxAge, "app.log");
    }

    private void keep(final long maxTotalBytes, final Duration maxAge, final String current) {
        keep(maxTotalBytes, maxAge, current, "%d{yyyy-MM}/app-%d{yyyy-MM-dd}-%i.log.gz");
    }

    private void keep(final long maxTotalBytes, final Duration maxAge, final String current, final String filePattern) {
        final RollingSettings settings = RolledLog.with(
                RolledLog.settings(
                        folder,
                        filePattern,
                        SizeBasedTriggeringPolicy.createPolicy("50"),
                        DefaultRolloverStrategy.createStrategy(
                                null, null, "nomax", null, null, true, RolledLog.configuration())),
                before -> new RollingSettings.Archives(Duration.ZERO, maxTotalBytes, maxAge));
        new Retention(
                        settings,
                        new FileWritingStream(folder.resolve(current), NOW),
                        new ReentrantLock(),
                        Clock.fixed(NOW, ZoneOffset.UTC))
                .keep();
    }

    private List<String> names() {
        return List.copyOf(RolledLog.files(folder).keySet());
    }

    @Test
    void the_oldest_go_until_the_rest_is_small_enough() throws Exception {
        create("2026-10/app-2026-10-30-1.log.gz", 100, 23);
        create("2026-11/app-2026-11-01-2.log.gz", 100, 21);
        create("2026-11/app-2026-11-02-1.log", 100, 20);
        create("2026-11/app-2026-11-03-1.log.gz", 100, 19);
        keep(250, Duration.ZERO);
        assertThat(names())
                .containsExactly("2026-11/app-2026-11-02-1.log", "2026-11/app-2026-11-03-1.log.gz", "app.log");
    }

    @Test
    void what_is_too_old_goes_and_nothing_that_has_another_name() throws Exception {
        create("2026-10/app-2026-10-30-1.log.gz", 100, 23);
        create("2026-10/app-2026-10-30-x.log.gz", 100, 23);
        create("2026-10/notes.txt", 100, 23);
        create("2026-11/app-2026-11-21-1.log.gz", 100, 1);
        create("app.log", 100, 23);
        keep(0, Duration.ofDays(7));
        assertThat(names())
                .containsExactly(
                        "2026-10/app-2026-10-30-x.log.gz",
                        "2026-10/notes.txt",
                        "2026-11/app-2026-11-21-1.log.gz",
                        "app.log");
    }

    @Test
    void archives_of_another_log_stay_whose_names_differ_where_the_pattern_has_a_lookup() throws Exception {
        create("app-2026-10-1.log.gz", 100, 23);
        create("app-audit-2026-10-1.log.gz", 100, 23);
        keep(50, Duration.ofDays(7), "app.log", "app-${date:yyyy-MM}-%i.log.gz");
        assertThat(names()).containsExactly("app-audit-2026-10-1.log.gz", "app.log");
        create("2026/10/app-1.log.gz", 100, 23);
        create("billing/10/app-1.log.gz", 100, 23);
        keep(0, Duration.ofDays(7), "app.log", "${date:yyyy/MM}/app-%i.log.gz");
        assertThat(names()).containsExactly("app-audit-2026-10-1.log.gz", "app.log", "billing/10/app-1.log.gz");
    }

    @Test
    void where_one_cannot_be_deleted_a_younger_one_goes_in_its_place() throws Exception {
        create("2026-10/app-2026-10-30-1.log.gz", 100, 23);
        create("2026-11/app-2026-11-01-2.log.gz", 100, 21);
        create("2026-11/app-2026-11-02-1.log", 100, 20);
        final Path stays = folder.resolve("2026-10/app-2026-10-30-1.log.gz");
        assumeThat(chattr("+i", stays))
                .as("SKIPPED: no file can be made immutable here")
                .isTrue();
        try {
            keep(200, Duration.ZERO);
            assertThat(names())
                    .containsExactly("2026-10/app-2026-10-30-1.log.gz", "2026-11/app-2026-11-02-1.log", "app.log");
        } finally {
            chattr("-i", stays);
        }
    }

    private static boolean chattr(final String change, final Path file) throws Exception {
        try {
            return new ProcessBuilder("chattr", change, file.toString()).start().waitFor() == 0;
        } catch (final IOException notThere) {
            return false;
        }
    }

    @Test
    void the_file_that_is_written_stays_whatever_its_name_and_so_does_the_beginning_of_a_twin() throws Exception {
        create("2026-11/app-2026-11-01-1.log", 100, 21);
        create("2026-11/app-2026-11-02-1.log", 100, 20);
        create("2026-11/.app-2026-11-02-1.log.gz.burst-tmp", 5000, 23);
        keep(150, Duration.ZERO, "2026-11/app-2026-11-01-1.log");
        assertThat(names())
                .containsExactly(
                        "2026-11/.app-2026-11-02-1.log.gz.burst-tmp",
                        "2026-11/app-2026-11-01-1.log",
                        "2026-11/app-2026-11-02-1.log");
        keep(50, Duration.ZERO, "2026-11/app-2026-11-01-1.log");
        assertThat(names())
                .containsExactly("2026-11/.app-2026-11-02-1.log.gz.burst-tmp", "2026-11/app-2026-11-01-1.log");
    }

    @Test
    void each_roll_keeps_the_limit_also_if_its_file_is_compressed() {
        final RollingSettings settings = RolledLog.with(
                RolledLog.settings(
                        folder,
                        "app-%i.log.gz",
                        SizeBasedTriggeringPolicy.createPolicy("50"),
                        DefaultRolloverStrategy.createStrategy(
                                null, null, "nomax", null, null, true, RolledLog.configuration())),
                before -> new RollingSettings.Archives(Duration.ZERO, 1, Duration.ZERO));
        try (RolledLog log = RolledLog.open(folder, settings)) {
            for (int i = 0; i < 20; i++) {
                log.log("order " + i);
            }
        }
        assertThat(names()).containsExactly("app.log");
    }

    @Test
    void without_limits_everything_stays() throws Exception {
        create("2026-10/app-2026-10-30-1.log.gz", 100, 2300);
        keep(0, Duration.ZERO);
        assertThat(names()).hasSize(2);
    }
}
