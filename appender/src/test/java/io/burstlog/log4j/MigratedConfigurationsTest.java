// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static org.assertj.core.api.Assertions.assertThat;

import io.burstlog.migrate.Migrate;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.config.ConfigurationFactory;
import org.apache.logging.log4j.core.impl.Log4jLogEvent;
import org.apache.logging.log4j.message.SimpleMessage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** Configurations in the shapes of large programs: the program migrates them, Log4j loads them, and they roll. */
class MigratedConfigurationsTest {

    /** For Elasticsearch and OpenSearch, which are not on the class path. */
    private static final Map<String, String> OF_PROGRAMS = Map.of(
            "ECSJsonLayout", "PatternLayout",
            "OpenSearchJsonLayout", "PatternLayout",
            "RateLimitingFilter", "ThresholdFilter",
            "HeaderWarningAppender", "Null");

    @TempDir
    Path temporary;

    private StatusLines status;
    private Path logs;

    @BeforeEach
    void listen() {
        logs = temporary.resolve("logs");
        status = new StatusLines();
        Map.of(
                        "broker.logs.dir", logs.toString(),
                        "search.logs.base_path", logs.toString(),
                        "search.logs.cluster_name", "cluster",
                        "service.logs.dir", logs.toString())
                .forEach(System::setProperty);
    }

    @AfterEach
    void stopListening() {
        List.of("broker.logs.dir", "search.logs.base_path", "search.logs.cluster_name", "service.logs.dir")
                .forEach(System::clearProperty);
        status.stopListening();
    }

    /** Logs to these loggers, rolls every file, and logs again. Returns the files, decompressed. */
    private Map<String, String> run(final String name, final int expectedCode, final String... loggers)
            throws IOException {
        final Path file = temporary.resolve(name);
        try (InputStream in = Migrate.class.getResourceAsStream(name)) {
            Files.write(file, in.readAllBytes());
        }
        migrate(file, expectedCode);
        final LoggerContext context = start(file);
        try {
            for (final String logger : loggers) {
                context.getLogger(logger).warn("{} before", logger);
            }
            rolled(context).forEach(burst -> burst.getManager().rollover());
            for (final String logger : loggers) {
                context.getLogger(logger).warn("{} after", logger);
            }
        } finally {
            context.stop();
        }
        return files();
    }

    private static LoggerContext start(final Path file) {
        final String name = file.getFileName().toString();
        final LoggerContext context = new LoggerContext(name);
        context.start(ConfigurationFactory.getInstance().getConfiguration(context, name, file.toUri()));
        return context;
    }

    private static List<BurstAppender> rolled(final LoggerContext context) {
        return context.getConfiguration().getAppenders().values().stream()
                .filter(appender -> appender instanceof BurstAppender burst && burst.getManager() != null)
                .map(BurstAppender.class::cast)
                .toList();
    }

    /** Returns the program's output. */
    private static String migrate(final Path file, final int expectedCode) {
        final ByteArrayOutputStream said = new ByteArrayOutputStream();
        assertThat(Migrate.run(
                        new PrintStream(said, true, StandardCharsets.UTF_8),
                        "--write",
                        "--set",
                        "ringSize=4 MB",
                        "--set",
                        "compressDelay=0",
                        file.toString()))
                .as(said.toString(StandardCharsets.UTF_8))
                .isEqualTo(expectedCode);
        return said.toString(StandardCharsets.UTF_8);
    }

    private Map<String, String> files() throws IOException {
        final Map<String, String> files = new TreeMap<>();
        try (Stream<Path> all = Files.walk(logs)) {
            all.filter(file -> Files.isRegularFile(file) && !file.toString().endsWith(".ring"))
                    .forEach(file -> files.put(logs.relativize(file).toString(), text(file)));
        }
        return files;
    }

