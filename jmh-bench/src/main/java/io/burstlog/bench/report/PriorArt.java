// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.report;

import io.burstlog.bench.harness.Json;
import io.burstlog.bench.harness.TargetResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.HdrHistogram.Histogram;

/**
 * The tables of prior-art.md: figures that others published, with ours beside them. Theirs stand here as their
 * documents have them, and ours come from the studies.
 */
final class PriorArt {

    static final String FAST = "log4j-burst@device";
    static final String DISK = "log4j-burst@ssd";
    private static final String NONE = "-";

    static final List<String> LOGGERS = List.of("picologger", "offer@ssd", "offer@ssd, open loop");

    private PriorArt() {}

    /** Ends with an empty line. */
    static String text(String name, Map<String, Object> study, Losses.Table losses) {
        return switch (name) {
            case "application-note" -> applicationNote(study);
            case "message-queues" -> messageQueues(study);
            case "gateway" -> gateway(study, losses);
            case "gateway-file-systems" -> fileSystems(study);
            default -> durableLogger(study);
        };
    }

    // The application note of 2018: a card with MRAM, and an appender of Log4j for it.

    /** The note's figures of a target, in microseconds; 0: none. */
    private record Noted(String target, String average, double averageMicros, String tail, double tailMicros) {}

    private static final List<Noted> NOTED = List.of(
            new Noted("bare@device", "< 7.2", 7.2, NONE, 0),
            new Noted("java-jna@device", "12", 12, "26", 26),
            new Noted(FAST, "13", 13, "28", 28),
            new Noted("bare@ssd", ">= 30, typically 100", 100, "up to 100 times that", 10_000),
            new Noted("java-jna@ssd", NONE, 0, NONE, 0),
            new Noted(DISK, "up to 9 times that of the card", 0, NONE, 0));

    private static String applicationNote(Map<String, Object> study) {
        List<List<String>> rows = new ArrayList<>();
        for (Noted noted : NOTED) {
            target(study, noted.target()).ifPresent(target -> {
                List<String> row =
                        new ArrayList<>(List.of(TargetWords.of(noted.target()), noted.average(), noted.tail()));
                for (String figure : List.of("average", "p50", "p99.9", "p99.99", "max")) {
                    row.add(Sections.micros(target, figure));
                }
                row.add("%,d".formatted((Long) target.get("messages")));
                row.add(over(target, "average", noted.averageMicros() * 1e3));
                row.add(over(target, "p99.99", noted.tailMicros() * 1e3));
                rows.add(row);
            });
        }
        List<String> head = List.of(
                "us",
                "document: average",
                "99.99%",
                "here: average",
                "p50",
                "p99.9",
                "p99.99",
                "max",
                "messages",
                "here / document: average",
                "99.99%");
        return PublishedStudy.table(head, rows) + slower(study) + tails(study);
    }

