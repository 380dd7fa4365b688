// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.config.ConfigurationFactory;
import org.apache.logging.log4j.core.impl.Log4jLogEvent;
import org.apache.logging.log4j.message.SimpleMessage;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Log4j loads each block of README.md and docs/*.md that is fenced as xml, json, yaml or properties and has an element
 * {@code Burst}; and each of its appenders takes an event.
 *
 * <p>A block that is no whole configuration stands for the appenders of one. Absolute names of files, and those in
 * {@code logs/}, are put below a temporary folder; CPUs, owner and group become those of this process. A block that
 * some hosts cannot load stands behind a line {@code <!-- not loaded: REASON -->}.
 */
@Tag("comparison")
class DocumentedConfigurationsTest {

    private static final Pattern BLOCK =
            Pattern.compile("(?m)^(<!-- not loaded: .+ -->\\n+)?```(xml|json|yaml|properties)\\n([\\s\\S]*?)^```$");
    private static final Pattern ELEMENT = Pattern.compile("\\bBurst\\b");
    private static final Pattern FILE = Pattern.compile("(?<=[\"'=: -])(/(?=[a-z]+/)|logs/)");

    /** The value of an attribute, in any format. */
    private static final String VALUE = "\"?\\s*[:=]\\s*\"?)[\\w,-]+";

    @TempDir
    Path temporary;

    /** A block, its format, and where it stands. */
    record Block(String place, String format, String text) {

        @Override
        public String toString() {
            return place;
        }
    }

    static List<Block> blocks() throws IOException {
        final List<Path> pages = new ArrayList<>(List.of(Path.of("..", "README.md")));
        try (Stream<Path> docs = Files.list(Path.of("..", "docs"))) {
            docs.filter(page -> page.toString().endsWith(".md")).sorted().forEach(pages::add);
        }
        final List<Block> blocks = new ArrayList<>();
        for (final Path page : pages) {
            final String text = Files.readString(page);
            final Matcher block = BLOCK.matcher(text);
            while (block.find()) {
                if (block.group(1) == null && ELEMENT.matcher(block.group(3)).find()) {
                    final long line = text.substring(0, block.start(2)).lines().count();
                    blocks.add(new Block(page.getFileName() + ":" + line, block.group(2), block.group(3)));
                }
            }
        }
        return blocks;
    }

    /** For the elements {@code <Kafka>}. */
    @BeforeAll
    static void beWithoutABroker() {
        FakeShipperProvider.comeToThis(request -> {});
    }

    @AfterAll
    static void leaveTheOtherTestsWithoutKafka() {
        FakeShipperProvider.go();
    }

    @ParameterizedTest
    @MethodSource("blocks")
    void a_block_is_loaded_and_each_of_its_appenders_takes_an_event(final Block block) throws Exception {
        final Path file = temporary.resolve("log4j2." + block.format());
        Files.writeString(file, here(whole(block)));
        final StatusLines status = new StatusLines();
        final LoggerContext context = new LoggerContext(block.place());
        context.start(ConfigurationFactory.getInstance().getConfiguration(context, block.place(), file.toUri()));
        final List<BurstAppender> appenders = context.getConfiguration().getAppenders().values().stream()
                .filter(BurstAppender.class::isInstance)
                .map(BurstAppender.class::cast)
                .toList();
        try {
            assertThat(status.atLeast(Level.ERROR)).isEmpty();
            assertThat(appenders).isNotEmpty();
            appenders.forEach(appender -> appender.append(Log4jLogEvent.newBuilder()
                    .setLoggerName(block.place())
                    .setLevel(Level.ERROR)
                    .setMessage(new SimpleMessage("order 1"))
                    .build()));
        } finally {
            context.stop();
            status.stopListening();
        }
        assertThat(status.atLeast(Level.ERROR)).isEmpty();
        assertThat(linesOfLogs().filter(line -> line.contains("order 1"))).hasSize(appenders.size());
    }

    private Stream<String> linesOfLogs() throws IOException {
        final List<String> lines = new ArrayList<>();
        try (Stream<Path> all = Files.walk(temporary)) {
            for (final Path file : all.filter(Files::isRegularFile).toList()) {
                if (!file.toString().matches(".*(\\.ring|\\.segments/.*)")) {
                    lines.addAll(Files.readAllLines(file));
                }
            }
        }
        return lines.stream();
    }

    private String here(final String text) throws IOException {
        final String cpu =
                Files.readString(Path.of("/proc/self/status")).replaceAll("(?s).*Cpus_allowed_list:\\s*(\\d+).*", "$1");
        final String group = Files.readAttributes(temporary, PosixFileAttributes.class)
                .group()
                .getName();
        return FILE.matcher(text)
                .replaceAll(found ->
                        Matcher.quoteReplacement(temporary + (found.group().equals("/") ? "/" : "/" + found.group())))
                .replaceAll("(\\b(?:drainCpu|commitCpu)" + VALUE, "$1" + cpu)
                .replaceAll("(\\bfileOwner" + VALUE, "$1" + Files.getOwner(temporary))
                .replaceAll("(\\bfileGroup" + VALUE, "$1" + group);
    }

    private static String whole(final Block block) {
        final String text = block.text();
        if (text.contains("Configuration") || block.format().equals("properties")) {
            return text;
        }
        return switch (block.format()) {
            case "xml" -> RunningLog4j.xml(text, "<Root level=\"all\"/>");
            case "json" ->
                "{\"Configuration\": {\"Appenders\": " + (text.startsWith("{") ? text : "{" + text + "}")
                        + ", \"Loggers\": {\"Root\": {\"level\": \"all\"}}}}";
            case "yaml" ->
                "Configuration:\n  Appenders:\n" + text.indent(4) + "  Loggers:\n    Root:\n      level: all\n";
            default -> throw new AssertionError(block.format());
        };
    }
}
