// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling.comparison;

import io.burstlog.migrate.Migrate;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An entry of scenarios.txt: a configuration, and the steps of its run.
 *
 * @param name what it shows
 * @param terms format, zone, start, run; {@code burst}: why the files of {@code <Burst>} differ
 * @param body the configuration; of XML only the appender
 */
public record Scenario(String name, Map<String, String> terms, String body) {

    private static final Pattern TERM = Pattern.compile("(format|zone|start|run|burst): (.*)");
    private static final String LAYOUT = "<PatternLayout pattern=\"%d{yyyy-MM-dd'T'HH:mm:ss}{UTC} %m%n\"/>";

    /** The files that a run has left, and how many events it logged. */
    public record Outcome(FolderContents contents, int events) {}

    public static List<Scenario> all() {
        try (InputStream in = Scenario.class.getResourceAsStream("scenarios.txt")) {
            final String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            final List<Scenario> all = new ArrayList<>();
            for (final String entry : text.split("(?m)^=== ")) {
                if (!entry.startsWith("#")) {
                    all.add(of(entry));
                }
            }
            return all;
        } catch (final IOException unreadable) {
            throw new IllegalStateException(unreadable);
        }
    }

    private static Scenario of(final String entry) {
        final Map<String, String> terms =
                new TreeMap<>(Map.of("format", "xml", "zone", "UTC", "start", "2024-05-06T22:15"));
        final StringBuilder body = new StringBuilder();
        final String[] lines = entry.split("\n");
        for (int i = 1; i < lines.length; i++) {
            final Matcher term = TERM.matcher(lines[i]);
            if (body.isEmpty() && term.matches()) {
                terms.put(term.group(1), term.group(2));
            } else {
                body.append(lines[i]).append('\n');
            }
        }
        return new Scenario(lines[0].trim(), terms, body.toString());
    }

    /** The whole configuration, below this folder. */
    private String configuration(final Path folder) {
        final String whole = body.startsWith("<") && !body.startsWith("<Configuration")
                ? "<Configuration status=\"OFF\"><Appenders>\n" + body + "</Appenders>\n<Loggers><Root level=\"all\">"
                        + "<AppenderRef ref=\"R\"/></Root></Loggers></Configuration>\n"
                : body;
        return whole.replace("LAYOUT", LAYOUT).replace("DIR/", folder + "/");
    }

    /** Runs it in a folder of its own, with its configuration changed by {@code changed}. */
    public Outcome run(final Path place, final UnaryOperator<String> changed) {
        return run(place, changed, terms.get("run"), () -> Long.MAX_VALUE);
    }

    /** The same with other steps, and with a shipper that sees events. */
    public Outcome run(
            final Path place, final UnaryOperator<String> changed, final String steps, final LongSupplier seen) {
        final Path folder = place.resolve("logs");
        final Path file = place.resolve("log4j2." + terms.get("format"));
        try {
            Files.createDirectories(folder);
            Files.writeString(file, changed.apply(configuration(folder)));
            @SuppressWarnings("unchecked")
            final BiFunction<Map<String, String>, LongSupplier, Integer> run =
                    (BiFunction<Map<String, String>, LongSupplier, Integer>)
                            Loaded.RUN.getConstructor().newInstance();
            final Map<String, String> what = Map.of(
                    "folder", folder.toString(),
                    "configuration", file.toString(),
                    "zone", terms.get("zone"),
                    "start", terms.get("start"),
                    "steps", steps);
            final int events = run.apply(what, seen);
            return new Outcome(FolderContents.of(folder), events);
        } catch (final IOException | ReflectiveOperationException failed) {
            throw new IllegalStateException(name, failed);
        }
    }

    /** The same configuration as {@code <Burst>}, in a ring of memory; nothing is left for later. */
    public UnaryOperator<String> asBurst(final Path scratch) {
        return text -> {
            final Path file = scratch.resolve("migrated." + terms.get("format"));
            final ByteArrayOutputStream said = new ByteArrayOutputStream();
            try {
                Files.writeString(file, text);
                final int code = Migrate.run(
                        new PrintStream(said, true, StandardCharsets.UTF_8),
                        "--write",
                        "--set",
                        "durability=process",
                        "--set",
                        "ringSize=2 MB",
                        "--set",
                        "drainInterval=5 ms",
                        "--set",
                        "compressDelay=0",
                        file.toString());
                if (code != 0) {
                    throw new IllegalStateException(said.toString(StandardCharsets.UTF_8));
                }
                Files.delete(Path.of(file + ".before-burst"));
                return Files.readString(file);
            } catch (final IOException failed) {
                throw new IllegalStateException(failed);
            }
        };
    }

    @Override
    public String toString() {
        return name;
    }

    private static final class Loaded {

        static final Class<?> RUN = load();

        private static Class<?> load() {
            try {
                return new SimulatedLog4j().loadClass(RollingRun.class.getName());
            } catch (final ClassNotFoundException impossible) {
                throw new IllegalStateException(impossible);
            }
        }
    }
}
