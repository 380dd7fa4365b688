// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench;

import io.burstlog.bench.harness.Options;
import io.burstlog.bench.report.Report;
import io.burstlog.bench.study.DrainRateStudy;
import io.burstlog.bench.study.DrainStudy;
import io.burstlog.bench.study.HandOverStudy;
import io.burstlog.bench.study.LatencyStudy;
import io.burstlog.bench.study.LoadStudy;
import io.burstlog.bench.study.OpenStudy;
import io.burstlog.bench.study.SyncStudy;
import io.burstlog.bench.study.ThroughputStudy;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** {@code java -jar benchmarks.jar}: a study of the harness if one is named, else JMH with all its options. */
public final class Main {

    private interface Command {
        void run(Options options) throws Exception;
    }

    private static final Map<String, Command> COMMANDS = new TreeMap<>(Map.of(
            "latency", LatencyStudy::run,
            "hand-over", HandOverStudy::run,
            "load", LoadStudy::run,
            "throughput", ThroughputStudy::run,
            "drain", DrainStudy::run,
            "drain-rate", DrainRateStudy::run,
            "open", OpenStudy::run,
            "syncs", SyncStudy::run,
            "traced", SyncStudy::runTraced,
            "report", Report::run));

    private Main() {}

    public static void main(String[] arguments) throws Exception {
        List<String> all = Arrays.asList(arguments);
        Command command = all.isEmpty() ? null : COMMANDS.get(all.get(0));
        if (command == null) {
            if (all.contains("-l") || all.contains("-h")) {
                System.out.println(
                        "Studies of the harness, as first argument: " + String.join(", ", COMMANDS.keySet()));
            }
            org.openjdk.jmh.Main.main(arguments);
            return;
        }
        try {
            command.run(new Options(all.subList(1, all.size())));
        } catch (IllegalArgumentException notUnderstood) {
            System.err.println(all.get(0) + ": " + notUnderstood.getMessage());
            System.exit(2);
        }
        // Threads of peers are no daemons, some of them.
        System.exit(0);
    }
}
