// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.report;

import io.burstlog.bench.harness.Json;
import io.burstlog.bench.harness.TargetResult;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/** The pictures, as SVG. Time is always on a logarithmic axis, in microseconds, and nothing is cut off. */
final class Charts {

    private static final int MOST_LINES = 10;
    private static final double LAST_PERCENTILE = 99.9999;
    private static final String LATENCY = "latency (us)";

    /** In messages: a logarithm needs more than 0. */
    private static final double NO_MESSAGE = 0.5;

    private Charts() {}

    /** Latency by percentile. The axis counts nines, and shows how much time of a year is beyond each. */
    static String percentiles(String title, List<Map<String, Object>> targets) {
        Chart chart = new Chart(title, Axis.percentiles(), Axis.logarithmic(LATENCY));
        for (Map<String, Object> target : targets) {
            Histogram histogram = TargetResult.histogramOf(target);
            List<Double> x = new ArrayList<>();
            List<Double> y = new ArrayList<>();
            for (HistogramIterationValue value : histogram.percentiles(10)) {
                double percentile = Math.min(value.getPercentileLevelIteratedTo(), lastOf(histogram));
                x.add(Axis.nines(percentile));
                y.add(micros(value.getValueIteratedTo()));
            }
            chart.line(TargetWords.of((String) target.get("name")), array(x), array(y));
        }
        return chart.svg();
    }

    /** Pictures by their titles. If there are many targets, the faster half and the slower half have a picture each. */
    static Map<String, String> percentilesOfAll(String title, List<Map<String, Object>> targets) {
        if (targets.size() <= MOST_LINES) {
            return Map.of(title, percentiles(title, targets));
        }
        List<Map<String, Object>> sorted = targets.stream()
                .sorted(Comparator.comparingDouble(target -> Json.number(target.get("p50"))))
                .toList();
        int half = (sorted.size() + 1) / 2;
        Map<String, String> pictures = new LinkedHashMap<>();
        for (List<Map<String, Object>> some : List.of(sorted.subList(0, half), sorted.subList(half, sorted.size()))) {
            String which = title + (pictures.isEmpty() ? ": the faster half" : ": the slower half");
            pictures.put(which, percentiles(which, some));
        }
        return pictures;
    }

    /** The maximum stands at the place of one message among all: 100% has no place on an axis of nines. */
    private static double lastOf(Histogram histogram) {
        return Math.min(LAST_PERCENTILE, 100 - 100.0 / Math.max(2, histogram.getTotalCount()));
    }

    /** Each message's latency, in the order of the messages. */
    static String series(String title, List<Map<String, Object>> targets) {
        Chart chart = new Chart(
                title, Axis.linear("number of the message after warm-up, in thousands"), Axis.logarithmic(LATENCY));
        for (Map<String, Object> target : targets) {
            double[] points = Results.numbers(target.get("series"));
            double[] x = new double[points.length / 2];
            double[] y = new double[points.length / 2];
            for (int i = 0; i < x.length; i++) {
                x[i] = points[2 * i] / 1000;
                y[i] = micros(points[2 * i + 1]);
            }
            chart.points(TargetWords.of((String) target.get("name")), x, y);
        }
        return chart.svg();
    }

    /** The part of the messages for each time, in steps of a tenth of an octave. */
    static String distributions(String title, List<Map<String, Object>> targets) {
        Chart chart = new Chart(title, Axis.logarithmic(LATENCY), Axis.logarithmic("messages in each step of 7% (%)"));
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
            chart.line(TargetWords.of((String) target.get("name")), array(x), array(y));
        }
        return chart.svg();
    }

    /** Lines over the load. Lines with an odd number are dashed, in the colour of the line before. */
    static String load(String title, String yTitle, Map<String, List<double[]>> lines) {
        Chart chart = new Chart(title, Axis.linear("load (% of the capacity of each)"), Axis.logarithmic(yTitle));
        int index = 0;
        for (Map.Entry<String, List<double[]>> line : lines.entrySet()) {
            chart.line(
                    line.getKey(),
                    line.getValue().stream().mapToDouble(point -> point[0]).toArray(),
                    line.getValue().stream()
                            .mapToDouble(point -> micros(point[1]))
                            .toArray(),
                    index % 2 == 1,
                    index++ / 2);
        }
        return chart.svg();
    }

    private static double micros(double nanos) {
        // A logarithm needs more than 0.
        return Math.max(nanos, 1) / 1000;
    }

    private static double[] array(List<Double> values) {
        return values.stream().mapToDouble(each -> each).toArray();
    }
}
