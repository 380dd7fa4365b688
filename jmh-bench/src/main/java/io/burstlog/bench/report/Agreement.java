// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.report;

import io.burstlog.bench.harness.Json;
import io.burstlog.bench.harness.Options;
import io.burstlog.bench.harness.Study;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** JMH's figures beside the harness's, for the same target. */
public final class Agreement {

    static final List<String> HEAD = List.of("target, us", "figure", "JMH", "harness", "JMH / harness");

    private static final String MEASURED = "agreement-harness";
    private static final Map<String, String> MEDIA = Map.of("zram", "device", "ssd-file", "ssd", "tmpfs", "mapped");
    private static final Map<String, String> WAYS = Map.of("log4j", "log4j-burst");

    /** Each figure's name in the harness, and JMH's; JMH has no name for the average. */
    private static final Map<String, String> FIGURES = new LinkedHashMap<>();

    static {
        FIGURES.put("average", "");
        FIGURES.put("p50", "50.0");
        FIGURES.put("p99", "99.0");
        FIGURES.put("p99.9", "99.9");
    }

    private Agreement() {}

    /** Prints the table of what both have measured, from {@code --out}. */
    public static void run(Options options) throws IOException {
        Path out = options.path("out", "target/bench");
        Results results = new Results(out);
        Map<String, Object> harness = results.study(MEASURED)
                .orElseThrow(() -> new IllegalArgumentException(out + " has no results of " + MEASURED + "."));
        Study study = new Study("agreement", "agreement", "JMH and harness", Json.object(harness.get("environment")));
        for (Object each : results.jmh()) {
            Map<String, Object> run = Json.object(each);
            Map<String, Object> parameters = Json.object(run.getOrDefault("params", Map.of()));
            if (((String) run.get("benchmark")).contains("AppendBench")) {
                String way = (String) parameters.get("way");
                String ring = (String) parameters.get("ring");
                String target = WAYS.getOrDefault(way, way) + "@" + MEDIA.getOrDefault(ring, ring);
                results.target(MEASURED, target).ifPresent(found -> study.add(pair(target, run, found)));
            }
        }
        study.write(out);
        for (List<String> row : rows(Json.readObject(out.resolve("agreement.json")))) {
            System.out.printf("%-12s %-30s %-8s JMH %10s  harness %10s  ratio %s%n", pad("agreement", row));
        }
    }

    private static Object[] pad(String first, List<String> row) {
        List<Object> all = new ArrayList<>(List.of(first));
        all.addAll(row);
        return all.toArray();
    }

    private static Map<String, Object> pair(String target, Map<String, Object> run, Map<String, Object> harness) {
        Map<String, Object> metric = Json.object(run.get("primaryMetric"));
        Map<String, Object> percentiles = Json.object(metric.get("scorePercentiles"));
        Map<String, Object> json = new LinkedHashMap<>(Map.of("name", target));
        FIGURES.forEach((figure, ofJmh) -> {
            json.put(
                    "jmh " + figure, 1e3 * Json.number(ofJmh.isEmpty() ? metric.get("score") : percentiles.get(ofJmh)));
            json.put("harness " + figure, Json.number(harness.get(figure)));
        });
        return json;
    }

    static List<List<String>> rows(Map<String, Object> study) {
        List<List<String>> rows = new ArrayList<>();
        for (Map<String, Object> target : Results.targets(study)) {
            for (String figure : FIGURES.keySet()) {
                double jmh = Json.number(target.get("jmh " + figure));
                double harness = Json.number(target.get("harness " + figure));
                rows.add(List.of(
                        TargetWords.of((String) target.get("name")),
                        figure,
                        Html.micros(jmh),
                        Html.micros(harness),
                        Html.digits(jmh / harness)));
            }
        }
        return rows;
    }
}
