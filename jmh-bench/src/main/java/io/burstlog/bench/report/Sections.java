// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.report;

import io.burstlog.bench.harness.Json;
import io.burstlog.bench.harness.Ratios;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;

/** The report's sections that show more than latencies. */
final class Sections {

    static final List<String> LATENCY_HEAD = List.of(
            "target",
            "messages",
            "average",
            "p50",
            "p99",
            "p99.9",
            "p99.99",
            "max",
            "ratio p50",
            "ratio p99",
            "ratio p99.9",
            "B allocated",
            "medium says");

    static final List<String> HAND_OVER_HEAD = List.of(
            "way",
            "messages",
            "average of whole bursts (ns)",
            "p50 (us)",
            "p99 (us)",
            "p99.9 (us)",
            "p99.99 (us)",
            "max (us)");

    static final List<String> THROUGHPUT_HEAD = List.of("ring", "what", "records a second", "blocks");
    static final List<String> SEEN_HEAD = List.of(
            "way",
            "durable",
            "call p50 (us)",
            "from its return to seen: p50 (us)",
            "p99",
            "p99.9",
            "max",
            "from its begin: p50",
            "p99.9",
            "seen before it returned",
            "processor of the reader",
            "messages");
    static final List<String> OPEN_HEAD = List.of("what", "milliseconds");

    private static final double NANOS_OF_MICRO = 1e3;

    /** No allocation of theirs is seen. */
    private static final String IN_ANOTHER_PROCESS =
            "(c|bare)@.*|(quill|spdlog|rocksdb|sqlite|postgres)-.*|aeron-archive|picologger";

    private final Results results;
    private final Html html;
    private final BiConsumer<String, String> figure;

    Sections(Results results, Html html, BiConsumer<String, String> figure) {
        this.results = results;
        this.html = html;
        this.figure = figure;
    }

    static List<List<String>> latencyRows(Map<String, Object> study) {
        List<Map<String, Object>> targets = Results.targets(study);
        Optional<Map<String, Object>> base = targets.stream()
                .filter(target -> target.get("name").equals(study.get("baseline")))
                .findFirst();
        List<List<String>> rows = new ArrayList<>();
        for (Map<String, Object> target : targets) {
            List<String> row = new ArrayList<>(figures(target));
            for (String figure : List.of("p50", "p99", "p99.9")) {
                row.add(base.map(found -> Checks.spread(Ratios.ratios(target, found, figure), 1))
                        .orElse("-"));
            }
            Object allocated = target.get("allocatedBytesPerMessage");
            row.add(
                    allocated == null || ((String) target.get("name")).matches(IN_ANOTHER_PROCESS)
                            ? "-"
                            : Html.digits(Json.number(allocated)));
            row.add(String.valueOf(target.getOrDefault("claims", "")));
            rows.add(row);
        }
        for (Map<String, Object> alone : Results.averages(study)) {
            List<String> row = new ArrayList<>(Collections.nCopies(LATENCY_HEAD.size(), "-"));
            row.set(0, TargetWords.of((String) alone.get("name")));
            row.set(2, Html.micros(Json.number(alone.get("average"))));
            rows.add(row);
        }
        return rows;
    }

    private static List<String> figures(Map<String, Object> target) {
        return List.of(
                TargetWords.of((String) target.get("name")),
                "%,d".formatted((Long) target.get("messages")),
                micros(target, "average"),
                micros(target, "p50"),
                micros(target, "p99"),
                micros(target, "p99.9"),
                micros(target, "p99.99"),
                micros(target, "max"));
    }

    /** 1,000 messages are too few for p99.99. */
    static String micros(Map<String, Object> figures, String figure) {
        double messages = Json.number(figures.get("messages"));
        double wanted =
                figure.equals("p99.99") ? 10_000 : figure.equals("p99.9") ? 1_000 : figure.equals("p99") ? 100 : 1;
        return messages < wanted ? "too few" : Html.micros(Json.number(figures.get(figure)));
    }

    void syncs() {
        results.study("syncs").ifPresent(study -> {
            html.heading(2, (String) study.get("title"));
            html.paragraph(
                    ("A child process under strace wrote %s events; counted is the second half of them, by all its"
                                    + " threads. Then it died without a farewell, and what was left was counted. Durable writes are those with"
                                    + " O_DSYNC or RWF_DSYNC. The page cache survives the death of a process, not that of the kernel or the"
                                    + " power. Of Burstlog the calls on the ring are counted.")
                            .formatted(2 * ((Long) study.get("events"))));
            List<List<String>> rows = new ArrayList<>();
            for (Map<String, Object> target : Results.targets(study)) {
                rows.add(List.of(
                        TargetWords.of((String) target.get("name")),
                        target.get("writes").toString(),
                        target.get("durableWrites").toString(),
                        target.get("syncs").toString(),
                        target.get("waitingMsyncs").toString(),
                        target.get("otherMsyncs").toString(),
                        target.get("ioUringEnters").toString(),
                        target.get("mapped").equals(true) ? "yes, mapped" : "-",
                        target.get("lostByProcessDeath") + " of " + target.get("eventsBeforeDeath"),
                        Losses.ofPower(target)));
            }
            html.table(
                    List.of(
                            "target",
                            "writes",
                            "durable writes",
                            "fsync, fdatasync",
                            "msync MS_SYNC",
                            "msync MS_ASYNC",
                            "io_uring_enter",
                            "file mapped",
                            "events lost by process death",
                            "a crash of the kernel or a loss of power loses"),
                    rows);
        });
    }

