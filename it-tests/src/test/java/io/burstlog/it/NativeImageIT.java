// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.jna.Callback;
import com.sun.jna.Library;
import com.sun.jna.Structure;
import java.io.IOException;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.apache.logging.log4j.core.config.plugins.PluginBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The metadata that jars carry for native images name all that is reached by reflection, by JNI or as a resource. It
 * walks the classes and the sources, since {@code native-image} is not to be had everywhere.
 */
class NativeImageIT {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    private static final Map<String, String> ARTIFACTS = Map.of(
            "native", "burstlog",
            "appender", "burstlog-log4j2",
            "logback", "burstlog-logback",
            "jul", "burstlog-jul",
            "kafka", "burstlog-kafka",
            "archive", "burstlog-archive",
            "micrometer", "burstlog-micrometer");

    /** Sources that use reflection, each with the types that it reaches and that its jar's metadata name. */
    private static final Map<String, List<String>> REFLECTION = Map.ofEntries(
            Map.entry(
                    "native/ConfigValues.java",
                    List.of("io.burstlog.BurstConfig$Builder", "io.burstlog.StreamConfig$Builder")),
            Map.entry("native/CopyTerms.java", List.of()), // a service, which native-image finds itself
            Map.entry("native/VirtualThreads.java", List.of("java.lang.Thread")),
            Map.entry("native/Registration.java", List.of()), // MBeans: a test of their own
            Map.entry("native/LibraryLocation.java", List.of()), // a resource: a test of its own
            Map.entry("appender/RecordEncoders.java", List.of("java.lang.Thread")),
            Map.entry("appender/ElementParts.java", List.of()), // plugins' builders, which Log4j's metadata name
            Map.entry("appender/ShipperSettings.java", List.of()), // a service, which native-image finds itself
            Map.entry(
                    "appender/RecursionMark.java",
                    List.of(
                            "org.apache.logging.log4j.core.config.AppenderControl",
                            "org.apache.logging.log4j.core.config.LoggerConfig",
                            "org.apache.logging.log4j.core.appender.AsyncAppender",
                            "org.apache.logging.log4j.core.appender.FailoverAppender",
                            "org.apache.logging.log4j.core.appender.rewrite.RewriteAppender",
                            "org.apache.logging.log4j.core.appender.routing.RoutingAppender")),
            Map.entry(
                    "appender/Compressor.java",
                    List.of("org.apache.commons.compress.compressors.CompressorStreamFactory")),
            Map.entry(
                    "logback/LogbackRolling.java",
                    List.of(
                            "ch.qos.logback.core.rolling.SizeAndTimeBasedRollingPolicy",
                            "ch.qos.logback.core.rolling.TimeBasedRollingPolicy")),
            Map.entry("jul/Properties.java", List.of()), // classes that a configuration names
            Map.entry(
                    "kafka/KafkaShipper.java",
                    List.of("io.burstlog.kafka.ShipperMXBean", "io.burstlog.kafka.ShipperManagement")),
            Map.entry(
                    "archive/ArchiverManagement.java",
                    List.of(
                            "io.burstlog.archive.ArchiverMXBean",
                            "io.burstlog.archive.ArchiverManagement",
                            "io.burstlog.archive.AnchorMXBean",
                            "io.burstlog.archive.ArchiverManagement$OfAnchor")),
            Map.entry("archive/BouncyCastle.java", List.of()), // resources: a test of their own
            Map.entry("archive/KafkaAnchor.java", List.of()), // as the one before
            Map.entry("micrometer/ShownLogs.java", List.of())); // proxies: a test of their own

    private static final Pattern REFLECTS = Pattern.compile("getDeclared(Field|Method|Constructor)|\\.getMethod\\("
            + "|\\.getField\\(|Class\\.forName|\\.loadClass\\(|\\.getResource|newProxyInstance|newMXBeanProxy"
            + "|ServiceLoader\\.|MethodHandles\\.|registerMBean|ofBean\\(new");

    private static Path metadata(String module) {
        return ROOT.resolve(module + "/src/main/resources/META-INF/native-image/io.burstlog/" + ARTIFACTS.get(module)
                + "/reachability-metadata.json");
    }

