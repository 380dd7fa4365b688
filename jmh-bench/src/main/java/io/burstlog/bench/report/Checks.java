// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.report;

import io.burstlog.bench.harness.Json;
import io.burstlog.bench.harness.Ratios;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The goals: each with its limit, the result, and whether it is reached. */
final class Checks {

    private final Results results;
    private final List<List<String>> rows = new ArrayList<>();

    private Checks(Results results) {
        this.results = results;
    }

    /** A row for each goal: name, place, limit, result, and yes, no or "not measured". */
    static List<List<String>> of(Results results) {
        Checks checks = new Checks(results);
        checks.overTheMedium();
        checks.overEachOther();
        checks.mapped();
        checks.fastRing();
        checks.offer();
        checks.throughput();
        checks.rest();
        return checks.rows;
    }

    private void overTheMedium() {
        for (String medium : List.of("ssd", "device")) {
            ratio("C append / bare write, p50", medium, "c@" + medium, "bare@" + medium, "p50", 1.05);
            ratio("C append / bare write, p99", medium, "c@" + medium, "bare@" + medium, "p99", 1.10);
            ratio("C append / bare write, p99.9", medium, "c@" + medium, "bare@" + medium, "p99.9", 1.15);
        }
    }

    private void overEachOther() {
        difference("Java over JNI - C, p50", "java-jni@device", "c@device", 100);
        difference("Java over JNA - C, p50", "java-jna@device", "c@device", 450);
        difference("Log4j - plain Java, p50", "log4j-burst@device", "java-jni@device", 600);
    }

    private void mapped() {
        Optional<Map<String, Object>> java = results.target("mapped", "java-jni@mapped");
        double p50 = java.map(target -> Json.number(target.get("p50"))).orElse(Double.NaN);
        atMost("mapped ring: Java append, p50", "mapped", 300, p50, Html.micros(p50) + " us", "<= 0.30 us");
        ratio(
                "mapped ring: Log4j durable / RandomAccessFile that loses everything, p50",
                "mapped",
                "log4j-burst@mapped",
                "log4j-raf-buffered",
                "p50",
                1.0);
        for (String figure : List.of("average", "p99.9")) {
            Ratios ratio = compared("mapped", "log4j-burst@mapped", "log4j-raf-buffered", figure, true);
            row(
                    "mapped ring: Log4j durable / RandomAccessFile that loses everything, " + figure,
                    "mapped",
                    "reported",
                    spread(ratio, 1),
                    Double.isNaN(ratio.median()),
                    true);
        }
    }

    private void fastRing() {
        for (String direct : List.of("log4j-burst@ssd", "log4j-force")) {
            for (String figure : List.of("average", "p99.9", "p99.99")) {
                double ratio = figure(direct, figure) / figure("log4j-burst@device", figure);
                String what = "direct SSD (" + direct + ") / ring on the device, " + figure;
                if (figure.equals("average")) {
                    atLeast(what, "fast-ring", 9, ratio, Html.digits(ratio) + "x", ">= 9x");
                } else {
                    row(what, "fast-ring", "reported", Html.digits(ratio) + "x", Double.isNaN(ratio), true);
                }
            }
        }
    }

    private double figure(String target, String figure) {
        return results.target("fast-ring", target)
                .map(found -> Json.number(found.get(figure)))
                .orElse(Double.NaN);
    }

    private void offer() {
        String study = "hand-over-64";
        double disruptor = wholeBurst(study, "disruptor, 1 producer").median();
        for (String medium : List.of("ssd", "device", "mapped")) {
            String name = "offer@" + medium + ", 1 producer";
            Ratios average = wholeBurst(study, name);
            String where = "64 bytes, " + medium;
            atMost("offer, average of a burst", where, 50, average.median(), spread(average, 1) + " ns", "<= 50 ns");
            atMost(
                    "offer, average, below Disruptor's publish",
                    where,
                    disruptor,
                    average.median(),
                    Html.digits(average.median()) + " ns",
                    "<= " + Html.digits(disruptor) + " ns");
            double tail = results.target(study, name)
                    .map(found -> Json.number(found.get("p99.9")))
                    .orElse(Double.NaN);
            atMost("offer, p99.9", where, 1000, tail, Html.micros(tail) + " us", "< 1 us");
        }
    }

    private Ratios wholeBurst(String study, String target) {
        return Ratios.of(results.target(study, target)
                .map(found -> Results.numbers(found.get("averagesOfWholeBursts")))
                .orElse(new double[0]));
    }

