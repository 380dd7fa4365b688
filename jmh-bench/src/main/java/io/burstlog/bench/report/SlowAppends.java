// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.report;

import io.burstlog.bench.harness.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The tables of the study {@code slow-appends}: whose the slowest appends are, and what held them up. */
final class SlowAppends {

    private static final List<String> OWNERS = List.of("machine", "medium", "ours");
    private static final double HUNDREDTHS = 100;

    static final List<String> HEAD = List.of(
            "appends",
            "of",
            "beyond",
            "which is, us",
            "they are",
            "the machine's",
            "the medium's",
            "ours",
            "lost before the write, in it, behind it");

    private SlowAppends() {}

    /** A row for each medium and percentile. */
    static List<List<String>> rows(Map<String, Object> study) {
        List<List<String>> rows = new ArrayList<>();
        for (Map<String, Object> target : Results.targets(study)) {
            for (Object each : Json.list(target.get("beyond"))) {
                Map<String, Object> beyond = Json.object(each);
                double appends = Json.number(beyond.get("appends"));
                Map<String, Object> owners = Json.object(beyond.get("owners"));
                List<String> row = new ArrayList<>(List.of(
                        TargetWords.of((String) target.get("name")),
                        count(target.get("appends")),
                        percentile(beyond),
                        Html.micros(Json.number(beyond.get("took_ns"))),
                        count(beyond.get("appends"))));
                OWNERS.forEach(owner -> row.add("%.0f%%".formatted(100 * Json.number(owners.get(owner)) / appends)));
                row.add(String.join(
                        ", ",
                        Json.object(beyond.get("stages")).values().stream()
                                .map(SlowAppends::count)
                                .toList()));
                rows.add(row);
            }
        }
        return rows;
    }

    static List<String> causesHead(Map<String, Object> study) {
        List<String> head = new ArrayList<>(List.of("beyond p99.9: held up by"));
        Results.targets(study).forEach(target -> head.add(TargetWords.of((String) target.get("name"))));
        return head;
    }

    /** A row for each cause that any medium had: appends, and in brackets what had it beside them. */
    static List<List<String>> causes(Map<String, Object> study) {
        Map<String, List<String>> cells = new LinkedHashMap<>();
        int column = 0;
        for (Map<String, Object> target : Results.targets(study)) {
            List<Object> beyond = Json.list(target.get("beyond"));
            for (Object each : beyond.isEmpty()
                    ? beyond
                    : Json.list(Json.object(beyond.get(0)).get("causes"))) {
                Map<String, Object> cause = Json.object(each);
                List<String> row = cells.computeIfAbsent((String) cause.get("words"), first -> new ArrayList<>());
                while (row.size() < column) {
                    row.add("-");
                }
                row.add("%s (%s, %s)"
                        .formatted(count(cause.get("appends")), bare(target, cause), count(cause.get("nothing"))));
            }
            column++;
        }
        List<List<String>> rows = new ArrayList<>();
        for (Map.Entry<String, List<String>> row : cells.entrySet()) {
            if (row.getValue().stream().anyMatch(cell -> cell.matches(".*[1-9].*"))) {
                List<String> whole = new ArrayList<>(List.of(row.getKey()));
                whole.addAll(row.getValue());
                while (whole.size() <= column) {
                    whole.add("-");
                }
                rows.add(whole);
            }
        }
        return rows;
    }

    /** A ring in memory has no bare write. */
    private static String bare(Map<String, Object> target, Map<String, Object> cause) {
        return Json.number(Json.object(target.get("bare_write")).get("p50_ns")) == 0
                ? "-"
                : count(cause.get("bare_writes"));
    }

    private static String count(Object number) {
        return "%,d".formatted((long) Json.number(number));
    }

    private static String percentile(Map<String, Object> beyond) {
        double percent = Json.number(beyond.get("hundredths_of_a_percent")) / HUNDREDTHS;
        return ("p" + percent).replaceFirst("\\.0$", "");
    }
}
