// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.report;

import io.burstlog.bench.harness.Json;
import io.burstlog.bench.harness.TargetResult;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/** The pictures, as SVG. Time is always on a logarithmic axis, in microseconds, and nothing is cut off. */
final class Charts {

    /** A percentile is drawn if at least so many messages lie beyond it, on either side. */
    private static final int LEAST_BEYOND = 10;

    private static final String RULE = "A line ends where fewer than " + LEAST_BEYOND
            + " messages lie beyond it; max is the slowest one, which no line shows.";

    /** No clock tells shorter times apart, and a logarithm needs more than 0. */
    private static final double SHORTEST_NANOS = 10;

    private static final Chart.Group ALONE = new Chart.Group("The medium alone", "2 4");
    private static final Chart.Group DURABLE =
            new Chart.Group("Durable when the call returns: a power cut loses nothing", "");
    private static final Chart.Group NOT_DURABLE =
            new Chart.Group("Not durable when the call returns: a power cut loses events", "8 5");
    private static final Chart.Group DURABLE_BUT_FOR_ZRAM =
            new Chart.Group(DURABLE.heading() + " (zram, in the place of a device, is memory)", "");
    private static final Chart.Group ALL_ALIKE = new Chart.Group("", "");

    private static final String LATENCY = "latency (us)";

    /** In messages: a logarithm needs more than 0. */
    private static final double NO_MESSAGE = 0.5;

    /** One line of a picture of percentiles. */
    record Curve(Chart.Group group, String name, Histogram histogram, int colour) {}

    private Charts() {}

    /**
     * Latency by percentile. Targets that are durable when they return, and others, are told apart if it is known of
     * all.
     */
    static String percentiles(
            String title, Map<String, Object> study, List<Map<String, Object>> targets, Losses.Table losses) {
        List<Chart.Group> groups = groupsOf(targets, losses);
        Map<Chart.Group, Integer> members = new HashMap<>();
        List<Curve> curves = new ArrayList<>();
        for (int i = 0; i < targets.size(); i++) {
            int colour = members.merge(groups.get(i), 1, Integer::sum) - 1;
            String name = TargetWords.of((String) targets.get(i).get("name"));
            curves.add(new Curve(groups.get(i), name, TargetResult.histogramOf(targets.get(i)), colour));
        }
        return percentiles(title, Conditions.inPicture(study, targets), curves);
    }

    private static List<Chart.Group> groupsOf(List<Map<String, Object>> targets, Losses.Table losses) {
        List<Chart.Group> groups = new ArrayList<>();
        boolean zram = false;
        for (Map<String, Object> target : targets) {
            String atPowerCut = losses.of((String) target.get("name")).get(1);
            zram |= atPowerCut.contains("zram");
            groups.add(
                    ((String) target.get("name")).startsWith("bare@")
                            ? ALONE
                            : atPowerCut.startsWith("nothing")
                                    ? DURABLE
                                    : atPowerCut.equals("-") ? ALL_ALIKE : NOT_DURABLE);
        }
        if (groups.contains(ALL_ALIKE) || groups.stream().distinct().count() == 1) {
            return Collections.nCopies(groups.size(), ALL_ALIKE);
        }
        if (zram) {
            groups.replaceAll(group -> group == DURABLE ? DURABLE_BUT_FOR_ZRAM : group);
        }
        return groups;
    }

    /** The axis counts nines, and shows how much time of a year is beyond each. */
    static String percentiles(String title, List<String> conditions, List<Curve> curves) {
        Chart chart = new Chart(title, Axis.percentiles(), Axis.logarithmic(LATENCY))
                .notes(conditions)
                .rule(RULE);
        for (Curve curve : curves) {
            Histogram histogram = curve.histogram();
            List<Double> x = new ArrayList<>();
            List<Double> y = new ArrayList<>();
            for (double percentile : drawn(histogram)) {
                x.add(Axis.nines(percentile));
                y.add(micros(histogram.getValueAtPercentile(percentile)));
            }
            chart.line(
                    curve.group(),
                    curve.name(),
                    "max " + time(histogram.getMaxValue()),
                    array(x),
                    array(y),
                    curve.colour());
        }
        return chart.svg();
    }

    /** In their order; none if there are too few messages for any. */
    private static List<Double> drawn(Histogram histogram) {
        double first = 100.0 * LEAST_BEYOND / histogram.getTotalCount();
        List<Double> percentiles = new ArrayList<>();
        if (first <= 50) {
            percentiles.add(first);
            for (HistogramIterationValue value : histogram.percentiles(10)) {
                double percentile = value.getPercentileLevelIteratedTo();
                if (percentile > first && percentile < 100 - first) {
                    percentiles.add(percentile);
                }
            }
            percentiles.add(100 - first);
        }
        return percentiles;
    }

