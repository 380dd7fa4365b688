// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.report;

import io.burstlog.bench.harness.Json;
import io.burstlog.bench.harness.Ratios;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The parts of a study in the docs: pictures, a table, and their histograms. */
final class PublishedStudy {

    private static final List<String> FIGURES = List.of("average", "p50", "p99", "p99.9", "p99.99", "max");
    private static final String OURS = "log4j-burst@";

    private static final Map<String, String> IN_SHORT = Map.of(
            "log4j-burst@device", "ring on a fast device (zram in its place), log file on the disk",
            "log4j-burst@ssd", "ring and log file on the disk",
            "log4j-force", "no ring: `FileChannel.force` for each event",
            "bare@device", "a bare write to the fast device",
            "bare@ssd", "a bare write to the disk");

    private PublishedStudy() {}

    /** Pictures by the names of their files. */
    static Map<String, String> pictures(String name, Map<String, Object> study, Losses.Table losses) {
        Map<String, String> pictures = new LinkedHashMap<>();
        List<Map<String, Object>> targets = Results.targets(study);
        String title = (String) study.get("title");
        switch (name) {
            case "fast-ring" -> {
                pictures.put(name, Charts.percentiles(title, study, named(targets, "(bare|log4j).*"), losses));
                List<Map<String, Object>> log4j = named(targets, OURS + ".*");
                if (log4j.stream().allMatch(target -> target.containsKey("cells"))) {
                    pictures.put(
                            name + "-each-message", Charts.eachMessage("Each message through Log4j", study, log4j));
                }
            }
            case "load" ->
                pictures.put(
                        name,
                        Charts.load(
                                "Load spectrum, p99",
                                study,
                                "latency, p99 of a block: median and quartiles (us)",
                                Sections.loadLines(study, "p99")));
            case "file-systems" -> {
                for (String what : List.of("ring", "log")) {
                    pictures.put(
                            name + "-" + what,
                            Charts.percentiles(
                                    title + ": " + what, study, named(targets, ".*\\b" + what + "\\b.*"), losses));
                }
            }
            case "jvm" ->
                JvmSection.charts(study)
                        .forEach((chart, svg) -> pictures.put(
                                "jvm-" + (chart.contains("pinned") ? "pinned" : "free")
                                        + (chart.contains("noisy") ? "-noisy" : "-quiet"),
                                svg));
            case "hand-over" ->
                pictures.put(
                        name,
                        Charts.percentiles(title + ", one producer", study, named(targets, ".*, 1 producer"), losses));
            case "application-note", "message-queues", "gateway", "gateway-file-systems", "durable-logger" ->
                pictures.putAll(PriorArtPictures.of(name, study, losses));
            case "gateway-drain" -> JvmSection.charts(study).values().forEach(svg -> pictures.put(name, svg));
            case "syncs",
                    "slower",
                    "slow-appends",
                    "agreement",
                    "throughput",
                    "open",
                    "rolling-mapped",
                    "rolling-device",
                    "rolling-ssd",
                    "readable-device",
                    "readable-ssd" -> {}
            default -> pictures.put(name, Charts.percentiles(title, study, targets, losses));
        }
        return pictures;
    }

    private static List<Map<String, Object>> named(List<Map<String, Object>> targets, String names) {
        return targets.stream()
                .filter(target -> ((String) target.get("name")).matches(names))
                .toList();
    }

    /** Ends with an empty line. */
    static String text(String name, Map<String, Object> study, Losses.Table losses) {
        return switch (name) {
            case "syncs" -> syncs(study);
            case "slower" -> slower(study, losses);
            case "jvm", "gateway-drain" ->
                JvmSection.explanation(study) + "\n\n" + table(JvmSection.HEAD, JvmSection.rows(study));
            case "load" -> load(study, losses);
            case "agreement" -> table(Agreement.HEAD, Agreement.rows(study));
            case "hand-over" -> table(Sections.HAND_OVER_HEAD, Sections.handOverRows(study));
            case "throughput" -> table(Sections.THROUGHPUT_HEAD, Sections.throughputRows(study));
            case "seen" -> table(Sections.SEEN_HEAD, Sections.seenRows(study));
            case "slow-appends" ->
                table(SlowAppends.HEAD, SlowAppends.rows(study))
                        + "Of each: appends (bare writes, loops that do nothing; as slow, in the same turns).\n\n"
                        + table(SlowAppends.causesHead(study), SlowAppends.causes(study));
            case "open" -> table(Sections.OPEN_HEAD, Sections.openRows(study));
            case "application-note", "message-queues", "gateway", "gateway-file-systems", "durable-logger" ->
                PriorArt.text(name, study, losses);
            default -> latencies(study, losses);
        };
    }

    /** The figures of the README, as the study fast-ring has them. Ends with an empty line. */
    static String inShort(Map<String, Object> study) {
        List<List<String>> rows = new ArrayList<>();
        String events = "";
        for (Map<String, Object> target : Results.targets(study)) {
            String words = IN_SHORT.get(target.get("name"));
            if (words != null) {
                String mark = ((String) target.get("name")).startsWith("bare@") ? "*" : "";
                rows.add(Stream.of(
                                words,
                                Sections.micros(target, "p50"),
                                Sections.micros(target, "p99"),
                                Sections.micros(target, "p99.9"))
                        .map(cell -> mark + cell + mark)
                        .toList());
                events = "%,d".formatted((Long) target.get("messages"));
            }
        }
        rows.sort(Comparator.comparing(row -> row.get(0).startsWith("*"))); // the media last
        return "An event of %s bytes through Log4j, in microseconds; one thread, %s events each:\n\n"
                        .formatted(study.get("bytes"), events)
                + table(List.of("", "p50", "p99", "p99.9"), rows);
    }