    void handOvers() {
        for (Map<String, Object> study : results.all()) {
            if (!"hand-over".equals(study.get("kind")) || Results.targets(study).isEmpty()) {
                continue;
            }
            String title = study.get("title") + ", " + study.get("bytes") + " bytes";
            html.heading(2, title);
            html.paragraph(
                    ("Bursts of %s messages that fit the queue; the next begins when all has been taken. The average is of"
                                    + " bursts timed as a whole, the percentiles of bursts timed message by message, which adds a reading of"
                                    + " the clock to each.")
                            .formatted(study.get("burst")));
            html.table(HAND_OVER_HEAD, handOverRows(study));
            Map<String, List<Map<String, Object>>> byProducers = new LinkedHashMap<>();
            for (Map<String, Object> target : Results.targets(study)) {
                String name = (String) target.get("name");
                byProducers
                        .computeIfAbsent(name.substring(name.indexOf(", ")), first -> new ArrayList<>())
                        .add(target);
            }
            byProducers.forEach((producers, targets) -> figure.accept(
                    Charts.percentiles(title + producers, study, targets, new Losses.Table(results)),
                    title + producers + ": latency by percentile."));
        }
    }

    static final List<String> LOAD_HEAD = List.of(
            "target",
            "load",
            "messages/s",
            "response p50 of a block, us",
            "p99 of a block",
            "p99 of all",
            "p99.9 of all",
            "messages");

    void load() {
        results.study("load").ifPresent(study -> {
            html.heading(2, (String) study.get("title"));
            html.paragraph(
                    ("Open loop: messages have intended times, at a constant rate that is a part of what the target takes"
                                    + " in a closed loop. Response time counts from the intended time, so that who waits behind a slow one is"
                                    + " not forgotten (no coordinated omission). %s blocks of each, in turns; a figure of a block is the"
                                    + " median of them (lower quartile .. upper quartile).")
                            .formatted(study.get("rounds")));
            List<List<String>> rows =
                    Results.targets(study).stream().map(Sections::loadRow).toList();
            html.table(LOAD_HEAD, rows);
            if (!rows.isEmpty()) {
                figure.accept(
                        Charts.load(
                                "Load spectrum, p50",
                                study,
                                "latency, p50 of a block: median and quartiles (us)",
                                loadLines(study, "p50")),
                        "Response (solid) and service time (dashed) over the load, p50 of a block: median and quartiles.");
                figure.accept(
                        Charts.load(
                                "Load spectrum, p99",
                                study,
                                "latency, p99 of a block: median and quartiles (us)",
                                loadLines(study, "p99")),
                        "Response (solid) and service time (dashed) over the load, p99 of a block: median and quartiles.");
            }
        });
    }

    static List<String> loadRow(Map<String, Object> target) {
        Map<String, Object> response = Json.object(target.get("response"));
        return List.of(
                TargetWords.of((String) target.get("target")),
                target.get("percentOfCapacity") + "%",
                Html.digits(Ratios.of(Results.numbers(target.get("reachedPerSecond")))
                        .median()),
                Checks.spread(ofBlocks(target, "response p50"), NANOS_OF_MICRO),
                Checks.spread(ofBlocks(target, "response p99"), NANOS_OF_MICRO),
                micros(response, "p99"),
                micros(response, "p99.9"),
                "%,d".formatted((Long) response.get("messages")));
    }

    private static Ratios ofBlocks(Map<String, Object> target, String figure) {
        return Ratios.of(
                Results.numbers(Json.object(target.get("figuresOfBlocks")).get(figure)));
    }

    /** A figure over the load, with its quartiles: response time, then service time. Each: load, median, quartiles. */
    static Map<String, List<double[]>> loadLines(Map<String, Object> study, String figure) {
        Map<String, List<double[]>> lines = new LinkedHashMap<>();
        for (Map<String, Object> target : Results.targets(study)) {
            double load = Json.number(target.get("percentOfCapacity"));
            for (String time : List.of("response", "service")) {
                Ratios blocks = ofBlocks(target, time + " " + figure);
                lines.computeIfAbsent(
                                TargetWords.of((String) target.get("target")) + ", " + time, first -> new ArrayList<>())
                        .add(new double[] {load, blocks.median(), blocks.lowerQuartile(), blocks.upperQuartile()});
            }
        }
        return lines;
    }

    static List<List<String>> handOverRows(Map<String, Object> study) {
        List<List<String>> rows = new ArrayList<>();
        for (Map<String, Object> target : Results.targets(study)) {
            List<String> row = new ArrayList<>(figures(target));
            row.set(2, Checks.spread(Ratios.of(Results.numbers(target.get("averagesOfWholeBursts"))), 1));
            rows.add(row);
        }
        return rows;
    }