    private void throughput() {
        for (String end : List.of("ring", "log file")) {
            Ratios rate = Ratios.of(rates("offer, 1 thread, durable in the " + end));
            atLeast(
                    "offer 256 B, one producer, durable in the " + end,
                    "ssd",
                    3e6,
                    rate.median(),
                    spread(rate, 1e6) + " million/s",
                    ">= 3 million/s");
        }
        double[] many = rates("append, 16 threads");
        double[] one = rates("append, 1 thread");
        double[] ratios = new double[Math.min(many.length, one.length)];
        Arrays.setAll(ratios, i -> many[i] / one[i]);
        Ratios ratio = Ratios.of(ratios);
        atLeast(
                "append, 16 threads / 1 thread, records a second",
                "ssd",
                10,
                ratio.median(),
                spread(ratio, 1) + "x",
                ">= 10x");
    }

    private double[] rates(String what) {
        return results.study("throughput").stream()
                .flatMap(study -> Results.targets(study).stream())
                .filter(target ->
                        target.get("name").equals(what) && target.get("medium").equals("ssd"))
                .findFirst()
                .map(target -> Results.numbers(target.get("perSecond")))
                .orElse(new double[0]);
    }

    private void rest() {
        double allocated = results.target("device", "log4j-burst@device")
                .or(() -> results.target("ssd", "log4j-burst@ssd"))
                .map(found -> Json.number(found.get("allocatedBytesPerMessage")))
                .orElse(Double.NaN);
        atMost(
                "allocation of the logging thread for each Log4j event",
                "device",
                0.05,
                allocated,
                Html.digits(allocated) + " B",
                "0 B");
        for (String medium : List.of("ssd", "device")) {
            Ratios ratio = compared("drain", "drain-busy@" + medium, "drain-idle@" + medium, "p99", true);
            atMost("append with the drain busy / idle, p99", medium, 1.10, ratio.median(), spread(ratio, 1), "<= 1.10");
        }
        double[] opens = millis("open");
        double[] reads = millis("raw read");
        double[] ratios = new double[Math.min(opens.length, reads.length)];
        Arrays.setAll(ratios, i -> opens[i] / reads[i]);
        Ratios ratio = Ratios.of(ratios);
        atMost("open of a full ring / reading it raw", "ssd", 1.3, ratio.median(), spread(ratio, 1), "<= 1.3");
    }

    private double[] millis(String what) {
        return results.target("open", what)
                .map(found -> Results.numbers(found.get("millis")))
                .orElse(new double[0]);
    }

    private void ratio(String what, String study, String of, String base, String figure, double most) {
        Ratios ratio = compared(study, of, base, figure, true);
        atMost(what, study, most, ratio.median(), spread(ratio, 1), "<= " + Html.digits(most));
    }

    private void difference(String what, String of, String base, double most) {
        Ratios difference = compared("device", of, base, "p50", false);
        atMost(
                what,
                "device",
                most,
                difference.median(),
                spread(difference, 1000) + " us",
                "<= " + Html.micros(most) + " us");
    }

    private Ratios compared(String study, String of, String base, String figure, boolean ratio) {
        Optional<Map<String, Object>> x = results.target(study, of);
        Optional<Map<String, Object>> y = results.target(study, base);
        if (x.isEmpty() || y.isEmpty()) {
            return Ratios.of(new double[0]);
        }
        return ratio ? Ratios.ratios(x.get(), y.get(), figure) : Ratios.differences(x.get(), y.get(), figure);
    }

    /** Median and quartiles. */
    static String spread(Ratios ratios, double unit) {
        return Html.digits(ratios.median() / unit) + " (" + Html.digits(ratios.lowerQuartile() / unit) + " .. "
                + Html.digits(ratios.upperQuartile() / unit) + ")";
    }

    private void atMost(String what, String where, double most, double reached, String shown, String target) {
        row(what, where, target, shown, Double.isNaN(reached) || Double.isNaN(most), reached <= most);
    }

    private void atLeast(String what, String where, double least, double reached, String shown, String target) {
        row(what, where, target, shown, Double.isNaN(reached), reached >= least);
    }

    private void row(String what, String where, String target, String shown, boolean missing, boolean enough) {
        String verdict = missing ? "not measured" : target.equals("reported") ? "-" : enough ? "yes" : "no";
        rows.add(List.of(what, where, target, missing ? "-" : shown, verdict));
    }
}
