// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import static org.assertj.core.api.Assertions.assertThat;

import io.burstlog.log4j.StatusLines;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.apache.logging.log4j.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Each call of the file system in a roll fails, or ends the process: the calls of strategies and of {@code Delete}, of
 * the compression and of its completion at the next start, and of {@code maxTotalSize}. Every eleventh call is tried;
 * with {@code -Dburstlog.faults=1} each one.
 */
@Tag("comparison") // Like the comparison with RollingFile: with the newest Log4j, on one JDK.
class DeletionFaultsTest {

    private static final int STRIDE = Integer.getInteger("burstlog.faults", 11);

    private static final int STARTS = 2;

    /** A file that ended by its size has at least so many events. */
    private static final int LEAST_EVENTS = 5;

    /** In memory, if there is such a folder: hundreds of rolls are synced. */
    private Path temporary;

    @BeforeEach
    void chooseFolder() throws IOException {
        final Path memory = Path.of("/dev/shm");
        temporary = Files.isWritable(memory)
                ? Files.createTempDirectory(memory, "burstlog-faults")
                : Files.createTempDirectory("burstlog-faults");
        Thread.setDefaultUncaughtExceptionHandler((thread, asWanted) -> {});
    }

    @AfterEach
    void deleteFolder() throws IOException {
        delete(temporary);
        Thread.setDefaultUncaughtExceptionHandler(null);
    }

    /** @param kept at least so many rolled files are there at the end */
    @ParameterizedTest
    @CsvSource({
        "app-%i.log.gz,      nomax, ,  ,    , 100, ONCE",
        "app-%i.log.gz,      nomax, ,  ,    , 100, FOREVER",
        "app-%i.log.gz,      nomax, ,  ,    , 100, DEAD",
        "app-%i.log.gz,      max,   3, ,    ,   3, ONCE",
        "app-%i.log.gz,      max,   3, ,    ,   3, FOREVER",
        "app-%i.log.gz,      max,   3, ,    ,   3, DEAD",
        "app-%i.log.gz,      min,   3, ,    ,   3, ONCE",
        "app-%i.log.gz,      min,   3, ,    ,   3, FOREVER",
        "app-%i.log.gz,      min,   3, ,    ,   3, DEAD",
        "app-%i.log,         nomax, , 3,    ,   3, ONCE",
        "app-%i.log,         nomax, , 3,    ,   3, FOREVER",
        "app-%i.log,         nomax, , 3,    ,   3, DEAD",
        "app-%i.log.gz,      nomax, , 3,    ,   3, ONCE",
        "app-%i.log.gz,      nomax, , 3,    ,   3, FOREVER",
        "app-%i.log.gz,      nomax, , 3,    ,   3, DEAD",
        "app-%i.log.gz,      nomax, ,  , 300,   3, ONCE",
        "app-%i.log.gz,      nomax, ,  , 300,   3, FOREVER",
        "app-%i.log.gz,      nomax, ,  , 300,   3, DEAD"
    })
    void each_event_is_in_one_file_and_no_archive_goes_that_need_not(
            final String pattern,
            final String fileIndex,
            final String max,
            final String delete,
            final String maxTotalSize,
            final int kept,
            final FailingCalls.Fault fault)
            throws Exception {
        final Map<String, String> run = new HashMap<>(Map.of("pattern", pattern, "fileIndex", fileIndex));
        run.put("fault", fault.name());
        putIfSaid(run, "max", max);
        putIfSaid(run, "delete", delete);
        putIfSaid(run, "maxTotalSize", maxTotalSize);
        int runs = 0;
        boolean hasStruck = true;
        // Each run tries other calls.
        for (int call = 1 + Math.floorMod(run.hashCode(), STRIDE); hasStruck; call += STRIDE) {
            final Path folder = Files.createDirectories(temporary.resolve("at-" + call));
            run.put("folder", folder.toString());
            run.put("call", Integer.toString(call));
            final StatusLines status = new StatusLines();
            final int logged = run(run);
            status.stopListening();
            hasStruck = logged > 0;
            requireEachOnce(fault + " at call " + call, folder, Math.abs(logged), kept);
            requireOneWarningOfEach(fault + " at call " + call, status.atLeast(Level.WARN));
            if (fault != FailingCalls.Fault.DEAD) {
                assertThat(status.atLeast(Level.WARN)).noneMatch(line -> line.contains("what follows a roll"));
            }
            delete(folder);
            runs++;
        }
        assertThat(runs).isGreaterThan(100 / STRIDE);
    }

    private static void delete(final Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            for (final Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }

    private static void putIfSaid(final Map<String, String> run, final String name, final String value) {
        if (value != null) {
            run.put(name, value);
        }
    }

    @SuppressWarnings("unchecked")
    private static int run(final Map<String, String> run) throws ReflectiveOperationException {
        return ((Function<Map<String, String>, Integer>)
                        Loaded.RUN.getConstructor().newInstance())
                .apply(run);
    }

    private static final class Loaded {

        static final Class<?> RUN = load();

        private static Class<?> load() {
            try {
                return new FailingLog4j().loadClass(RunWithFaults.class.getName());
            } catch (final ClassNotFoundException impossible) {
                throw new IllegalStateException(impossible);
            }
        }
    }

    private static void requireEachOnce(final String when, final Path folder, final int logged, final int kept)
            throws IOException {
        final List<Integer> events = new ArrayList<>();
        final List<String> names = new ArrayList<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (final Path file : files.toList()) {
                names.add(file.getFileName().toString());
                text(file).lines().forEach(line -> events.add(Integer.parseInt(line.substring(6)) - 1000));
            }
        }
        events.sort(null);
        assertThat(events).as(when + ": " + names).doesNotHaveDuplicates();
        assertThat(names).as(when).allMatch(name -> name.matches("app(-\\d+)?\\.log(\\.gz)?(\\.\\d+)?(\\.gz)?"));
        // Deleted events are older than all that had to stay.
        final int newest = names.size() > kept ? kept * LEAST_EVENTS : logged;
        assertThat(events)
                .as(when + ": " + names)
                .containsAll(IntStream.rangeClosed(Math.max(1, logged - newest + 1), logged)
                        .boxed()
                        .toList());
    }

    private static String text(final Path file) throws IOException {
        final byte[] bytes = Files.readAllBytes(file);
        final boolean isPacked = bytes.length > 0 && bytes[0] == 0x1f;
        return new String(isPacked ? new GZIPInputStream(new ByteArrayInputStream(bytes)).readAllBytes() : bytes);
    }

    /** At most one of each warning that is ours, for any file; each start may repeat it. */
    private static void requireOneWarningOfEach(final String when, final List<String> warnings) {
        final Map<String, Long> kinds = warnings.stream()
                .filter(warning -> warning.matches("[A-Z]+ (Burst|Exception reported).*"))
                .map(warning -> warning.replaceAll("/\\S+", "").replaceAll("\\S*(Exception|Error).*", ""))
                .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
        assertThat(kinds.values()).as(when + ": " + warnings).allMatch(count -> count <= STARTS);
    }
}
