// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.study;

import org.HdrHistogram.Histogram;

/** A line for each target while the studies run. */
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
}