    void throughput() {
        results.study("throughput").ifPresent(study -> {
            html.heading(2, (String) study.get("title"));
            html.table(THROUGHPUT_HEAD, throughputRows(study));
        });
    }

    static List<List<String>> throughputRows(Map<String, Object> study) {
        List<List<String>> rows = new ArrayList<>();
        for (Map<String, Object> target : Results.targets(study)) {
            double[] rates = Results.numbers(target.get("perSecond"));
            rows.add(List.of(
                    TargetWords.ofRing((String) target.get("medium")),
                    (String) target.get("name"),
                    Checks.spread(Ratios.of(rates), 1),
                    "" + rates.length));
        }
        return rows;
    }

    void seen() {
        results.study("seen").ifPresent(study -> {
            html.heading(2, (String) study.get("title"));
            html.paragraph(
                    ("Messages of %s bytes, %s us after the return of the call before; one process writes, another one reads."
                                    + " In turns: a reader waits for its turn without using a processor.")
                            .formatted(study.get("bytes"), study.get("pauseMicros")));
            html.table(SEEN_HEAD, seenRows(study));
            String title = (String) study.get("title");
            figure.accept(
                    Charts.percentiles(title, study, Results.targets(study), new Losses.Table(results)),
                    title + ": time until seen, by percentile.");
        });
    }

    static List<List<String>> seenRows(Map<String, Object> study) {
        List<List<String>> rows = new ArrayList<>();
        for (Map<String, Object> target : Results.targets(study)) {
            Map<String, Object> sinceCall = Json.object(target.get("sinceCall"));
            String name = (String) target.get("name");
            rows.add(List.of(
                    TargetWords.of(name),
                    name.startsWith("burst") ? "yes" : "no",
                    micros(Json.object(target.get("call")), "p50"),
                    micros(target, "p50"),
                    micros(target, "p99"),
                    micros(target, "p99.9"),
                    micros(target, "max"),
                    micros(sinceCall, "p50"),
                    micros(sinceCall, "p99.9"),
                    percent(target, "seenBeforeReturn"),
                    percent(target, "readerCpu"),
                    "%,d".formatted((Long) target.get("messages"))));
        }
        return rows;
    }

    private static String percent(Map<String, Object> target, String part) {
        return "%.1f%%".formatted(100 * Json.number(target.get(part)));
    }

    void slowAppends() {
        results.study("slow-appends").ifPresent(study -> {
            html.heading(2, (String) study.get("title"));
            html.table(SlowAppends.HEAD, SlowAppends.rows(study));
            html.paragraph("Of each: appends (bare writes, loops that do nothing; as slow, in the same turns).");
            html.table(SlowAppends.causesHead(study), SlowAppends.causes(study));
        });
    }

    void open() {
        results.study("open").ifPresent(study -> {
            html.heading(2, (String) study.get("title"));
            html.paragraph("Ring of %,d bytes, full; in turns.".formatted((Long) study.get("ringBytes")));
            html.table(OPEN_HEAD, openRows(study));
        });
    }

    static List<List<String>> openRows(Map<String, Object> study) {
        List<List<String>> rows = new ArrayList<>();
        for (Map<String, Object> target : Results.targets(study)) {
            rows.add(List.of(
                    (String) target.get("name"), Checks.spread(Ratios.of(Results.numbers(target.get("millis"))), 1)));
        }
        return rows;
    }

    void jmh() {
        if (results.jmh().isEmpty()) {
            return;
        }
        html.heading(2, "JMH");
        html.paragraph(
                "Each line in a JVM of its own. Bytes are what all threads allocate for an operation (gc profiler).");
        List<List<String>> rows = new ArrayList<>();
        for (Object each : results.jmh()) {
            Map<String, Object> run = Json.object(each);
            Map<String, Object> metric = Json.object(run.get("primaryMetric"));
            String name = (String) run.get("benchmark");
            rows.add(List.of(
                    name.substring(name.lastIndexOf('.', name.lastIndexOf('.') - 1) + 1),
                    String.valueOf(run.get("params")).replaceAll("[{}]", ""),
                    run.get("threads").toString(),
                    Html.digits(Json.number(metric.get("score"))) + " +- "
                            + Html.digits(Json.number(metric.get("scoreError"))),
                    (String) metric.get("scoreUnit"),
                    allocated(run)));
        }
        html.table(List.of("benchmark", "parameters", "threads", "score (99.9% interval)", "unit", "B/op"), rows);
    }

    private static String allocated(Map<String, Object> run) {
        Map<String, Object> secondary = Json.object(run.getOrDefault("secondaryMetrics", Map.of()));
        return secondary.entrySet().stream()
                .filter(entry -> entry.getKey().endsWith("gc.alloc.rate.norm"))
                .map(entry ->
                        Html.digits(Json.number(Json.object(entry.getValue()).get("score"))))
                .findFirst()
                .orElse("-");
    }
}
