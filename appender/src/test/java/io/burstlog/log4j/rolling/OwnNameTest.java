// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import static org.assertj.core.api.Assertions.assertThat;

import io.burstlog.log4j.StatusLines;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.appender.rolling.DefaultRolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.SizeBasedTriggeringPolicy;
import org.apache.logging.log4j.core.layout.PatternLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A log file whose own name its pattern could have made. */
@SuppressWarnings("deprecation") // Older versions of Log4j lack the factories' replacements.
class OwnNameTest {

    @TempDir
    Path temporary;

    private StatusLines status;

    @BeforeEach
    void listen() {
        status = new StatusLines();
    }

    @AfterEach
    void stopListening() {
        status.stopListening();
    }

    private Path folder(final String form) {
        return switch (form) {
            case "absolute" -> temporary;
            case "with dots" -> temporary.resolve("../" + temporary.getFileName());
            default -> Path.of("").toAbsolutePath().relativize(temporary);
        };
    }

    private RollingSettings settings(final String form, final String fileIndex) {
        return new RollingSettings(
                "Orders",
                temporary.resolve("app-0.log").toString(),
                folder(form).resolve("app-%i.log").toString(),
                SizeBasedTriggeringPolicy.createPolicy("5"),
                DefaultRolloverStrategy.createStrategy(
                        "3", "1", fileIndex, null, null, true, RolledLog.configuration()),
                PatternLayout.newBuilder().withPattern("%m%n").build(),
                RolledLog.configuration(),
                new RollingSettings.FileAttributes(null, null, null),
                new RollingSettings.Archives(Duration.ZERO, 0, Duration.ZERO),
                false,
                false,
                null);
    }

    @ParameterizedTest
    @CsvSource({"relative, min", "relative, max", "absolute, min", "absolute, max", "with dots, min", "with dots, max"})
    void the_file_that_is_written_is_no_archive_of_its_pattern(final String form, final String fileIndex)
            throws Exception {
        try (RolledLog log = RolledLog.open(temporary, settings(form, fileIndex))) {
            for (int i = 1; i <= 5; i++) {
                log.log("event " + i);
            }
            log.awaitDrained();
        }
        final boolean newestFirst = fileIndex.equals("min");
        assertThat(RolledLog.files(temporary))
                .isEqualTo(Map.of(
                        "app-0.log",
                        "event 5\n",
                        "app-1.log",
                        newestFirst ? "event 4\n" : "event 2\n",
                        "app-2.log",
                        "event 3\n",
                        "app-3.log",
                        newestFirst ? "event 2\n" : "event 4\n"));
        assertThat(status.atLeast(Level.WARN)).isEmpty();
    }
}
