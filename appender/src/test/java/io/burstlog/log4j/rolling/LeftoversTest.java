// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import org.apache.logging.log4j.core.appender.rolling.DefaultRolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.DirectWriteRolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.SizeBasedTriggeringPolicy;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process finishes the work that a killed one has left. */
@SuppressWarnings("deprecation") // Older versions of Log4j lack the factories' replacements.
class LeftoversTest {

    @TempDir
    Path folder;

    private RollingSettings settings(final String pattern, final Duration delay) {
        return RolledLog.with(
                RolledLog.settings(
                        folder,
                        pattern,
                        SizeBasedTriggeringPolicy.createPolicy("50"),
                        DefaultRolloverStrategy.createStrategy(
                                null, null, "nomax", null, null, true, RolledLog.configuration())),
                before -> new RollingSettings.Archives(delay, 0, Duration.ZERO));
    }

    private void create(final String name) throws Exception {
        Files.writeString(folder.resolve(name), "order of before\n");
    }

    @Test
    void plain_files_are_compressed_and_beginnings_of_twins_go() throws Exception {
        create("app-1.log");
        create("app-2.log");
        create(".app-2.log.gz.burst-tmp");
        create(".app-2.log.burst-tmp");
        create("other-1.log");
        RolledLog.open(folder, settings("app-%i.log.gz", Duration.ZERO)).close();
        assertThat(RolledLog.files(folder)).containsOnlyKeys("app-1.log.gz", "app-2.log.gz", "app.log", "other-1.log");
    }

    @Test
    void files_of_another_log_stay_plain_whose_names_differ_where_the_pattern_has_a_lookup() throws Exception {
        create("app-2026-1.log");
        create("app-audit-2026-1.log");
        RolledLog.open(folder, settings("app-${date:yyyy}-%i.log.gz", Duration.ZERO))
                .close();
        assertThat(RolledLog.files(folder)).containsOnlyKeys("app-2026-1.log.gz", "app-audit-2026-1.log", "app.log");
    }

    @Test
    void of_a_file_that_is_there_twice_one_goes_at_once() throws Exception {
        create("app-1.log");
        create("app-2.log");
        try (OutputStream out = Compressor.gz(6).compress(Files.newOutputStream(folder.resolve("app-2.log.gz")), "")) {
            out.write(Files.readAllBytes(folder.resolve("app-2.log")));
        }
        create("app-3.log");
        create("app-3.log.gz");
        RolledLog.open(folder, settings("app-%i.log.gz", Duration.ofHours(1))).close();
        assertThat(RolledLog.files(folder))
                .containsOnlyKeys("app-1.log", "app-2.log.gz", "app-3.log", "app-3.log.gz", "app.log");
    }

    /** The comparison may take minutes: here it reads from a pipe that is filled only after the start. */
    @Test
    void a_file_that_is_there_twice_is_compared_after_the_start_and_before_the_next_roll() throws Exception {
        create("app-1.log");
        final Path twin = folder.resolve("app-1.log.bz2");
        assertThat(new ProcessBuilder("mkfifo", twin.toString()).start().waitFor())
                .isZero();
        final Thread starting = Thread.currentThread();
        final Thread rescue = new Thread(() -> {
            try {
                Thread.sleep(RolledLog.PATIENCE.toMillis());
                starting.interrupt();
                Files.newOutputStream(twin).close();
            } catch (final java.io.IOException | InterruptedException isOver) {
                // As it should be.
            }
        });
        rescue.setDaemon(true);
        rescue.start();
        try (RolledLog log = RolledLog.open(folder, settings("app-%i.log.bz2", Duration.ofHours(1)))) {
            assertThat(Thread.interrupted())
                    .as("the start waits for a comparison")
                    .isFalse();
            rescue.interrupt();
            log.log("order 1");
            log.manager().rollover();
            // The roller has come so far, and waits.
            Awaitility.await()
                    .atMost(RolledLog.PATIENCE)
                    .until(() -> Thread.getAllStackTraces().entrySet().stream()
                            .anyMatch(thread -> thread.getKey().getName().startsWith("burstlog-roller")
                                    && Arrays.toString(thread.getValue()).contains("awaitActions")));
            assertThat(Files.readString(folder.resolve("app.log"))).isEqualTo("order 1\n");
            try (OutputStream out = Compressor.ofSuffix(".bz2", 6).compress(Files.newOutputStream(twin), "")) {
                out.write(Files.readAllBytes(folder.resolve("app-1.log")));
            }
            log.awaitDrained();
        }
        assertThat(folder.resolve("app-1.log")).doesNotExist();
        assertThat(folder.resolve("app-2.log")).hasContent("order 1\n");
    }

    @Test
    void what_was_made_under_another_temporary_name_goes_and_no_archive() throws Exception {
        create("tmp-1.gz");
        create("app-1.log");
        final RollingSettings wanted = RolledLog.settings(
                folder,
                "app-%i.log.gz",
                SizeBasedTriggeringPolicy.createPolicy("50"),
                DefaultRolloverStrategy.newBuilder()
                        .withFileIndex("nomax")
                        .withTempCompressedFilePattern(
                                folder.resolve("tmp-%i.gz").toString())
                        .withConfig(RolledLog.configuration())
                        .build());
        RolledLog.open(folder, wanted).close();
        assertThat(RolledLog.files(folder)).containsOnlyKeys("app-1.log.gz", "app.log");
    }

    @Test
    void what_is_too_much_goes_at_the_start() throws Exception {
        create("app-1.log");
        create("app-2.log");
        Files.setLastModifiedTime(folder.resolve("app-1.log"), FileTime.from(Instant.parse("2026-01-02T03:04:05Z")));
        final RollingSettings limited = RolledLog.with(
                settings("app-%i.log", Duration.ZERO),
                before -> new RollingSettings.Archives(Duration.ZERO, 20, Duration.ZERO));
        RolledLog.open(folder, limited).close();
        assertThat(RolledLog.files(folder)).containsOnlyKeys("app-2.log", "app.log");
    }

    @Test
    void the_file_that_is_written_is_not_compressed_though_the_pattern_names_it() {
        final RollingSettings direct = RolledLog.settings(
                folder,
                "app-%i.log.gz",
                SizeBasedTriggeringPolicy.createPolicy("1 MB"),
                DirectWriteRolloverStrategy.createStrategy(null, null, null, true, RolledLog.configuration()));
        try (RolledLog log = RolledLog.open(folder, direct)) {
            log.log("order 1");
            log.awaitDrained();
            log.rolling().update(direct, RolledLog.PATIENCE);
        }
        assertThat(RolledLog.files(folder)).containsOnlyKeys("app-1.log");
    }

    @Test
    void a_reader_has_its_time() throws Exception {
        create("app-1.log");
        RolledLog.open(folder, settings("app-%i.log.gz", Duration.ofHours(1))).close();
        assertThat(RolledLog.files(folder)).containsOnlyKeys("app-1.log", "app.log");
    }

    @Test
    void without_compression_nothing_is_touched() throws Exception {
        create("app-1.log");
        create(".app-2.log.gz.burst-tmp");
        RolledLog.open(folder, settings("app-%i.log", Duration.ZERO)).close();
        assertThat(RolledLog.files(folder)).containsOnlyKeys("app-1.log", ".app-2.log.gz.burst-tmp", "app.log");
    }
}
