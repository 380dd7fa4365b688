// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.harness;

import java.util.Arrays;
import java.util.Map;
import java.util.function.DoubleBinaryOperator;

/**
 * Median and quartiles over comparisons of blocks, or runs, of the same round.
 *
 * @param blocks pairs compared
 */
public record Ratios(double median, double lowerQuartile, double upperQuartile, int blocks) {

    /** The ratios {@code of / base} of one figure ("p50", ..) of each block. */
    public static Ratios ratios(Map<String, Object> of, Map<String, Object> base, String figure) {
        return compare(of, base, "blocks", figure, (x, y) -> x / y);
    }

    /** The ratios of each run. */
    public static Ratios ratiosOfRuns(Map<String, Object> of, Map<String, Object> base, String figure) {
        return compare(of, base, "runs", figure, (x, y) -> x / y);
    }

    /** The differences {@code of - base}, in nanoseconds. */
    public static Ratios differences(Map<String, Object> of, Map<String, Object> base, String figure) {
        return compare(of, base, "blocks", figure, (x, y) -> x - y);
    }

    public static Ratios of(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return new Ratios(quantile(sorted, 0.5), quantile(sorted, 0.25), quantile(sorted, 0.75), sorted.length);
    }

    private static Ratios compare(
            Map<String, Object> of, Map<String, Object> base, String parts, String figure, DoubleBinaryOperator by) {
        double[] x = figures(of, parts, figure);
        double[] y = figures(base, parts, figure);
        double[] values = new double[Math.min(x.length, y.length)];
        Arrays.setAll(values, i -> by.applyAsDouble(x[i], y[i]));
        return of(values);
    }

    private static double[] figures(Map<String, Object> target, String parts, String figure) {
        return Json.list(target.get(parts)).stream()
                .mapToDouble(part -> Json.number(Json.object(part).get(figure)))
                .toArray();
    }

    private static double quantile(double[] sorted, double q) {
        if (sorted.length == 0) {
            return Double.NaN;
        }
        double at = q * (sorted.length - 1);
        int below = (int) at;
        int above = Math.min(below + 1, sorted.length - 1);
        return sorted[below] + (at - below) * (sorted[above] - sorted[below]);
    }
}
