// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.report;

import io.burstlog.bench.harness.Json;
import io.burstlog.bench.harness.Options;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** report.html of all studies in a directory, and each of its pictures as a file beside it. */
public final class Report {

    private static final String PERCENTILES = ": latency by percentile; the axis counts nines.";

    private static final List<String> LATENCIES = List.of("fast-ring", "ssd", "device", "mapped", "peers", "drain");

    private final Results results;
    private final Path directory;
    private final Html html = new Html();
    private int figures;

    private Report(Path directory) throws IOException {
        this.directory = directory;
        results = new Results(directory);
    }

    /** Writes the pictures and tables of the docs. */
    public static void publish(Options options) throws IOException {
        Publication.run(options);
    }

    public static void run(Options options) throws IOException {
        Path directory = options.path("out", "target/bench");
        Path page = new Report(directory).write();
        System.out.println("report       " + page);
    }

    private Path write() throws IOException {
        html.heading(1, "Burstlog benchmarks");
        html.paragraph(
                "Everything here was measured by one run of scripts/bench/all. Targets of one study ran in turns, block by"
                        + " block, so that whatever else the machine did hit all alike: ratios are of blocks of the same round, given"
                        + " as median (lower quartile .. upper quartile). A machine that is shared makes single figures worse than"
                        + " its ratios. Latencies are in microseconds; warm-up is not counted.");
        skipped();
        html.heading(2, "Targets");
        html.table(List.of("what", "where", "target", "reached", "enough"), Checks.of(results));
        for (String study : latencyStudies()) {
            latency(results.study(study).orElseThrow());
        }
        Sections sections = new Sections(results, html, this::figure);
        sections.syncs();
        sections.handOvers();
        SpreadSections spreads = new SpreadSections(results, html, this::figure);
        spreads.queues();
        spreads.fileSystems();
        new JvmSection(results, html, this::figure).show();
        sections.load();
        sections.slowAppends();
        sections.throughput();
        sections.open();
        sections.seen();
        results.study("agreement").ifPresent(study -> {
            html.heading(2, (String) study.get("title"));
            html.table(Agreement.HEAD, Agreement.rows(study));
        });
        sections.jmh();
        environments();
        Path page = directory.resolve("report.html");
        Files.writeString(page, html.end());
        return page;
    }

    private void skipped() {
        for (Map<String, Object> study : results.all()) {
            for (Object each : Json.list(study.get("skipped"))) {
                Map<String, Object> skipped = Json.object(each);
                html.loud("SKIPPED: " + study.get("study") + ": " + skipped.get("name") + ": " + skipped.get("reason"));
            }
        }
    }

    /** The studies of the report's list, in its order; then any others. */
    private Set<String> latencyStudies() {
        Set<String> names = new LinkedHashSet<>(LATENCIES);
        results.all().forEach(study -> names.add((String) study.get("study")));
        names.removeIf(name -> results.study(name)
                .filter(study -> "latency".equals(study.get("kind")))
                .isEmpty());
        return names;
    }

    private void latency(Map<String, Object> study) {
        String title = (String) study.get("title");
        List<Map<String, Object>> targets = Results.targets(study);
        html.heading(2, title);
        if (targets.isEmpty()) {
            html.loud("Nothing was measured.");
            return;
        }
        html.paragraph(
                ("Messages of %s bytes, blocks of %s, the first %s of each target and the lead-in of each block not"
                                + " counted; ratios to %s.")
                        .formatted(
                                study.get("bytes"),
                                study.get("blockMessages"),
                                targets.get(0).get("warmUpMessages"),
                                study.get("baseline").toString().isEmpty() ? "nothing" : study.get("baseline")));
        html.table(Sections.LATENCY_HEAD, Sections.latencyRows(study));
        figure(Charts.percentiles(title, study, targets, new Losses.Table(results)), title + PERCENTILES);
        List<Map<String, Object>> with = with(targets);
        if (!with.isEmpty()) {
            fastRing(title, study, targets, with);
        }
    }

    /** Pairs: with the fast ring, and without it. */
    private static final Map<String, List<String>> EACH_MESSAGE = Map.of(
            "Log4j", List.of("log4j-burst@device", "log4j-burst@ssd"),
            "Java over JNA", List.of("java-jna@device", "java-jna@ssd"),
            "Java over JNI", List.of("java-jni@device", "java-jni@ssd"),
            "the bare media", List.of("bare@device", "bare@ssd"));

    /** The same appender with the fast ring, with the ring on the SSD, and without a ring. */
    private static List<Map<String, Object>> with(List<Map<String, Object>> targets) {
        Set<String> names = Set.of("log4j-burst@device", "log4j-burst@ssd", "log4j-force");
        List<Map<String, Object>> of = targets.stream()
                .filter(target -> names.contains(target.get("name")))
                .toList();
        return of.size() < 2 ? List.of() : of;
    }

    private void fastRing(
            String title,
            Map<String, Object> study,
            List<Map<String, Object>> targets,
            List<Map<String, Object>> with) {
        for (String way : List.of("Log4j", "Java over JNA", "Java over JNI", "the bare media")) {
            List<Map<String, Object>> pair = targets.stream()
                    .filter(target -> EACH_MESSAGE.get(way).contains(target.get("name")))
                    .toList();
            if (pair.size() == 2) {
                figure(
                        Charts.eachMessage(title + ": each message, " + way, study, pair),
                        title + ": latency of each message in the order of the messages, " + way
                                + ", with the fast ring and without it.");
            }
        }
        figure(
                Charts.distributions(title + ": distribution", study, with),
                title
                        + ": how many messages took how long, in logarithmic steps. Steps without a message are drawn at half of one.");
    }

    private void figure(String svg, String caption) {
        try {
            Files.writeString(directory.resolve("figure-%02d.svg".formatted(++figures)), svg);
        } catch (IOException failure) {
            throw new java.io.UncheckedIOException(failure);
        }
        html.figure(svg, "Figure " + figures + ". " + caption);
    }

    private void environments() {
        html.heading(2, "Conditions");
        List<List<String>> rows = new ArrayList<>();
        Set<String> seen = new LinkedHashSet<>();
        for (Map<String, Object> study : results.all()) {
            Json.object(study.get("environment")).forEach((name, value) -> {
                if (name.equals("time") || name.equals("load average")) {
                    rows.add(List.of(name + ", " + study.get("study"), value.toString()));
                } else if (seen.add(name + value)) {
                    rows.add(List.of(name, value.toString()));
                }
            });
        }
        html.table(List.of("condition", "value"), rows);
    }
}