    /** A line for each: its name, and HdrHistogram's compressed encoding in Base64, in nanoseconds. */
    static String histograms(Map<String, Object> study) {
        StringBuilder lines = new StringBuilder();
        for (Map<String, Object> target : Results.targets(study)) {
            if (target.containsKey("histogram")) {
                lines.append(target.get("name"))
                        .append('\t')
                        .append(target.get("histogram"))
                        .append('\n');
            }
        }
        return lines.toString();
    }

    private static String latencies(Map<String, Object> study, Losses.Table losses) {
        List<Map<String, Object>> targets = Results.targets(study);
        Optional<Map<String, Object>> base = targets.stream()
                .filter(target -> target.get("name").equals(study.get("baseline")))
                .findFirst();
        List<String> head = new ArrayList<>(List.of("us"));
        head.addAll(FIGURES);
        base.ifPresent(of -> head.add("p50, p99, p99.9 over " + TargetWords.of((String) of.get("name"))));
        head.addAll(List.of("messages", "lost at kill", "lost at power cut"));
        List<List<String>> rows = new ArrayList<>();
        for (Map<String, Object> target : targets) {
            String name = (String) target.get("name");
            List<String> row = new ArrayList<>(List.of(TargetWords.of(name)));
            FIGURES.forEach(figure -> row.add(Sections.micros(target, figure)));
            base.ifPresent(of -> row.add(target == of ? "1" : over(target, of)));
            row.add("%,d".formatted((Long) target.get("messages")));
            row.addAll(losses.of(name));
            rows.add(row);
        }
        for (Map<String, Object> alone : Results.averages(study)) {
            List<String> row = new ArrayList<>(Collections.nCopies(head.size(), "-"));
            row.set(0, TargetWords.of((String) alone.get("name")));
            row.set(1, Html.micros(Json.number(alone.get("average"))));
            rows.add(row);
        }
        return table(head, rows);
    }

    /** The median over blocks of the same round. */
    private static String over(Map<String, Object> target, Map<String, Object> base) {
        return Stream.of("p50", "p99", "p99.9")
                .map(figure -> Html.digits(Ratios.ratios(target, base, figure).median()))
                .collect(Collectors.joining(", "));
    }

    private static String load(Map<String, Object> study, Losses.Table losses) {
        List<String> head = new ArrayList<>(Sections.LOAD_HEAD);
        head.addAll(List.of("lost at kill", "lost at power cut"));
        List<List<String>> rows = new ArrayList<>();
        for (Map<String, Object> target : Results.targets(study)) {
            List<String> row = new ArrayList<>(Sections.loadRow(target));
            row.addAll(losses.of((String) target.get("target")));
            rows.add(row);
        }
        return "%s blocks of each, in turns, each of %s messages or more. *Of a block*: median (lower quartile .. upper quartile) of the blocks.\n\n"
                        .formatted(study.get("rounds"), "1,000")
                + table(head, rows);
    }

    private static String syncs(Map<String, Object> study) {
        List<List<String>> rows = new ArrayList<>();
        for (Map<String, Object> target : Results.targets(study)) {
            rows.add(List.of(
                    TargetWords.of((String) target.get("name")),
                    target.get("durableWrites").toString(),
                    target.get("directWrites").toString(),
                    target.get("syncs").toString(),
                    target.get("waitingMsyncs").toString(),
                    Losses.atKill(target),
                    Losses.atPowerCut(target)));
        }
        return table(
                List.of(
                        "of %s events".formatted(study.get("events")),
                        "durable writes",
                        "direct writes",
                        "fsync, fdatasync",
                        "msync that waits",
                        "lost at kill",
                        "lost at power cut"),
                rows);
    }

    /** All peers that are faster than one of ours, by the median over blocks of the same round, and what they lose. */
    private static String slower(Map<String, Object> study, Losses.Table losses) {
        List<Map<String, Object>> targets = Results.targets(study);
        List<List<String>> rows = new ArrayList<>();
        for (Map<String, Object> ours : targets) {
            String name = (String) ours.get("name");
            for (Map<String, Object> other : name.startsWith(OURS) ? targets : List.<Map<String, Object>>of()) {
                if (((String) other.get("name")).startsWith("log4j-burst")) {
                    continue;
                }
                List<String> row =
                        new ArrayList<>(List.of(TargetWords.of(name), TargetWords.of((String) other.get("name"))));
                boolean faster = false;
                for (String figure : List.of("average", "p50", "p99.9")) {
                    double ratio = Ratios.ratios(ours, other, figure).median();
                    faster |= ratio > 1;
                    row.add(Html.digits(ratio) + "x");
                }
                row.addAll(losses.of((String) other.get("name")));
                if (faster) {
                    rows.add(row);
                }
            }
        }
        return table(
                List.of("ours", "against", "average", "p50", "p99.9", "what that one loses at kill", "at power cut"),
                rows);
    }

    static String table(List<String> head, List<List<String>> rows) {
        StringBuilder text = new StringBuilder(line(head));
        text.append("|").append("---|".repeat(head.size())).append('\n');
        rows.forEach(row -> text.append(line(row)));
        return text.append('\n').toString();
    }

    private static String line(List<String> cells) {
        return "| " + String.join(" | ", cells) + " |\n";
    }
}
