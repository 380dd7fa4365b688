// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Configurations of well-known programs, with these programs' jars. The program migrates them, Log4j loads them, and
 * each file rolls, in a JVM whose class path has the program's own layouts, filters, converters and appenders.
 *
 * <p>Spring Boot, Hive, LLAP and Artemis have their configuration in a jar: this test takes it from there. The jars of
 * Elasticsearch and OpenSearch have the plugins of their configuration, but not the configuration: here it is one in
 * its shape. NOT TRIED are the files of Kafka, Solr and Logstash: no registry has a jar with them.
 */
@Tag("oldest-jdk") // The programs' own classes are those of any JDK.
@Timeout(180)
class OwnPartsOfProgramsIT {

    private static final String IN_THE_SHAPE = """
            status = error
            appender.rolling.type = RollingFile
            appender.rolling.name = rolling
            appender.rolling.fileName = ${sys:it.logs}/cluster_server.json
            appender.rolling.filePermissions = rw-r-----
            LAYOUT
            appender.rolling.filter.limited.type = RateLimitingFilter
            appender.rolling.filePattern = ${sys:it.logs}/cluster-%d{yyyy-MM-dd}-%i.json.gz
            appender.rolling.policies.type = Policies
            appender.rolling.policies.time.type = TimeBasedTriggeringPolicy
            appender.rolling.policies.size.type = SizeBasedTriggeringPolicy
            appender.rolling.policies.size.size = 128MB
            appender.rolling.strategy.type = DefaultRolloverStrategy
            appender.rolling.strategy.fileIndex = nomax
            appender.header.type = HeaderWarningAppender
            appender.header.name = header
            rootLogger.level = info
            rootLogger.appenderRef.rolling.ref = rolling
            rootLogger.appenderRef.header.ref = header
            """;

    /** Its layout element is no layout, but builds one. */
    @Test
    void elasticsearchLogsByItsEcsJsonLayout() throws Exception {
        String layout = "appender.rolling.layout.type = ECSJsonLayout\nappender.rolling.layout.dataset = es.server\n";
        Run run = run("elasticsearch", IN_THE_SHAPE.replace("LAYOUT\n", layout), "org.elasticsearch.common.logging");
        assertThat(run.said())
                .contains(
                        "Burst rolling co.elastic.logging.log4j2.EcsLayout",
                        "other header org.elasticsearch.common.logging.HeaderWarningAppender");
        assertThat(run.files().get("cluster_server.json"))
                .contains("\"message\":\"of rolling after\"", "\"event.dataset\":\"es.server\"");
        run.hasRolled("rolling");
    }

    @Test
    void elasticsearchLogsByItsOlderLayoutToo() throws Exception {
        String layout = "appender.rolling.layout.type = ESJsonLayout\nappender.rolling.layout.type_name = server\n";
        Run run = run("elasticsearch", IN_THE_SHAPE.replace("LAYOUT\n", layout), "org.elasticsearch.common.logging");
        assertThat(run.said()).contains("Burst rolling org.elasticsearch.common.logging.ESJsonLayout");
        run.hasRolled("rolling");
    }

    @Test
    void openSearchLogsByItsJsonLayout() throws Exception {
        String layout =
                "appender.rolling.layout.type = OpenSearchJsonLayout\nappender.rolling.layout.type_name = server\n";
        Run run = run("opensearch", IN_THE_SHAPE.replace("LAYOUT\n", layout), "org.opensearch.common.logging");
        assertThat(run.said()).contains("Burst rolling org.opensearch.common.logging.OpenSearchJsonLayout");
        assertThat(run.files().get("cluster_server.json")).contains("\"node.name\": \"node-1\"");
        run.hasRolled("rolling");
    }

    @Test
    void springBootLogsByTheFileInItsJar() throws Exception {
        String file = shipped("spring-boot", "org/springframework/boot/logging/log4j2/log4j2-file.xml");
        Run run = run("spring-boot", file);
        assertThat(run.said()).contains("Burst File org.apache.logging.log4j.core.layout.PatternLayout");
        assertThat(run.files().get("app.log")).contains("[demo] ").doesNotContain("%esb");
        run.hasRolled("File");
    }

    @Test
    void hiveLogsByTheFileInItsJar() throws Exception {
        Run run = run("hive", shipped("hive", "hive-log4j2.properties"));
        run.hasRolled("DRFA");
    }

