// SPDX-License-Identifier: Apache-2.0
package io.burstlog.doors;

import io.burstlog.Stage;
import io.burstlog.StageStats;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;

/** The times of the stages of a ring, in one line for its operator. */
final class StageLine {

    private StageLine() {}

    /** {@code "claim wait 0; copy 250: p50 0.3, p99.99 1.1, max 1.1; ..."}, in microseconds. */
    static String of(Map<Stage, StageStats> stages) {
        StringJoiner line = new StringJoiner("; ");
        for (Stage stage : Stage.values()) {
            line.add(of(stage, stages.get(stage)));
        }
        return line.toString();
    }

    private static String of(Stage stage, StageStats stats) {
        String name = stage.name().toLowerCase(Locale.ROOT).replace('_', ' ');
        if (stats.count() == 0) {
            return name + " 0";
        }
        return String.format(
                Locale.ROOT,
                "%s %d: p50 %.1f, p99.99 %.1f, max %.1f",
                name,
                stats.count(),
                micros(stats.p50Nanos()),
                micros(stats.p9999Nanos()),
                micros(stats.maxNanos()));
    }

    private static double micros(long nanos) {
        return nanos / 1000.0;
    }
}
