// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.burstlog.Durability;
import io.burstlog.OnFull;
import io.burstlog.migrate.Migrate;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.LoggingException;
import org.apache.logging.log4j.Marker;
import org.apache.logging.log4j.MarkerManager;
import org.apache.logging.log4j.ThreadContext;
import org.apache.logging.log4j.core.Appender;
import org.apache.logging.log4j.core.Filter;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.appender.AppenderLoggingException;
import org.apache.logging.log4j.core.appender.routing.RoutingAppender;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.config.ConfigurationFactory;
import org.apache.logging.log4j.core.config.builder.api.ConfigurationBuilder;
import org.apache.logging.log4j.core.config.builder.api.ConfigurationBuilderFactory;
import org.apache.logging.log4j.core.config.builder.impl.BuiltConfiguration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code <Burst>} leaves the files of {@code <File>}, through whichever parts of Log4j its events come. Each
 * configuration of doors.txt is run twice with the same events: as it is, and migrated.
 */
class DoorsTest {

    private static final Marker AUDIT = MarkerManager.getMarker("AUDIT");
    private static final int EVENTS = 20;
    private static final int FILES_OF_A_RING = 63;

    /** Places of a time in the text, or of something made from it, such as the milliseconds in HtmlLayout. */
    private static final String[][] TIMES = {
        {"Log session start time [^<]*", "Log session start time"},
        {"<td>\\d+</td>", "<td>ms</td>"},
        {"\"@timestamp\":\"[^\"]*\"", "@timestamp"},
        {"\"instant\" ?: ?\\{[^}]*\\}", "instant"},
        {"(?m)^\\d+,\\d+,", "nanos,time,"},
    };

    @TempDir
    Path temporary;

    /** An entry of doors.txt. */
    record Door(String name, String format, String configuration) {

