// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static org.assertj.core.api.Assertions.assertThat;

import io.burstlog.log4j.migrate.Migrate;
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
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.Appender;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.config.ConfigurationFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Configurations in the shapes that large programs ship, changed by the program, loaded, and rolled. */
class MigratedConfigurationsTest {

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
        final LoggerContext context = new LoggerContext(name);
        context.start(ConfigurationFactory.getInstance().getConfiguration(context, name, file.toUri()));
        try {
            for (final String logger : loggers) {
                context.getLogger(logger).warn("{} before", logger);
            }
            for (final Appender appender :
                    context.getConfiguration().getAppenders().values()) {
                if (appender instanceof BurstAppender burst && burst.getManager() != null) {
                    burst.getManager().rollover();
                }
            }
            for (final String logger : loggers) {
                context.getLogger(logger).warn("{} after", logger);
            }
        } finally {
            context.stop();
        }
        return files();
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
}