    private static String time(double nanos) {
        double value = nanos < 1e6 ? nanos / 1e3 : nanos / 1e6;
        String digits = value >= 100 ? "%.0f" : value >= 10 ? "%.1f" : "%.2f";
        return String.format(Locale.ROOT, digits, value) + (nanos < 1e6 ? " us" : " ms");
    }

    /** How many messages of each stretch of the run took how long. Each message is in it. */
    static String eachMessage(String title, Map<String, Object> study, List<Map<String, Object>> targets) {
        Chart chart = new Chart(
                        title,
                        Axis.linear("number of the message after warm-up, in thousands"),
                        Axis.logarithmic(LATENCY))
                .notes(Conditions.inPicture(study, targets));
        long most = 1;
        for (Map<String, Object> target : targets) {
            double[] numbers = Results.numbers(target.get("cells"));
            double messages = Json.number(target.get("messages"));
            double width = messages / Math.min(TargetResult.COLUMNS, messages) / 1000;
            List<Chart.Cell> cells = new ArrayList<>();
            for (int i = 0; i < numbers.length; i += 3) {
                cells.add(new Chart.Cell(
                        numbers[i] * width,
                        (numbers[i] + 1) * width,
                        microsOfStep(numbers[i + 1]),
                        microsOfStep(numbers[i + 1] + 1),
                        (long) numbers[i + 2]));
                most = Math.max(most, (long) numbers[i + 2]);
            }
            chart.cells(TargetWords.of((String) target.get("name")), cells);
        }
        return chart.rule(
                        ("A square is 1/%d of the run by 7%% of latency, darker the more messages it has: 1 to %,d. Each"
                                        + " message is in one.")
                                .formatted(TargetResult.COLUMNS, most))
                .svg();
    }

    private static double microsOfStep(double step) {
        return micros(Math.pow(2, step / TargetResult.STEPS_OF_OCTAVE));
    }

    /** The part of the messages for each time, in steps of a tenth of an octave. */
    static String distributions(String title, Map<String, Object> study, List<Map<String, Object>> targets) {
        Chart chart = new Chart(title, Axis.logarithmic(LATENCY), Axis.logarithmic("messages in each step of 7% (%)"))
                .notes(Conditions.inPicture(study, targets))
                .rule("Steps without a message are drawn at half of one.");
        for (Map<String, Object> target : targets) {
            Histogram histogram = TargetResult.histogramOf(target);
            List<Double> x = new ArrayList<>();
            List<Double> y = new ArrayList<>();
            double step = Math.pow(2, 0.1);
            double none = 100.0 / histogram.getTotalCount() * NO_MESSAGE;
            long from = Math.max(1, histogram.getMinValue() * 9 / 10);
            x.add(micros(from));
            y.add(none);
            while (from <= histogram.getMaxValue()) {
                long to = Math.max(from + 1, (long) (from * step));
                double percent = 100.0 * histogram.getCountBetweenValues(from, to - 1) / histogram.getTotalCount();
                x.add(micros(Math.sqrt((double) from * to)));
                y.add(Math.max(percent, none));
                from = to;
            }
            String name = TargetWords.of((String) target.get("name"));
            chart.line(name, array(x), array(y), false, targets.indexOf(target));
        }
        return chart.svg();
    }

    /**
     * Lines over the load, of points of load, median and quartiles. A line with an odd number is dashed, in the colour
     * of the line before, and without its quartiles.
     */
    static String load(String title, Map<String, Object> study, String yTitle, Map<String, List<double[]>> lines) {
        Chart chart = new Chart(title, Axis.linear("load (% of the capacity of each)"), Axis.logarithmic(yTitle))
                .notes(Conditions.inPicture(study, Results.targets(study)));
        int index = 0;
        for (Map.Entry<String, List<double[]>> line : lines.entrySet()) {
            chart.line(
                    line.getKey(),
                    line.getValue().stream().mapToDouble(point -> point[0]).toArray(),
                    line.getValue().stream()
                            .mapToDouble(point -> micros(point[1]))
                            .toArray(),
                    index % 2 == 1,
                    index / 2);
            if (index++ % 2 == 0) {
                line.getValue().forEach(point -> chart.spread(point[0], micros(point[2]), micros(point[3])));
            }
        }
        return chart.svg();
    }

    private static double micros(double nanos) {
        return Math.max(nanos, SHORTEST_NANOS) / 1000;
    }

    private static double[] array(List<Double> values) {
        return values.stream().mapToDouble(each -> each).toArray();
    }
}