        private static Door of(final String entry) {
            final String[] parts = entry.split("\n", 2);
            final boolean hasFormat = parts[1].startsWith("format: ");
            final String[] terms =
                    hasFormat ? parts[1].substring("format: ".length()).split("\n", 2) : new String[0];
            return new Door(parts[0], hasFormat ? terms[0] : "xml", hasFormat ? terms[1] : parts[1]);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static List<Door> doors() throws IOException {
        try (InputStream in = DoorsTest.class.getResourceAsStream("doors.txt")) {
            final String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            return Stream.of(text.split("(?m)^=== ")).skip(1).map(Door::of).toList();
        }
    }

    @Tag("comparison")
    @ParameterizedTest
    @MethodSource("doors")
    void the_files_are_those_of_a_file_appender(final Door door) throws Exception {
        final Map<String, String> expected = run(door, temporary.resolve("file"), false);
        final Map<String, String> found = run(door, temporary.resolve("burst"), true);
        assertThat(expected.values()).anyMatch(text -> !text.isEmpty());
        assertThat(found).isEqualTo(expected);
    }

    private Map<String, String> run(final Door door, final Path folder, final boolean isBurst) throws IOException {
        final Path logs = Files.createDirectories(folder.resolve("logs"));
        final Path file = folder.resolve("log4j2." + door.format());
        Files.writeString(file, door.configuration().replace("DIR", logs.toString()));
        if (isBurst) {
            migrate(file, folder.resolve("doors.ring"));
        }
        final StatusLines status = new StatusLines();
        final LoggerContext context = new LoggerContext(door.name());
        context.start(ConfigurationFactory.getInstance().getConfiguration(context, door.name(), file.toUri()));
        final List<Appender> appenders =
                new ArrayList<>(context.getConfiguration().getAppenders().values());
        assertThat(appenders.stream().anyMatch(BurstAppender.class::isInstance))
                .isEqualTo(isBurst && !door.name().startsWith("routing_behind"));
        try {
            log(context);
        } finally {
            context.stop();
            ThreadContext.clearAll();
            status.stopListening();
        }
        assertThat(status.atLeast(Level.WARN)).as(door.name()).isEmpty();
        return files(logs);
    }

    /** Migrates by the program that users have for that. */
    private static void migrate(final Path file, final Path ring) {
        final ByteArrayOutputStream said = new ByteArrayOutputStream();
        final String[] arguments = {
            "--write",
            "--set",
            "ring=" + ring,
            "--set",
            "ringSize=2 MB",
            "--set",
            "ack=enqueued",
            "--set",
            "io=pwrite",
            "--set",
            "shutdownTimeout=5 min",
            file.toString()
        };
        assertThat(Migrate.run(new PrintStream(said, true, StandardCharsets.UTF_8), arguments))
                .as(said.toString(StandardCharsets.UTF_8))
                .isZero();
    }

    private static void log(final LoggerContext context) {
        final Level[] levels = {Level.DEBUG, Level.INFO, Level.WARN, Level.ERROR, Level.TRACE};
        final Logger[] loggers = {context.getLogger("com.example.Trading"), context.getLogger("com.example.Audit")};
        for (int i = 0; i < EVENTS; i++) {
            ThreadContext.put("client", "client" + i % 4);
            final Logger logger = loggers[i % 7 / 5];
            final Marker marker = i % 3 == 0 ? AUDIT : null;
            logger.log(levels[i % 5], marker, "order {} of <{}>, ä, {}", i, "c;\"" + i, i);
            if (i % 10 == 9) {
                logger.error(marker, "failed order " + i, failure("reason " + i));
            }
        }
    }

    /** The same from any caller in this test. */
    private static Exception failure(final String reason) {
        final Exception failure = new IllegalStateException(reason);
        failure.setStackTrace(new StackTraceElement[] {new StackTraceElement("Desk", "take", "Desk.java", 7)});
        return failure;
    }

    @Test
    void a_program_builds_the_configuration() throws Exception {
        final ConfigurationBuilder<BuiltConfiguration> builder = ConfigurationBuilderFactory.newConfigurationBuilder();
        final Path logs = temporary.resolve("logs");
        final Configuration configuration = builder.setStatusLevel(Level.OFF)
                .add(builder.newAppender("R", "Burst")
                        .addAttribute("ring", temporary.resolve("built.ring"))
                        .addAttribute("ringSize", 2 << 20)
                        .addAttribute("fileName", logs.resolve("app.log"))
                        .addAttribute("filePattern", logs.resolve("app-%i.log"))
                        .addAttribute("durability", Durability.OS_CRASH)
                        .addAttribute("onFull", OnFull.FAIL)
                        .addAttribute("ackLevel", Level.WARN)
                        .addAttribute("jmx", false)
                        .add(builder.newLayout("PatternLayout").addAttribute("pattern", "%p %m%n"))
                        .add(builder.newFilter("ThresholdFilter", Filter.Result.ACCEPT, Filter.Result.DENY)
                                .addAttribute("level", Level.WARN))
                        .addComponent(builder.newComponent("Policies")
                                .addComponent(builder.newComponent("SizeBasedTriggeringPolicy")
                                        .addAttribute("size", 250)))
                        .addComponent(
                                builder.newComponent("DefaultRolloverStrategy").addAttribute("fileIndex", "nomax")))
                .add(builder.newRootLogger(Level.ALL).add(builder.newAppenderRef("R")))
                .build();
        final StatusLines status = new StatusLines();
        final LoggerContext context = new LoggerContext("built");
        context.start(configuration);
        for (int i = 0; i < 40; i++) {
            context.getLogger("com.example.Trading").log(i % 2 == 0 ? Level.INFO : Level.WARN, "order {}", i);
        }
        context.stop();
        status.stopListening();
        assertThat(status.atLeast(Level.WARN)).isEmpty();
        assertThat(files(logs)).hasSize(2);
        assertThat(files(logs).get("app-1.log")).startsWith("WARN order 1\nWARN order 3\n");
        assertThat(files(logs).get("app.log")).endsWith("WARN order 39\n");
    }

    /** As operators do: they change the configuration file, and Log4j looks at it each second. */
    @Test
    void a_configuration_file_that_changes_under_load_loses_and_doubles_nothing() throws Exception {
        final OrdersDirectory directory = new OrdersDirectory(temporary);
        final String second = directory
                .burst("", "<PatternLayout pattern=\"second %m%n\"/>")
                .replace("\"Orders\"", "\"Second\"")
                .replace("orders.log", "second.log");
        final String both = "<Root level=\"all\"><AppenderRef ref=\"Orders\"/><AppenderRef ref=\"Second\"/></Root>";
        final String[] configurations = {
            RunningLog4j.xml(directory.burst()),
            RunningLog4j.xml(directory.burst("ack=\"enqueued\"") + second, both),
            RunningLog4j.xml(directory.burst("ack=\"mistyped\"", "<PatternLayout pattern=\"[%m]%n\"/>")),
        };
        final Path file = temporary.resolve("log4j2.xml");
        final LoggerContext context = new LoggerContext("monitored");
        final StatusLines status = new StatusLines();
        final int[] count = {0};
        change(file, configurations[0], 0);
        context.start(ConfigurationFactory.getInstance().getConfiguration(context, "monitored", file.toUri()));
        final LoadOfEvents load = new LoadOfEvents(3);
        load.logUnder(
                () -> {
                    final Configuration before = context.getConfiguration();
                    change(file, configurations[++count[0]], count[0]);
                    Patience.await().until(() -> context.getConfiguration() != before);
                    Patience.await().until(() -> context.getConfiguration().isStarted());
                },
                configurations.length - 1,
                context.getLogger("com.example.Trading"));
        context.stop();
        status.stopListening();
        load.assertExactlyOnceInOrder(directory.lines());
        assertThat(directory.lines()).allMatch(line -> line.startsWith("INFO thread "));
        assertThat(Files.readAllLines(temporary.resolve("second.log")))
                .isNotEmpty()
                .doesNotHaveDuplicates();
        assertThat(status.atLeast(Level.ERROR))
                .singleElement()
                .asString()
                .contains("Burst 'Orders'", "is refused, and it goes on as before", "ack=\"mistyped\"");
    }

    private static void change(final Path file, final String configuration, final int second) {
        try {
            Files.writeString(file, configuration.replace("status=", "monitorInterval=\"1\" status="));
            Files.setLastModifiedTime(file, FileTime.fromMillis(1_700_000_000_000L + 1_000L * second));
        } catch (final IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Each key has a log file in the ring of Orders, until its events cease. */
    private RunningLog4j routing(final OrdersDirectory directory, final String purge) {
        return RunningLog4j.with(RunningLog4j.xml(
                directory.burst()
                        + "<Routing name=\"Routing\" ignoreExceptions=\"false\"><Routes pattern=\"$${ctx:key}\">"
                        + "<Route><Burst name=\"To-${ctx:key}\" ring=\"" + directory.ring() + "\" fileName=\""
                        + temporary.resolve("keys")
                        + "/${ctx:key}.log\"><PatternLayout pattern=\"%m%n\"/></Burst></Route>"
                        + "</Routes>" + purge + "</Routing>",
                "<Logger name=\"orders\" level=\"all\" additivity=\"false\"><AppenderRef ref=\"Orders\"/></Logger>"
                        + "<Root level=\"all\"><AppenderRef ref=\"Routing\"/></Root>"));
    }

    @Test
    void keys_beyond_the_log_files_of_a_ring_are_refused_and_the_others_go_on() throws Exception {
        try (RunningLog4j log4j = routing(new OrdersDirectory(temporary), "")) {
            for (int key = 1; key <= FILES_OF_A_RING; key++) {
                ThreadContext.put("key", "key" + key);
                final int number = key;
                if (key < FILES_OF_A_RING) {
                    log4j.logger().info("order {}", number);
                } else {
                    assertThatThrownBy(() -> log4j.logger().info("order {}", number))
                            .isInstanceOf(AppenderLoggingException.class)
                            .hasMessageContainingAll("Burst 'To-key63' is not started", "at most 64 streams");
                }
            }
            ThreadContext.put("key", "key1");
            log4j.logger().info("order again");
            assertThat(log4j.status(Level.ERROR))
                    .filteredOn(line -> line.contains("Burst"))
                    .singleElement()
                    .asString()
                    .contains("'To-key63'", "at most 64 streams");
            // A purge policy does the same.
            log4j.<RoutingAppender>appender("Routing").deleteAppender("key2");
            log4j.<RoutingAppender>appender("Routing").deleteAppender("key63");
            ThreadContext.put("key", "key63");
            log4j.logger().info("order 63");
        } finally {
            ThreadContext.clearAll();
        }
        final Map<String, String> files = files(temporary.resolve("keys"));
        assertThat(files)
                .hasSize(FILES_OF_A_RING)
                .containsEntry("key1.log", "order 1\norder again\n")
                .containsEntry("key63.log", "order 63\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<Routing name=\"R\" IGNORE><Routes pattern=\"any\"><Route ref=\"Orders\"/></Routes></Routing>",
                "<Rewrite name=\"R\" IGNORE><AppenderRef ref=\"Orders\"/></Rewrite>",
                "<Failover name=\"R\" IGNORE primary=\"Orders\"><Failovers><AppenderRef ref=\"Orders\"/></Failovers></Failover>"
            })
    void appenders_around_a_refused_one_throw_if_they_ignore_no_exceptions(final String around) {
        final String refused = new OrdersDirectory(temporary).burst("bogus=\"1\"");
        final String root = "<Root level=\"all\"><AppenderRef ref=\"R\"/></Root>";
        final String throwing = refused + around.replace("IGNORE", "ignoreExceptions=\"false\"");
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(throwing, root))) {
            assertThatThrownBy(() -> log4j.logger().info("order 1")).isInstanceOf(LoggingException.class);
        }
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(refused + around.replace("IGNORE", ""), root))) {
            log4j.logger().info("order 1");
            assertThat(log4j.status(Level.ERROR)).anyMatch(line -> line.contains("\"bogus\" is unknown"));
        }
    }

