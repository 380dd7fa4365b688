// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static io.burstlog.log4j.OrdersDirectory.orders;
import static org.assertj.core.api.Assertions.assertThat;

import io.burstlog.log4j.rolling.PatientRolls;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.appender.rolling.RolloverListener;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Rolls with {@code drain="external"}. No drain is there, so that this process performs each roll as its record says:
 * with the code, and with the knowledge, that {@code burstlog drain} has.
 */
class ExternalRollingTest {

    private static final String BY_SIZE = "<SizeBasedTriggeringPolicy size=\"200\"/>";
    private static final String NEVER = "<SizeBasedTriggeringPolicy size=\"100 MB\"/>";
    private static final String NAMES_GROW = "<DefaultRolloverStrategy fileIndex=\"nomax\"/>";

    @TempDir
    Path temporary;

    private Path folder;

    @BeforeEach
    void resolveFolder() throws IOException {
        folder = temporary.toRealPath();
    }

    private OrdersDirectory directory(final String name) throws IOException {
        return new OrdersDirectory(Files.createDirectories(folder.resolve(name)));
    }

    private String external(
            final OrdersDirectory directory, final String pattern, final String attributes, final String content) {
        final String window = "window=\"" + directory.path() + "\" drain=\"external\" ";
        return RunningLog4j.xml(directory.rolled(pattern, window + attributes, content));
    }

    /** The log files by their names, each unpacked. One that is compressed or deleted meanwhile fails the assertion. */
    private static Map<String, List<String>> contents(final OrdersDirectory directory) {
        final Map<String, List<String>> contents = new TreeMap<>();
        try (Stream<Path> files = Files.list(directory.path())) {
            for (final Path file : files.filter(
                            each -> each.getFileName().toString().contains(".log"))
                    .toList()) {
                contents.put(file.getFileName().toString(), linesOf(file));
            }
        } catch (final NoSuchFileException meanwhile) {
            throw new AssertionError(meanwhile);
        } catch (final IOException failure) {
            throw new UncheckedIOException(failure);
        }
        return contents;
    }

