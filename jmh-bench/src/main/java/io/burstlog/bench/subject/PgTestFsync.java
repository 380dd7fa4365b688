// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.subject;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Postgres's own {@code pg_test_fsync} on the file system of the run: its average of a write of 8 kB and an fdatasync.
 */
public final class PgTestFsync {

    /** The name among the targets of a study. */
    public static final String NAME = "pg-test-fsync";

    /** Its first line of that method is of one write; it goes on with two of them, and more. */
    private static final Pattern LINE = Pattern.compile("\\s*fdatasync\\s+([0-9.]+) ops/sec.*");

    private PgTestFsync() {}

    /** Nanoseconds. It takes two seconds. */
    public static double averageNanos(Media media) throws IOException, Media.NotPossible {
        Path file = media.file(NAME);
        Process program = new ProcessBuilder(
                        PostgresServer.programs().resolve("pg_test_fsync").toString(), "-s", "1", "-f", file.toString())
                .redirectErrorStream(true)
                .start();
        try (BufferedReader said =
                new BufferedReader(new InputStreamReader(program.getInputStream(), StandardCharsets.UTF_8))) {
            return averageNanos(said.lines());
        } finally {
            program.destroy();
        }
    }

    static double averageNanos(Stream<String> lines) throws Media.NotPossible {
        return lines.map(LINE::matcher)
                .filter(Matcher::matches)
                .findFirst()
                .map(line -> 1e9 / Double.parseDouble(line.group(1)))
                .orElseThrow(() -> new Media.NotPossible("pg_test_fsync said nothing of fdatasync"));
    }
}