    private static JsonNode read(Path file) throws IOException {
        return new ObjectMapper().readTree(file.toFile());
    }

    private static Stream<JsonNode> stream(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false);
    }

    /** The entries by the names of their types. */
    private static Map<String, JsonNode> types(String module) throws IOException {
        Map<String, JsonNode> types = new HashMap<>();
        stream(read(metadata(module)).get("reflection"))
                .filter(entry -> entry.get("type").isTextual())
                .forEach(entry -> assertThat(types.put(entry.get("type").asText(), entry))
                        .as("entry before %s", entry)
                        .isNull());
        return types;
    }

    private static List<Class<?>> classes(String module) throws IOException {
        Path root = ROOT.resolve(module).resolve("target/classes");
        List<Class<?>> classes = new ArrayList<>();
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : files.toList()) {
                String name = root.relativize(file).toString();
                if (name.endsWith(".class") && !name.endsWith("-info.class") && !name.endsWith("Checkpoints.class")) {
                    classes.add(nameless(name.replace('/', '.').replaceFirst("\\.class$", "")));
                }
            }
        }
        assertThat(classes).isNotEmpty();
        return classes;
    }

    private static Class<?> nameless(String name) {
        try {
            return Class.forName(name, false, NativeImageIT.class.getClassLoader());
        } catch (ClassNotFoundException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private static void require(JsonNode entry, Class<?> type, String... flags) {
        assertThat(entry).as("an entry for %s", type).isNotNull();
        for (String flag : flags) {
            assertThat(entry.path(flag).asBoolean()).as("%s of %s", flag, type).isTrue();
        }
    }

    @Test
    void namesAllThatJnaReachesAndAllThatJniBinds() throws IOException {
        Map<String, JsonNode> types = types("native");
        int structs = 0;
        int bound = 0;
        for (Class<?> type : classes("native")) {
            assertThat(Library.class.isAssignableFrom(type) || Callback.class.isAssignableFrom(type))
                    .as("%s needs a proxy, or an entry for JNI", type)
                    .isFalse();
            if (Structure.class.isAssignableFrom(type)) {
                structs++;
                require(
                        types.get(type.getName()),
                        type,
                        "jniAccessible",
                        "allDeclaredConstructors",
                        "allDeclaredFields",
                        "allPublicFields");
            }
            if (Arrays.stream(type.getDeclaredMethods()).anyMatch(method -> Modifier.isNative(method.getModifiers()))) {
                bound++;
                require(types.get(type.getName()), type, "jniAccessible", "allDeclaredMethods");
            }
        }
        assertThat(structs).isGreaterThan(5);
        assertThat(bound).isEqualTo(2);
    }

    @Test
    void namesTheBeansAndTheirProxies() throws IOException {
        Map<String, JsonNode> types = types("native");
        Set<String> proxies = stream(read(metadata("micrometer")).get("reflection"))
                .map(entry -> entry.get("type").path("proxy").path(0).asText())
                .collect(toSet());
        int beans = 0;
        for (Class<?> type : classes("native")) {
            for (Class<?> shown : type.getInterfaces()) {
                if (shown.getName().endsWith("MXBean")) {
                    beans++;
                    require(types.get(shown.getName()), shown, "allPublicMethods");
                    require(types.get(type.getName()), type, "allPublicMethods");
                    assertThat(proxies).contains(shown.getName());
                }
            }
        }
        assertThat(beans).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"native", "appender", "logback", "jul", "micrometer", "kafka", "otel", "archive"})
    void namesWhatEachSourceWithReflectionReaches(String module) throws IOException {
        try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src/main/java"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                if (REFLECTS.matcher(Files.readString(file)).find()) {
                    List<String> reached = REFLECTION.get(module + "/" + file.getFileName());
                    assertThat(reached)
                            .as("%s uses reflection: add what it reaches to the metadata of the jar, and here", file)
                            .isNotNull();
                    assertThat(reached.isEmpty() ? Set.of() : types(module).keySet())
                            .as("types of %s", file)
                            .containsAll(reached);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"native", "appender", "logback", "jul", "archive"})
    void namesOnlyWhatIsThere(String module) throws Exception {
        for (JsonNode entry : types(module).values()) {
            assertThat(entry.fieldNames())
                    .toIterable()
                    .isSubsetOf(
                            "condition",
                            "type",
                            "fields",
                            "methods",
                            "jniAccessible",
                            "allDeclaredConstructors",
                            "allDeclaredFields",
                            "allDeclaredMethods",
                            "allPublicFields",
                            "allPublicMethods");
            String name = entry.get("type").asText();
            if (name.startsWith("org.apache.commons") || name.equals("java.lang.Thread")) {
                continue; // optional; newer than the oldest JDK
            }
            Class<?> type = nameless(name);
            for (JsonNode field : entry.path("fields")) {
                assertThat(type.getDeclaredFields())
                        .extracting(Field::getName)
                        .contains(field.get("name").asText());
            }
            for (JsonNode method : entry.path("methods")) {
                Executable[] executables = method.get("name").asText().equals("<init>")
                        ? type.getDeclaredConstructors()
                        : type.getDeclaredMethods();
                assertThat(executables)
                        .anyMatch(one -> one.getParameterCount()
                                == method.get("parameterTypes").size());
            }
            String condition = entry.path("condition").path("typeReached").asText();
            if (!condition.isEmpty()) {
                nameless(condition);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"native", "appender", "logback", "jul", "archive"})
    void namesEachResource(String module) throws IOException {
        List<String> globs = stream(read(metadata(module)).path("resources"))
                .map(entry -> entry.get("glob").asText())
                .toList();
        Path root = ROOT.resolve(module).resolve("target/classes");
        try (Stream<Path> files = Files.walk(root)) {
            assertThat(files.filter(Files::isRegularFile)
                            .map(file -> root.relativize(file).toString())
                            .filter(file -> !file.endsWith(".class"))
                            .filter(file -> !file.matches("META-INF/(LICENSE|NOTICE|native-image/.*|services/.*)")))
                    .allMatch(file -> globs.stream()
                            .anyMatch(glob -> FileSystems.getDefault()
                                    .getPathMatcher("glob:" + glob)
                                    .matches(Path.of(file))));
        }
    }

    /** An archive looks whether optional libraries are there, and loads none of their classes for that. */
    @Test
    void namesTheClassesThatAnArchiveLooksForAsResources() throws IOException {
        Set<String> globs = stream(read(metadata("archive")).get("resources"))
                .map(entry -> entry.get("glob").asText())
                .collect(toSet());
        Set<String> named = new TreeSet<>();
        for (String source : List.of("BouncyCastle", "KafkaAnchor")) {
            Matcher literals = Pattern.compile("\"([a-zA-Z0-9/]+\\.class)\"")
                    .matcher(Files.readString(
                            ROOT.resolve("archive/src/main/java/io/burstlog/archive/" + source + ".java")));
            while (literals.find()) {
                named.add(literals.group(1));
            }
        }
        assertThat(named).hasSize(5).isEqualTo(globs);
    }

    /** Log4j's processor of annotations writes these. */
    @Test
    void namesTheLog4jPluginsAndTheirBuilders() throws IOException {
        JsonNode generated =
                read(ROOT.resolve("appender/target/classes/META-INF/native-image/log4j-generated/io.burstlog"
                        + "/burstlog-log4j2/reflect-config.json"));
        Map<String, JsonNode> types = new HashMap<>();
        generated.forEach(entry -> types.put(entry.get("name").asText(), entry));
        Class<?> plugin = nameless("io.burstlog.log4j.BurstAppender");
        assertThat(types).containsKey(plugin.getName());
        assertThat(types.get(plugin.getName()).get("methods").findValuesAsText("name"))
                .containsAll(Arrays.stream(plugin.getDeclaredMethods())
                        .filter(method -> method.isAnnotationPresent(PluginBuilderFactory.class))
                        .map(Executable::getName)
                        .toList());
        require(
                types("appender").get("io.burstlog.log4j.BurstAppenderBuilder"),
                nameless("io.burstlog.log4j.BurstAppenderBuilder"),
                "allDeclaredFields"); // Log4j's processor does not know our own annotation
    }
}
