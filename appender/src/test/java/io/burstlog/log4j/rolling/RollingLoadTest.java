// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import static org.assertj.core.api.Assertions.assertThat;

import io.burstlog.BurstConfig;
import io.burstlog.BurstLog;
import io.burstlog.BurstStream;
import io.burstlog.Durability;
import io.burstlog.StreamConfig;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.appender.rolling.DefaultRolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.RolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.SizeBasedTriggeringPolicy;
import org.apache.logging.log4j.core.appender.rolling.action.AbstractAction;
import org.apache.logging.log4j.core.appender.rolling.action.Action;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rolls while eight threads log and compression is much slower than they: {@code -Drolls=1000} for many. */
@SuppressWarnings("deprecation") // Older versions of Log4j lack the factories' replacements.
class RollingLoadTest {

    private static final int THREADS = 8;
    private static final int ROLLS = Integer.getInteger("rolls", 60);
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    @TempDir
    Path temporary;

    /** Makes each job slow. */
    private static RolloverStrategy slow() {
        final Action pause = new AbstractAction() {
            @Override
            public boolean execute() {
                try {
                    Thread.sleep(5);
                } catch (final InterruptedException unexpected) {
                    throw new AssertionError(unexpected);
                }
                return true;
            }
        };
        return DefaultRolloverStrategy.createStrategy(
                null, null, "nomax", null, new Action[] {pause}, true, RolledLog.configuration());
    }

    @Test
    void every_line_is_in_one_whole_file() throws Exception {
        final Path folder = temporary.toRealPath();
        final RollingSettings settings =
                RolledLog.settings(folder, "app-%i.log.gz", SizeBasedTriggeringPolicy.createPolicy("4 KB"), slow());
        final BurstConfig config = BurstConfig.builder()
                .ring(folder.resolve("app.ring").toString())
                .ringBytes(8 << 20)
                .durability(Durability.PROCESS)
                .build();
        final int[] logged = new int[THREADS];
        final long rolls;
        try (BurstLog log = BurstLog.open(config)) {
            final BurstStream stream = log.stream(
                    null,
                    StreamConfig.builder()
                            .fileName(settings.fileName())
                            .rollsByCaller(true)
                            .build());
            final FileRolling rolling = FileRolling.of(settings, RollingStream.of(stream, log, "app.ring"));
            rolling.begin(true);
            logUntilRolled(stream, rolling, settings, logged);
            rolling.stopPolicy(PATIENCE);
            assertThat(stream.awaitDrained(PATIENCE)).isTrue();
            rolls = stream.stats().fileNumber() - 1;
            assertThat(stream.close(PATIENCE)).isTrue();
            assertThat(rolling.end(PATIENCE)).isTrue();
        }
        final List<Path> files = files(folder);
        // A roll right behind another one finds an empty file, and leaves no archive.
        assertThat(files)
                .hasSizeBetween(ROLLS, (int) rolls)
                .allMatch(file -> file.toString().endsWith(".gz"));
        files.add(folder.resolve("app.log"));
        final int[] found = new int[THREADS];
        for (final Path file : files) {
            for (final String line : linesOf(file)) {
                final String[] words = line.split(" ");
                final int thread = Integer.parseInt(words[1]);
                assertThat(Integer.parseInt(words[3])).as(line).isEqualTo(found[thread]);
                found[thread]++;
            }
        }
        assertThat(found).isEqualTo(logged);
    }

    private static void logUntilRolled(
            final BurstStream stream, final FileRolling rolling, final RollingSettings settings, final int[] logged)
            throws InterruptedException {
        final AtomicBoolean isOver = new AtomicBoolean();
        final List<Throwable> failures = new ArrayList<>();
        final List<Thread> threads = new ArrayList<>();
        for (int number = 0; number < THREADS; number++) {
            final int own = number;
            final Thread thread = new Thread(() -> {
                for (int i = 0; !isOver.get(); i++) {
                    final LogEvent event = RolledLog.event("thread " + own + " line " + i, System.currentTimeMillis());
                    rolling.beforeEvent(event, own % 2 == 0);
                    final byte[] bytes = settings.layout().toByteArray(event);
                    stream.enqueue(bytes);
                    rolling.accepted(bytes.length);
                    logged[own]++;
                }
            });
            thread.setUncaughtExceptionHandler((of, failure) -> failures.add(failure));
            threads.add(thread);
            thread.start();
        }
        final long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (stream.stats().fileNumber() <= ROLLS && System.nanoTime() < deadline) {
            Thread.sleep(5);
        }
        isOver.set(true);
        for (final Thread thread : threads) {
            thread.join();
        }
        assertThat(failures).isEmpty();
    }

    /** The files in the order of their indexes. */
    private static List<Path> files(final Path folder) throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return new ArrayList<>(
                    all.filter(file -> file.getFileName().toString().matches("app-\\d+\\.log.*"))
                            .sorted((a, b) -> index(a) - index(b))
                            .toList());
        }
    }

    private static int index(final Path file) {
        return Integer.parseInt(file.getFileName().toString().replaceAll("app-(\\d+)\\.log.*", "$1"));
    }

    private static List<String> linesOf(final Path file) throws IOException {
        if (!file.toString().endsWith(".gz")) {
            return Files.readAllLines(file);
        }
        try (BufferedReader reader = new BufferedReader(
                new InputStreamReader(new GZIPInputStream(Files.newInputStream(file)), StandardCharsets.UTF_8))) {
            return reader.lines().toList();
        }
    }
}