    /** Case 3: how many times slower without the fast medium. */
    private static String slower(Map<String, Object> study) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("document: Log4j, the SSD / the card", "up to 9", NONE, "up to 80", NONE));
        for (String way : List.of("log4j-burst@", "java-jna@", "bare@")) {
            Optional<Map<String, Object>> disk = target(study, way + "ssd");
            Optional<Map<String, Object>> fast = target(study, way + "device");
            if (disk.isPresent() && fast.isPresent()) {
                List<String> row =
                        new ArrayList<>(List.of("here: " + TargetWords.of(way + "ssd") + " / the same on zram"));
                for (String figure : List.of("average", "p50", "p99.9", "p99.99")) {
                    row.add(over(disk.get(), figure, enough(fast.get(), figure)));
                }
                rows.add(row);
            }
        }
        return PublishedStudy.table(List.of("times slower", "average", "p50", "p99.9", "p99.99"), rows);
    }

    /** Why case 3 has another ratio here: the tail of each medium to its own median. */
    private static String tails(Map<String, Object> study) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("document: the card, through Log4j, to its average", NONE, ratio(28, 13)));
        rows.add(List.of("document: SSDs, to their typical time", NONE, "up to 100"));
        for (String name : List.of("bare@device", FAST, "bare@ssd", DISK)) {
            target(study, name).ifPresent(target -> {
                double median = Json.number(target.get("p50"));
                rows.add(List.of(
                        "here: " + TargetWords.of(name) + ", to its median",
                        over(target, "p99.9", median),
                        over(target, "p99.99", median)));
            });
        }
        return PublishedStudy.table(List.of("tail", "99.9%", "99.99%"), rows);
    }

    // The article on queues between threads.

    /** The article's figures of a way, in nanoseconds; 0: none. */
    private record Queued(String way, String called, double average, double tail) {}

    private static final List<Queued> QUEUED = List.of(
            new Queued("copy", "ByteBuffer", 26.42, 143),
            new Queued("mapped-file", "mapped file", 53.52, 1866),
            new Queued("set-release+spin", "queue, lazySet", 30.95, 117),
            new Queued("set-volatile+spin", "queue, set", 44.78, 120),
            new Queued("offer@mapped", "logger MentaLog", 65, 0),
            new Queued("offer@device", "logger MentaLog", 65, 0),
            new Queued("offer@ssd", "logger MentaLog", 65, 0));

    /** The ways of the study that the article has, or that are ours. */
    static final List<String> QUEUES = QUEUED.stream().map(Queued::way).toList();

    private static String messageQueues(Map<String, Object> study) {
        List<List<String>> rows = new ArrayList<>();
        for (Queued queued : QUEUED) {
            target(study, queued.way()).ifPresent(target -> {
                Map<String, Object> lag = Json.object(target.get("lag"));
                rows.add(List.of(
                        TargetWords.of(queued.way()),
                        queued.called(),
                        plain(queued.average()),
                        queued.tail() == 0 ? NONE : plain(queued.tail()),
                        Html.digits(Json.number(target.get("average"))),
                        Html.digits(enough(target, "p50")),
                        Html.digits(enough(target, "p99.9")),
                        "%,d".formatted((Long) target.get("messages")),
                        over(target, "average", queued.average()),
                        over(target, "p99.9", queued.tail()),
                        lag == null ? "never" : Html.micros(enough(lag, "p50")),
                        lag == null ? NONE : Html.micros(enough(lag, "p99.9"))));
            });
        }
        return PublishedStudy.table(
                List.of(
                        "here",
                        "document",
                        "document: average, ns",
                        "99.9%",
                        "here: average, ns",
                        "p50",
                        "p99.9",
                        "messages",
                        "here / document: average",
                        "99.9%",
                        "durable after, us: p50",
                        "p99.9"),
                rows);
    }

    // The article on pinning threads, and the FIX gateway.

    private static String gateway(Map<String, Object> study, Losses.Table losses) {
        List<List<String>> rows = new ArrayList<>();
        for (Map<String, Object> target : Results.targets(study)) {
            List<String> row = new ArrayList<>(List.of(gatewayName(target)));
            for (String figure : List.of("average", "p50", "p99", "p99.9", "p99.99", "max")) {
                row.add(Sections.micros(target, figure));
            }
            row.add(ofRuns(target, "p99.9"));
            row.add(losses.of((String) target.get("target")).get(1));
            rows.add(row);
        }
        List<String> head = List.of(
                "us", "average", "p50", "p99", "p99.9", "p99.99", "max", "p99.9 of the runs", "lost at power cut");
        return gatewayLoad(study) + "\n\n" + PublishedStudy.table(head, rows) + freeOverPinned(study);
    }

    static String gatewayName(Map<String, Object> target) {
        String[] parts = ((String) target.get("name")).split(", ", 2);
        return TargetWords.of(parts[0]) + "; " + parts[1];
    }

    private static String gatewayLoad(Map<String, Object> study) {
        return ("%s orders in %.0f s in each run, %s run(s), of %s client(s), %s event(s) an order, after a warm-up of %s orders; from an order's own time"
                        + " to its confirmation (open loop), heap 128 MB%s.")
                .formatted(
                        study.get("orders"),
                        Json.number(study.get("seconds")),
                        study.get("runs"),
                        study.get("sessions"),
                        study.get("events"),
                        study.get("warmUpOrders"),
                        study.get("instrumentGoesFirst").equals(true)
                                ? "; the clients go before all others (SCHED_FIFO)"
                                : "; SCHED_FIFO is denied here: the clients may have to wait for a processor");
    }

    private static String freeOverPinned(Map<String, Object> study) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("document: FX pricing", "1.2", NONE, NONE, NONE, "20"));
        for (Map<String, Object> free : Results.targets(study)) {
            String name = (String) free.get("name");
            target(study, name.replace(", free", ", pinned"))
                    .filter(pinned -> pinned.get("pinned").equals(true)
                            && free.get("pinned").equals(false))
                    .ifPresent(pinned -> {
                        List<String> row = new ArrayList<>(
                                List.of("here: " + gatewayName(free).replace(" free,", "")));
                        for (String figure : List.of("average", "p50", "p99", "p99.9", "max")) {
                            row.add(over(free, figure, enough(pinned, figure)));
                        }
                        rows.add(row);
                    });
        }
        return PublishedStudy.table(List.of("free / pinned", "average", "p50", "p99", "p99.9", "max"), rows);
    }

    // The article on file systems under a FIX engine.

    /** The article's figures of a file system, as times of tmpfs. */
    private static final Map<String, List<String>> OVER_TMPFS = Map.of(
            "tmpfs", List.of("1", "1", "1", "1"),
            "ext2", List.of(NONE, NONE, NONE, "2"),
            "ext3", List.of(NONE, NONE, "5", "10"),
            "ext4", List.of(NONE, NONE, NONE, "2"),
            "xfs", List.of(NONE, NONE, NONE, "10"),
            "btrfs", List.of("1.6", "over 100", NONE, "2"));

    private static String fileSystems(Map<String, Object> study) {
        List<String> figures = List.of("average", "deviation", "p50", "p99", "p99.9", "p99.99", "max");
        List<List<String>> times = new ArrayList<>();
        List<List<String>> ratios = new ArrayList<>();
        for (Map<String, Object> target : Results.targets(study)) {
            List<String> row = new ArrayList<>(List.of((String) target.get("name")));
            figures.forEach(figure -> row.add(Sections.micros(target, figure)));
            row.add(ofRuns(target, "p99.9"));
            times.add(row);
            target(study, target.get("appender") + " on tmpfs").ifPresent(base -> {
                List<String> ratio = new ArrayList<>(List.of((String) target.get("name")));
                ratio.addAll(OVER_TMPFS.getOrDefault((String) target.get("system"), List.of(NONE, NONE, NONE, NONE)));
                for (String figure : List.of("average", "deviation", "p99", "p99.9", "p99.99")) {
                    ratio.add(over(target, figure, enough(base, figure)));
                }
                ratios.add(ratio);
            });
        }
        return gatewayLoad(study)
                + "\n\n"
                + PublishedStudy.table(
                        List.of(
                                "times of tmpfs",
                                "document: average",
                                "standard deviation",
                                "99 to 99.9%",
                                "99.99%",
                                "here: average",
                                "standard deviation",
                                "p99",
                                "p99.9",
                                "p99.99"),
                        ratios)
                + PublishedStudy.table(
                        List.of(
                                "us",
                                "average",
                                "standard deviation",
                                "p50",
                                "p99",
                                "p99.9",
                                "p99.99",
                                "max",
                                "p99.9 of the runs"),
                        times);
    }

    // The logger in Rust.

    private static String durableLogger(Map<String, Object> study) {
        List<Map<String, Object>> loggers = targets(study, LOGGERS);
        List<String> head = new ArrayList<>(List.of("", "document: picologger"));
        loggers.forEach(each -> head.add("here: " + TargetWords.of((String) each.get("name"))));
        List<List<String>> rows = new ArrayList<>();
        rows.add(row(
                "records a second, until the last one is durable",
                "434,704",
                loggers,
                each -> Html.digits(Json.number(each.getOrDefault("durablePerSecond", each.get("perSecond"))))));
        List<String> submitted = List.of("0.087", "0.476", "2.87");
        List<String> onDisk = List.of("13,000", "21,800", "25,800");
        List<Integer> percentiles = List.of(50, 95, 99);
        for (int i = 0; i < percentiles.size(); i++) {
            int percentile = percentiles.get(i);
            rows.add(row("submission, us: p" + percentile, submitted.get(i), loggers, each -> at(each, percentile)));
        }
        for (int i = 0; i < percentiles.size(); i++) {
            int percentile = percentiles.get(i);
            rows.add(row(
                    "to disk, us: p" + percentile,
                    onDisk.get(i),
                    loggers,
                    each -> at(Json.object(each.get("lag")), percentile)));
        }
        rows.add(row("records", "8,698,537", loggers, each -> "%,d".formatted((Long) each.get("messages"))));
        return PublishedStudy.table(head, rows);
    }

    private static List<String> row(
            String what, String theirs, List<Map<String, Object>> loggers, Function<Map<String, Object>, String> ours) {
        List<String> row = new ArrayList<>(List.of(what, theirs));
        loggers.forEach(each -> row.add(ours.apply(each)));
        return row;
    }

    private static String at(Map<String, Object> figures, int percentile) {
        Histogram histogram = TargetResult.histogramOf(figures);
        return Html.micros(histogram.getValueAtPercentile(percentile));
    }

    /** Those that were measured. */
    static List<Map<String, Object>> targets(Map<String, Object> study, List<String> names) {
        return names.stream().flatMap(name -> target(study, name).stream()).toList();
    }

    static Optional<Map<String, Object>> target(Map<String, Object> study, String name) {
        return Results.targets(study).stream()
                .filter(target -> target.get("name").equals(name))
                .findFirst();
    }

    /** A figure; not a number if there are too few messages for it. */
    private static double enough(Map<String, Object> figures, String figure) {
        return Sections.micros(figures, figure).equals("too few") ? Double.NaN : Json.number(figures.get(figure));
    }

    private static String ofRuns(Map<String, Object> target, String figure) {
        return String.join(
                ", ",
                Json.list(target.get("runs")).stream()
                        .map(run -> Sections.micros(Json.object(run), figure))
                        .toList());
    }

    private static String over(Map<String, Object> figures, String figure, double base) {
        return base == 0 ? NONE : ratio(enough(figures, figure), base);
    }

    private static String ratio(double of, double base) {
        return Html.digits(of / base);
    }

    private static String plain(double value) {
        return value == Math.rint(value) ? "%,.0f".formatted(value) : Double.toString(value);
    }
}