    @Test
    void log_files_of_idle_keys_are_closed_and_opened_again_and_no_event_is_lost() throws Exception {
        final OrdersDirectory directory = new OrdersDirectory(temporary);
        final Path keys = temporary.resolve("keys");
        final int threads = 3;
        final int rounds = 12;
        final int events = 8;
        try (RunningLog4j log4j =
                routing(directory, "<IdlePurgePolicy timeToLive=\"30\" timeUnit=\"milliseconds\"/>")) {
            final RoutingAppender routing = log4j.appender("Routing");
            final List<Callable<Void>> work = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                final int number = thread;
                work.add(() -> {
                    for (int event = 0; event < rounds * events; event++) {
                        if (event % events == 0) {
                            ThreadContext.put("key", "key" + (number + event / events) % 4);
                            Thread.sleep(20);
                        }
                        log4j.logger().info("thread {} event {}", number, event);
                    }
                    return null;
                });
            }
            final ExecutorService executor = Executors.newFixedThreadPool(threads);
            for (final Future<Void> done : executor.invokeAll(work)) {
                done.get();
            }
            executor.shutdown();
            Patience.await().until(() -> routing.getAppenders().isEmpty());
            Patience.await().until(() -> openFiles().noneMatch(file -> file.startsWith(keys)));
            log4j.logger("orders").info("order 1");
            assertThat(log4j.status(Level.WARN)).isEmpty();
        }
        assertThat(directory.lines()).containsExactly("INFO order 1");
        final List<String> lines =
                files(keys).values().stream().flatMap(String::lines).toList();
        assertThat(lines).hasSize(threads * rounds * events).doesNotHaveDuplicates();
    }

    private static Stream<Path> openFiles() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return all
                    .map(descriptor -> {
                        try {
                            return Files.readSymbolicLink(descriptor);
                        } catch (final IOException closedMeanwhile) {
                            return descriptor;
                        }
                    })
                    .toList()
                    .stream();
        }
    }

    /** The log files, without text that differs from run to run. */
    private static Map<String, String> files(final Path logs) throws IOException {
        final Map<String, String> files = new TreeMap<>();
        try (Stream<Path> all = Files.list(logs)) {
            for (final Path file : all.toList()) {
                String text = Files.readString(file, StandardCharsets.ISO_8859_1);
                for (final String[] time : TIMES) {
                    text = text.replaceAll(time[0], time[1]);
                }
                files.put(file.getFileName().toString(), text);
            }
        }
        return files;
    }
}
