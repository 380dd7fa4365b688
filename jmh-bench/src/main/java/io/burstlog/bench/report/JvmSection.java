// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.report;

import io.burstlog.bench.harness.Json;
import io.burstlog.bench.harness.Ratios;
import io.burstlog.bench.harness.TargetResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.HdrHistogram.Histogram;

/** The study of the JVMs: a table of all runs, and a picture for each place and neighbour. */
final class JvmSection {

    static final List<String> HEAD = List.of(
            "JVM, processors, neighbour",
            "average, us",
            "p50",
            "p99",
            "p99.9",
            "p99.99",
            "max",
            "p99.9 of the runs",
            "average / first line",
            "p99.9 / first line",
            "of a year beyond 1 ms");

    private static final long MILLISECOND = 1_000_000;
    private static final List<String> DASHES = List.of("", "8 5", "2 4");

    private final Results results;
    private final Html html;
    private final BiConsumer<String, String> figure;

    JvmSection(Results results, Html html, BiConsumer<String, String> figure) {
        this.results = results;
        this.html = html;
        this.figure = figure;
    }

    void show() {
        show("jvm");
        show("gateway-drain");
    }

    private void show(String name) {
        results.study(name).ifPresent(study -> {
            html.heading(2, (String) study.get("title"));
            html.paragraph(explanation(study));
            html.table(HEAD, rows(study));
            charts(study).forEach((title, svg) -> figure.accept(svg, title + ": response time by percentile."));
        });
    }

    static String explanation(Map<String, Object> study) {
        return ("The demo's FIX gateway, heap 128 MB, ring on %s; %s orders in %.0f s at their own recorded times, %s run(s),"
                        + " after a warm-up of %s orders; from an order's own time to its confirmation (open loop). Free: any"
                        + " processor. Pinned: half of the processors are the gateway's alone. Noisy: a neighbour walks through"
                        + " memory and syncs 4 MB twenty times a second. %s Load: SHA-256 %s.")
                .formatted(
                        study.get("ring").toString().startsWith("/dev/") ? "zram" : "the disk",
                        study.get("orders"),
                        Json.number(study.get("seconds")),
                        study.get("runs"),
                        study.get("warmUpOrders"),
                        study.get("instrumentGoesFirst").equals(true)
                                ? "The threads that send and receive go before all others (SCHED_FIFO)."
                                : "The threads that send and receive may have to wait for a processor: SCHED_FIFO is denied"
                                        + " here.",
                        study.get("loadSha256").toString().substring(0, 16));
    }

    static List<List<String>> rows(Map<String, Object> study) {
        List<Map<String, Object>> targets = Results.targets(study);
        List<List<String>> rows = new ArrayList<>();
        for (Map<String, Object> target : targets) {
            Map<String, Object> first = targets.get(0);
            List<String> row = new ArrayList<>(List.of((String) target.get("name")));
            for (String name : List.of("average", "p50", "p99", "p99.9", "p99.99", "max")) {
                row.add(Sections.micros(target, name));
            }
            row.add(String.join(
                    ", ",
                    Json.list(target.get("p99.9OfRuns")).stream()
                            .map(each -> Html.micros(Json.number(each)))
                            .toList()));
            row.add(Html.digits(Ratios.ratiosOfRuns(target, first, "average").median()));
            row.add(Html.digits(Ratios.ratiosOfRuns(target, first, "p99.9").median()));
            Histogram histogram = TargetResult.histogramOf(target);
            long beyond = histogram.getCountBetweenValues(MILLISECOND, Math.max(MILLISECOND, histogram.getMaxValue()));
            row.add(Axis.yearBeyond((double) beyond / histogram.getTotalCount()));
            rows.add(row);
        }
        return rows;
    }

    /** By title. A collector has its colour, a JDK its dashes. */
    static Map<String, String> charts(Map<String, Object> study) {
        Map<String, List<Map<String, Object>>> groups = new LinkedHashMap<>();
        for (Map<String, Object> target : Results.targets(study)) {
            String title = "FIX gateway, " + (target.get("pinned").equals(true) ? "pinned" : "free") + ", "
                    + (target.get("noisy").equals(true) ? "noisy" : "quiet") + " neighbour";
            groups.computeIfAbsent(title, first -> new ArrayList<>()).add(target);
        }
        Map<String, String> charts = new LinkedHashMap<>();
        groups.forEach((title, targets) -> {
            List<String> jdks = new ArrayList<>();
            List<String> collectors = new ArrayList<>();
            List<Charts.Curve> curves = new ArrayList<>();
            for (Map<String, Object> target : targets) {
                boolean isOutside = Boolean.TRUE.equals(target.get("drainedOutside"));
                String name = target.get("jvm") + (isOutside ? ", external drain" : "");
                String jdk = name.replaceFirst("^(JDK \\d+).*", "$1");
                curves.add(new Charts.Curve(
                        new Chart.Group("", DASHES.get(indexOf(jdk, jdks) % DASHES.size())),
                        name,
                        TargetResult.histogramOf(target),
                        indexOf(name.substring(jdk.length()), collectors)));
            }
            charts.put(title, Charts.percentiles(title, Conditions.inPicture(study, targets), curves));
        });
        return charts;
    }

    private static int indexOf(String word, List<String> words) {
        if (!words.contains(word)) {
            words.add(word);
        }
        return words.indexOf(word);
    }
}
