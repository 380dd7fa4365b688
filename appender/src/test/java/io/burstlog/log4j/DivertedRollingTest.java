// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static io.burstlog.log4j.OrdersDirectory.orders;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.apache.logging.log4j.Level;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A log that cannot go on in its own file still rolls, and keeps its newest events. */
class DivertedRollingTest {

    private static final int EVENTS = 200;

    @TempDir
    Path temporary;

    private OrdersDirectory directory;

    @BeforeEach
    void chooseDirectory() throws Exception {
        directory = new OrdersDirectory(temporary.toRealPath());
    }

    private RunningLog4j with(final String pattern, final String content) {
        return RunningLog4j.with(RunningLog4j.xml(directory.rolled(pattern, "compressDelay=\"0\"", content)));
    }

    private List<Path> files(final String regex) throws IOException {
        try (Stream<Path> all = Files.list(directory.path())) {
            return all.filter(file -> file.getFileName().toString().matches(regex))
                    .sorted(Comparator.comparing(Path::toString))
                    .toList();
        }
    }

    /** Cuts as {@code copytruncate} does, but leaves one byte, so that the log does not go back to an empty file. */
    private void cut() throws IOException {
        try (FileChannel file = FileChannel.open(directory.file(), StandardOpenOption.WRITE)) {
            file.truncate(0);
            file.write(ByteBuffer.wrap(new byte[] {'\n'}));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "orders.log.%i, min",
        "orders.log.%i, max",
        "orders.log.%i, nomax",
        "orders-%i.log, min",
        "orders.log.%d{yyyyMMdd}%i, min",
    })
    void its_newest_files_stay(final String pattern, final String fileIndex) throws Exception {
        final String strategy = "<DefaultRolloverStrategy max=\"3\" fileIndex=\"" + fileIndex + "\"/>";
        try (RunningLog4j log4j = with(pattern, "<SizeBasedTriggeringPolicy size=\"200\"/>" + strategy)) {
            log4j.logOrders(0, 3);
            log4j.awaitDrained();
            cut();
            // With a pause, so that each strategy finds earlier deletions completed.
            for (int i = 3; i < EVENTS; i += 10) {
                log4j.logOrders(i, Math.min(i + 10, EVENTS));
                log4j.awaitDrained();
            }
            assertThat(log4j.status(Level.WARN))
                    .noneMatch(line -> line.contains("is not rolled") || line.contains("deleted by others"));
        }
        final List<Path> current = files("orders\\.log\\.burst-\\d+");
        final List<Path> archives = new ArrayList<>(files("orders.*"));
        archives.removeAll(current);
        archives.remove(directory.file());
        archives.remove(directory.ring());
        assertThat(current).hasSize(1);
        if (!fileIndex.equals("nomax")) {
            assertThat(archives).hasSize(3);
        }
        final List<String> kept = new ArrayList<>();
        for (final Path file :
                Stream.concat(archives.stream(), current.stream()).toList()) {
            kept.addAll(Files.readAllLines(file));
        }
        assertThat(kept).hasSizeGreaterThan(10);
        assertThat(kept)
                .containsExactlyInAnyOrderElementsOf(
                        orders(fileIndex.equals("nomax") ? 3 : EVENTS - kept.size(), EVENTS));
    }

    @ParameterizedTest
    @CsvSource({"orders.log.*, 2", "orders.log.b*, 0"})
    void no_deletion_takes_the_file_that_it_goes_to(final String glob, final int kept) throws Exception {
        final String strategy = "<DefaultRolloverStrategy fileIndex=\"nomax\"><Delete basePath=\"" + directory.path()
                + "\"><IfFileName glob=\"" + glob + "\"/>"
                + (kept > 0 ? "<IfAccumulatedFileCount exceeds=\"" + kept + "\"/>" : "")
                + "</Delete></DefaultRolloverStrategy>";
        try (RunningLog4j log4j = with("orders.log.%i", "<SizeBasedTriggeringPolicy size=\"200\"/>" + strategy)) {
            log4j.logOrders(0, 3);
            log4j.awaitDrained();
            cut();
            for (int i = 3; i < EVENTS; i += 10) {
                log4j.logOrders(i, Math.min(i + 10, EVENTS));
                log4j.awaitDrained();
            }
            assertThat(log4j.status(Level.WARN)).noneMatch(line -> line.contains("deleted by others"));
        }
        final List<Path> current = files("orders\\.log\\.burst-\\d+");
        assertThat(current).hasSize(1);
        final List<String> last = Files.readAllLines(current.get(0));
        assertThat(last).isNotEmpty();
        assertThat(last).containsExactlyElementsOf(orders(EVENTS - last.size(), EVENTS));
        if (kept > 0) {
            assertThat(files("orders\\.log\\.\\d+")).hasSize(kept);
        }
    }

    @Test
    void a_pattern_that_makes_its_name_is_refused() throws Exception {
        try (RunningLog4j log4j = with("orders.log.burst-%i", "<SizeBasedTriggeringPolicy size=\"200\"/>")) {
            assertThat(log4j.status(Level.ERROR))
                    .anyMatch(line -> line.contains("filePattern=") && line.contains("gets such a name itself"));
        }
        assertThat(files("orders.*")).isEmpty();
    }
}