    private static String text(final Path file) {
        try (InputStream in = Files.newInputStream(file);
                InputStream text = file.toString().endsWith(".gz") ? new GZIPInputStream(in) : in) {
            return new String(text.readAllBytes(), StandardCharsets.UTF_8);
        } catch (final IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static long count(final Map<String, String> files, final String text) {
        return files.values().stream()
                .flatMap(String::lines)
                .filter(line -> line.contains(text))
                .count();
    }

    @Test
    void the_yaml_of_a_broker_rolls_six_files_of_one_ring() throws Exception {
        final String[] loggers = {"any", "broker.request", "broker.controller", "broker.cleaner", "broker.state"};
        final Map<String, String> files = run("broker.yaml", 0, loggers);
        assertThat(status.atLeast(Level.WARN)).isEmpty();
        assertThat(logs.resolve("burstlog.ring")).exists();
        for (final String logger : loggers) {
            assertThat(count(files, logger + " before")).as(logger).isEqualTo(1);
            assertThat(count(files, logger + " after")).as(logger).isEqualTo(1);
        }
        assertThat(files.get("server.log")).contains("any after").doesNotContain("before");
        assertThat(files.keySet())
                .filteredOn(name -> name.matches("[a-z-]+\\.log\\.\\d{4}-\\d\\d-\\d\\d-\\d\\d"))
                .hasSize(loggers.length);
    }

    @Test
    void the_properties_of_a_search_engine_roll_and_compress() throws Exception {
        final Map<String, String> files = run("search.properties", 0, "any", "search.slowlog");
        assertThat(status.atLeast(Level.WARN)).isEmpty();
        assertThat(files.get("cluster_server.json")).contains("any after").doesNotContain("before");
        assertThat(files.get("cluster_slowlog-1.log.gz")).contains("search.slowlog before");
        assertThat(count(files, "any before")).isEqualTo(1);
        assertThat(files.keySet()).anyMatch(name -> name.matches("cluster-\\d{4}-\\d\\d-\\d\\d-1\\.json\\.gz"));
    }

    @Test
    void the_xml_of_a_service_rolls_what_rolls_and_writes_the_rest() throws Exception {
        final Map<String, String> files = run("service.xml", 1, "any", "File");
        assertThat(status.atLeast(Level.WARN)).allMatch(line -> line.contains("has no index"));
        assertThat(files.get("audit.log")).contains("File before", "File after");
        assertThat(files.get("app.log")).contains("any after").doesNotContain("before");
        assertThat(files.keySet()).anyMatch(name -> name.matches("app-\\d{4}-\\d\\d-\\d\\d\\.log\\.gz"));
        assertThat(files.keySet()).anyMatch(name -> name.matches("direct/\\d{4}/x-1\\.log"));
    }

    /**
     * Configurations as programs ship them: -Dburstlog.configurations=FOLDER names a folder with such files, at any
     * depth. The test makes up values that come from a program's command line, and replaces its own plugins by Log4j's.
     */
    @Test
    @EnabledIfSystemProperty(named = "burstlog.configurations", matches = ".+")
    void shipped_configurations_are_migrated_and_each_file_is_rolled() throws Exception {
        final List<Path> shipped;
        try (Stream<Path> all = Files.walk(Path.of(System.getProperty("burstlog.configurations")))) {
            shipped = all.filter(Files::isRegularFile).sorted().toList();
        }
        assertThat(shipped).isNotEmpty();
        for (final Path original : shipped) {
            logs = temporary.resolve(original.getParent().getFileName().toString());
            final Path file = Files.createDirectories(logs.resolve("conf")).resolve(original.getFileName());
            Files.copy(original, file);
            System.out.print(migrate(file, 0));
            String text = Files.readString(file);
            for (final Map.Entry<String, String> own : OF_PROGRAMS.entrySet()) {
                text = text.replace(own.getKey(), own.getValue());
            }
            final Set<String> made = makeUp(text);
            Files.writeString(file, text);
            final LoggerContext context = start(file);
            final List<BurstAppender> rolled = rolled(context);
            try {
                for (final BurstAppender burst : rolled) {
                    burst.append(event('<' + burst.getName() + "> before"));
                    burst.getManager().rollover();
                    burst.append(event('<' + burst.getName() + "> after"));
                }
            } finally {
                context.stop();
                made.forEach(System::clearProperty);
            }
            final Map<String, String> files = files();
            for (final BurstAppender burst : rolled) {
                assertThat(count(files, '<' + burst.getName() + "> before")).isEqualTo(1);
                assertThat(count(files, '<' + burst.getName() + "> after")).isEqualTo(1);
            }
            status.atLeast(Level.WARN).forEach(System.out::println);
            System.out.printf("%s: %d appenders loaded and rolled: %s%n", original, rolled.size(), files.keySet());
            assertThat(rolled).isNotEmpty();
        }
    }

    private static LogEvent event(final String text) {
        return Log4jLogEvent.newBuilder()
                .setLoggerName("any")
                .setLevel(Level.WARN)
                .setMessage(new SimpleMessage(text))
                .setTimeMillis(System.currentTimeMillis())
                .build();
    }

    /** Returns the names of the properties that are set. */
    private Set<String> makeUp(final String configuration) {
        final Set<String> made = new TreeSet<>();
        final Matcher names =
                Pattern.compile("\\$\\{sys:([^}:]+)}").matcher(configuration.replaceAll("\\\\\\R\\s*", ""));
        while (names.find()) {
            final String name = names.group(1);
            if (System.getProperty(name) == null) {
                System.setProperty(name, name.matches(".*(dir|path)") ? logs.toString() : "cluster");
                made.add(name);
            }
        }
        return made;
    }
}
