// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.harness;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** One measurement as it is stored: NAME.json, and a NAME-TARGET.hgrm for each target. */
public final class Study {

    private static final double NANOS_PER_MICRO = 1000.0;

    private final String name;
    private final Map<String, Object> json = new LinkedHashMap<>();
    private final List<Object> targets = new ArrayList<>();
    private final List<Object> skipped = new ArrayList<>();

    /** @param kind what its targets hold: "latency", "load", .. */
    public Study(String name, String kind, String title, Map<String, Object> environment) {
        this.name = name;
        json.put("study", name);
        json.put("kind", kind);
        json.put("title", title);
        json.put("unit", "ns");
        json.put("environment", environment);
    }

    public Study with(String key, Object value) {
        json.put(key, value);
        return this;
    }

    /** Prints the reason at once, and puts it into the report. */
    public void skip(String target, String reason) {
        System.out.println("!!!! SKIPPED: " + name + ": " + target + ": " + reason);
        skipped.add(new LinkedHashMap<>(Map.of("name", target, "reason", reason)));
    }

    public void add(Map<String, Object> target) {
        targets.add(target);
    }

    public void write(Path directory) throws IOException {
        Files.createDirectories(directory);
        for (Object target : targets) {
            Map<String, Object> members = Json.object(target);
            if (members.containsKey("histogram")) {
                Histogram histogram = TargetResult.histogramOf(members);
                writeHgrm(directory.resolve(name + "-" + fileName((String) members.get("name")) + ".hgrm"), histogram);
            }
        }
        json.put("targets", targets);
        json.put("skipped", skipped);
        Json.write(directory.resolve(name + ".json"), json);
    }

    /** Writes the form that HdrHistogram's plotter reads, in microseconds. */
    private static void writeHgrm(Path file, Histogram histogram) throws IOException {
        try (PrintStream out = new PrintStream(Files.newOutputStream(file), false, "US-ASCII")) {
            histogram.outputPercentileDistribution(out, 5, NANOS_PER_MICRO);
        }
    }

    /** Replaces the characters that file names and shells do not like. */
    public static String fileName(String target) {
        return target.replaceAll("[^A-Za-z0-9.]+", "-");
    }
}