    /** It has an appender of its own, which stays as it is, within a Routing beside. */
    @Test
    void llapLogsByTheFileInItsJar() throws Exception {
        Run run = run("llap", shipped("llap", "llap-daemon-log4j2.properties"));
        run.hasRolled("RFA");
        run.hasRolled("HISTORYAPPENDER");
    }

    @Test
    void artemisLogsByTheFileInItsJar() throws Exception {
        Run run = run("artemis", shipped("artemis", "org/apache/activemq/artemis/cli/commands/etc/log4j2.properties"));
        run.hasRolled("log_file");
        run.hasRolled("audit_log_file");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Kafka", "Solr", "Logstash"})
    void notTriedHereBecauseNoRegistryHasTheFile(String program) {
        Assumptions.abort("NOT TRIED: no registry has a jar with the log4j2 file of " + program
                + "; MigratedConfigurationsTest tries it with -Dburstlog.configurations=FOLDER");
    }

    /** The JVM's output, and the text of each log file, decompressed. */
    private record Run(List<String> said, Map<String, String> files) {

        void hasRolled(String appender) {
            assertThat(said).anyMatch(line -> line.startsWith("Burst " + appender + " "));
            assertThat(holding("of " + appender + " before")).hasSize(1);
            assertThat(holding("of " + appender + " after"))
                    .hasSize(1)
                    .doesNotContainAnyElementsOf(holding("of " + appender + " before"));
        }

        private List<String> holding(String text) {
            return files.entrySet().stream()
                    .flatMap(file -> file.getValue()
                            .lines()
                            .filter(line -> line.contains(text))
                            .map(line -> file.getKey()))
                    .toList();
        }
    }

    private static List<Path> jars(String program) throws IOException {
        try (Stream<Path> jars = Files.list(Path.of(System.getProperty("it.programs"), program))) {
            return jars.sorted().toList();
        }
    }

    private static String shipped(String program, String name) throws IOException {
        List<URL> urls = new ArrayList<>();
        for (Path jar : jars(program)) {
            urls.add(jar.toUri().toURL());
        }
        try (URLClassLoader jar = new URLClassLoader(urls.toArray(URL[]::new), null);
                InputStream in = jar.getResourceAsStream(name)) {
            assertThat(in).as("%s in the jar of %s", name, program).isNotNull();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static Run run(String program, String configuration, String... pluginPackage) throws Exception {
        Installation installation = Installation.fresh("program-" + program);
        Path logs = Files.createDirectories(installation.directory().resolve("log"));
        String ending = configuration.startsWith("<") ? ".xml" : ".properties";
        Path file = installation.directory().resolve("program" + ending);
        Files.writeString(file, configuration);
        List<String> arguments = new ArrayList<>(List.of(file.toString()));
        arguments.addAll(List.of(pluginPackage));
        Process child = ChildJvm.start(
                List.of(),
                List.of(
                        "-cp",
                        classPath(program),
                        "-Dit.logs=" + logs,
                        "-Dhive.log.dir=" + logs,
                        "-Dllap.daemon.log.dir=" + logs,
                        "-Dartemis.instance=" + installation.directory(),
                        "-DLOG_FILE=" + logs.resolve("app.log"),
                        "-DLOG_PATH=" + logs,
                        "-DAPPLICATION_NAME=demo"),
                installation,
                LogsAsAProgram.class,
                arguments.toArray(String[]::new));
        List<String> said = child.inputReader().lines().toList();
        assertThat(child.waitFor(120, TimeUnit.SECONDS)).isTrue();
        String errors = Files.readString(installation.errors());
        assertThat(child.exitValue()).as(errors).isZero();
        assertThat(errors.lines().filter(line -> line.contains(" ERROR "))).isEmpty();
        return new Run(said, texts(logs));
    }

    private static String classPath(String program) throws IOException {
        Stream<String> own = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !Path.of(entry).getFileName().toString().startsWith("spring-"));
        return Stream.concat(own, jars(program).stream().map(Path::toString))
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static Map<String, String> texts(Path logs) throws IOException {
        Map<String, String> texts = new TreeMap<>();
        try (Stream<Path> all = Files.walk(logs)) {
            all.filter(file -> Files.isRegularFile(file) && !file.toString().endsWith(".ring"))
                    .forEach(file -> texts.put(logs.relativize(file).toString(), text(file)));
        }
        return texts;
    }

    private static String text(Path file) {
        try (InputStream in = Files.newInputStream(file);
                InputStream text = file.toString().endsWith(".gz") ? new GZIPInputStream(in) : in) {
            return new String(text.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