    private static List<String> linesOf(final Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file);
                InputStream plain = file.toString().endsWith(".gz") ? new GZIPInputStream(in) : in) {
            return new String(plain.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
        }
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "orders-%i.log, ``",
                "orders-%03i.log, maxTotalSize=\"1 KB\"",
                "orders-%d{yyyy}-%i.log.gz, compressDelay=\"0\"",
                "orders-%d{yyyy}.log, ``"
            })
    void the_files_are_those_of_a_drain_in_the_application(final String pattern, final String attributes)
            throws Exception {
        final OrdersDirectory inner = directory("inner");
        try (RunningLog4j log4j =
                RunningLog4j.with(RunningLog4j.xml(inner.rolled(pattern, attributes, BY_SIZE + NAMES_GROW)))) {
            PatientRolls.await(log4j.orders().stream().fileRolling(), Patience.TIME);
            logSlowly(log4j);
            assertEachRollIsPerformed(log4j);
        }
        final OrdersDirectory outer = directory("outer");
        try (RunningLog4j log4j = RunningLog4j.with(external(outer, pattern, attributes, BY_SIZE + NAMES_GROW))) {
            logSlowly(log4j);
            assertEachRollIsPerformed(log4j);
            Patience.await()
                    .untilAsserted(() -> assertThat(contents(outer))
                            .as("after %s", log4j.status(Level.WARN))
                            .isEqualTo(contents(inner)));
        }
        assertThat(contents(outer)).hasSizeGreaterThan(3);
    }

    /** Each roll is performed before the next one is due, so that file systems show the order of the files. */
    private static void logSlowly(final RunningLog4j log4j) {
        for (int order = 0; order < 200; order += 20) {
            log4j.logOrders(order, order + 20);
            log4j.awaitDrained();
        }
    }

    private static void assertEachRollIsPerformed(final RunningLog4j log4j) {
        assertThat(log4j.status(Level.ERROR)).isEmpty();
        assertThat(log4j.status(Level.WARN).toString()).doesNotContain("is not rolled", "after a roll");
    }

    @Test
    void a_restart_goes_on_with_the_names_and_with_the_file() throws Exception {
        final OrdersDirectory directory = directory("outer");
        final String xml = external(directory, "orders-%i.log", "", BY_SIZE + NAMES_GROW);
        for (int from = 0; from < 120; from += 30) {
            try (RunningLog4j log4j = RunningLog4j.with(xml)) {
                log4j.logOrders(from, from + 30);
                log4j.awaitDrained();
            }
        }
        final Map<String, List<String>> contents = contents(directory);
        final Stream<String> lines = Stream.concat(
                IntStream.range(1, contents.size())
                        .mapToObj(index -> contents.get("orders-" + index + ".log"))
                        .flatMap(List::stream),
                contents.get("orders.log").stream());
        assertThat(lines).containsExactlyElementsOf(orders(0, 120));
        assertThat(contents.get("orders-1.log")).hasSize(24);
        assertThat(contents.get("orders-2.log"))
                .as("the run before has begun it")
                .hasSize(23);
    }

    @Test
    void a_listener_hears_of_a_roll_that_the_drain_has_performed() throws Exception {
        final OrdersDirectory directory = directory("outer");
        final List<String> heard = new CopyOnWriteArrayList<>();
        try (RunningLog4j log4j = RunningLog4j.with(external(directory, "orders-%i.log", "", NEVER + NAMES_GROW))) {
            log4j.orders().getManager().addRolloverListener(new RolloverListener() {
                @Override
                public void rolloverTriggered(final String fileName) {
                    heard.add("triggered " + Files.exists(directory.path().resolve("orders-1.log")));
                }

                @Override
                public void rolloverComplete(final String fileName) {
                    heard.add(fileName);
                }
            });
            log4j.logOrders(0, 1);
            log4j.orders().getManager().rollover();
            Patience.await()
                    .untilAsserted(() -> assertThat(heard)
                            .containsExactly("triggered true", directory.file().toString()));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<DefaultRolloverStrategy/>",
                "<DefaultRolloverStrategy fileIndex=\"nomax\"><Delete basePath=\"logs\"><IfLastModified age=\"1d\"/>"
                        + "</Delete></DefaultRolloverStrategy>"
            })
    void a_strategy_that_needs_a_jvm_is_refused_before_a_ring_is_made(final String strategy) throws Exception {
        final OrdersDirectory directory = directory("outer");
        try (RunningLog4j log4j = RunningLog4j.with(external(directory, "orders-%i.log", "", BY_SIZE + strategy))) {
            assertThat(log4j.status(Level.ERROR))
                    .singleElement()
                    .asString()
                    .contains("'Orders' is not started: drain=\"external\" cannot be used with ", ": set ");
        }
        assertThat(directory.path()).isEmptyDirectory();
    }

    @Test
    void it_is_refused_as_well_if_another_element_of_the_ring_has_the_drain() throws Exception {
        final OrdersDirectory directory = directory("outer");
        final String other = "<Burst name=\"Other\" ring=\"" + directory.ring() + "\" fileName=\""
                + directory.path().resolve("other.txt") + "\" window=\"" + directory.path() + "\" drain=\"external\">"
                + OrdersDirectory.MESSAGE + "</Burst>";
        final String xml = RunningLog4j.xml(
                directory.rolled("orders-%i.log", "", BY_SIZE + "<DefaultRolloverStrategy fileIndex=\"min\"/>")
                        + other);
        try (RunningLog4j log4j = RunningLog4j.with(xml)) {
            assertThat(log4j.status(Level.ERROR)).singleElement().asString().contains("fileIndex=\"min\"", "nomax");
        }
    }

    @Test
    void a_shipper_in_the_application_is_refused_with_the_command_that_takes_its_place() throws Exception {
        final OrdersDirectory directory = directory("outer");
        FakeShipperProvider.comeToThis(request -> {});
        final String xml = RunningLog4j.xml(directory.burst(
                "window=\"" + directory.path() + "\" drain=\"external\"",
                OrdersDirectory.MESSAGE
                        + "<Kafka topic=\"orders\"><Property name=\"bootstrap.servers\">here:9092</Property></Kafka>"));
        try (RunningLog4j log4j = RunningLog4j.with(xml)) {
            assertThat(log4j.status(Level.ERROR))
                    .singleElement()
                    .asString()
                    .contains("an element that ships", "java -jar", "--topic orders")
                    .contains("segments=\"" + directory.file() + ".segments\"");
        } finally {
            FakeShipperProvider.go();
        }
        assertThat(directory.path()).isEmptyDirectory();
    }

    @Test
    void another_compression_is_not_in_force_before_a_restart() throws Exception {
        final OrdersDirectory directory = directory("outer");
        try (RunningLog4j log4j = RunningLog4j.with(external(directory, "orders-%i.log", "", NEVER + NAMES_GROW))) {
            log4j.reconfigure(external(directory, "orders-%i.log.gz", "", NEVER + NAMES_GROW));
            assertThat(log4j.status(Level.ERROR))
                    .singleElement()
                    .asString()
                    .contains("not in force", "restart the process for another filePattern");
            log4j.reconfigure(external(directory, "orders-%i.log", "", BY_SIZE + NAMES_GROW));
            log4j.logOrders(0, 30);
            log4j.awaitDrained();
        }
        assertThat(contents(directory)).containsKeys("orders-1.log", "orders.log");
    }
}
