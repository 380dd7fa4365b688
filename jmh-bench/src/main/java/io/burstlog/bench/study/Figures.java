// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.study;

import io.burstlog.bench.harness.Ratios;
import io.burstlog.bench.harness.TargetResult;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** Prints a line for each target while the studies run. */
final class Figures {

    private Figures() {}

    static void print(String study, String target, Histogram nanos) {
        System.out.printf(
                "%-12s %-26s %,9d messages, us: average %10.3f  p50 %10.3f  p99 %10.3f  p99.9 %10.3f  max %10.3f%n",
                study,
                target,
                nanos.getTotalCount(),
                nanos.getMean() / 1e3,
                nanos.getValueAtPercentile(50) / 1e3,
                nanos.getValueAtPercentile(99) / 1e3,
                nanos.getValueAtPercentile(99.9) / 1e3,
                nanos.getMaxValue() / 1e3);
    }

    /** Prints the ratios of each target's blocks to those of the baseline in the same round. */
    static void printRatios(String study, String baseline, List<TargetResult> results) {
        for (TargetResult base : results) {
            for (TargetResult result : results) {
                if (base.name().equals(baseline) && result != base) {
                    Map<String, Object> of = result.toJson();
                    Map<String, Object> to = base.toJson();
                    System.out.printf(
                            "%-12s %-26s over %s: average %s  p50 %s  p99 %s  p99.9 %s%n",
                            study,
                            result.name(),
                            baseline,
                            text(Ratios.ratios(of, to, "average")),
                            text(Ratios.ratios(of, to, "p50")),
                            text(Ratios.ratios(of, to, "p99")),
                            text(Ratios.ratios(of, to, "p99.9")));
                }
            }
        }
    }

    /** Median and quartiles. */
    static String text(Ratios ratios) {
        return "%.2f (%.2f .. %.2f)".formatted(ratios.median(), ratios.lowerQuartile(), ratios.upperQuartile());
    }
}
