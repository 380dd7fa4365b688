// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.zip.GZIPInputStream;

/**
 * The lines of all runs in the log file. Reading checks what must hold for each line, acknowledged or not. Its text is
 * one that was logged. Runs follow each other. Each thread's numbers go up one by one, so no line is repeated, out of
 * order, or missing before a later one. Lines without a number are counted: a repeated one is one more than were
 * logged.
 */
final class LogFile {
    private record ThreadOfRun(int run, int thread) {}

    private final Map<ThreadOfRun, Integer> lastNumber = new HashMap<>();
    private int lines;
    private int lastRun;

    static LogFile read(Path file) throws IOException {
        return read(List.of(file));
    }

    /** For a log file that was rolled: the rolled files in order, then the log file. */
    static LogFile read(List<Path> files) throws IOException {
        LogFile log = new LogFile();
        for (Path file : files) {
            try (BufferedReader reader = open(file)) {
                for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                    log.add(line);
                }
            }
        }
        return log;
    }

    private static BufferedReader open(Path file) throws IOException {
        return file.toString().endsWith(".gz")
                ? new BufferedReader(
                        new InputStreamReader(new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8))
                : Files.newBufferedReader(file);
    }

    private void add(String line) {
        lines++;
        LineText key = LineText.keyOf(line);
        if (key == null || !line.equals(key.text())) {
            throw new AssertionError("line " + lines + " was never logged: " + line);
        }
        if (key.run() < lastRun) {
            throw new AssertionError("line " + lines + " of run " + key.run() + " stands behind run " + lastRun);
        }
        lastRun = key.run();
        ThreadOfRun thread = new ThreadOfRun(key.run(), key.thread());
        int expected = lastNumber.getOrDefault(thread, 0) + 1;
        lastNumber.put(thread, expected);
        if (key.number() != 0 && key.number() != expected) {
            throw new AssertionError("line " + lines + " is number " + key.number() + " of thread " + key.thread()
                    + " in run " + key.run() + ", where number " + expected + " is due");
        }
    }

    /** The file has all acknowledged lines, and at most one line more for each thread, which was under way. */
    void holdsWhatWasAcknowledged(List<Acknowledged> runs, int threads) {
        holdsWhatWasAcknowledged(runs, threads, thread -> true);
    }

    /** The same for these threads; the file has no line of the others. */
    void holdsWhatWasAcknowledged(List<Acknowledged> runs, int threads, IntPredicate isHere) {
        for (int run = 1; run <= runs.size(); run++) {
            for (int thread = 1; thread <= threads; thread++) {
                int acknowledged = runs.get(run - 1).lastNumber(thread);
                int found = lastNumber.getOrDefault(new ThreadOfRun(run, thread), 0);
                assertThat(found)
                        .as("lines of thread %d in run %d, of which %d acknowledged", thread, run, acknowledged)
                        .isBetween(isHere.test(thread) ? acknowledged : 0, isHere.test(thread) ? acknowledged + 1 : 0);
            }
        }
    }

    int lines() {
        return lines;
    }

    /** The run that logged last. */
    int lastRun() {
        return lastRun;
    }
}
