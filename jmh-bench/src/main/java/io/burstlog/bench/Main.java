// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench;

import io.burstlog.bench.fix.MarketOpen;
import io.burstlog.bench.fix.Neighbour;
import io.burstlog.bench.harness.Options;
import io.burstlog.bench.jmh.JmhRun;
import io.burstlog.bench.report.Agreement;
import io.burstlog.bench.report.Redrawing;
import io.burstlog.bench.report.Report;
import io.burstlog.bench.study.DrainRateStudy;
import io.burstlog.bench.study.DrainStudy;
import io.burstlog.bench.study.FileSystemStudy;
import io.burstlog.bench.study.GatewayStudy;
import io.burstlog.bench.study.HandOverStudy;
import io.burstlog.bench.study.JvmStudy;
import io.burstlog.bench.study.LatencyStudy;
import io.burstlog.bench.study.LoadStudy;
import io.burstlog.bench.study.OpenStudy;
import io.burstlog.bench.study.QueueStudy;
import io.burstlog.bench.study.SeenStudy;
import io.burstlog.bench.study.SlowAppendsStudy;
import io.burstlog.bench.study.Studies;
import io.burstlog.bench.study.StudyRun;
import io.burstlog.bench.study.SyncStudy;
import io.burstlog.bench.study.ThroughputStudy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * {@code java -jar benchmarks.jar} runs JMH with all its options; or studies, if the first argument is the name of one;
 * or {@code help}. A study runs one of the commands in a JVM of its own: {@code COMMAND --option value ..}. {@code run
 * COMMAND ..} runs a command, too.
 */
public final class Main {

    private static final String ALL = "all";

    private interface Command {
        void run(Options options) throws Exception;
    }

    private static final Map<String, Command> COMMANDS = new TreeMap<>(Map.ofEntries(
            Map.entry("latency", LatencyStudy::run),
            Map.entry("hand-over", HandOverStudy::run),
            Map.entry("queue", QueueStudy::run),
            Map.entry("file-systems", FileSystemStudy::run),
            Map.entry("load", LoadStudy::run),
            Map.entry("jvm", JvmStudy::run),
            Map.entry("gateway", GatewayStudy::run),
            Map.entry("gateway-file-systems", GatewayStudy::runFileSystems),
            Map.entry("neighbour", Neighbour::run),
            Map.entry("market-open", MarketOpen::print),
            Map.entry("throughput", ThroughputStudy::run),
            Map.entry("drain", DrainStudy::run),
            Map.entry("drain-rate", DrainRateStudy::run),
            Map.entry("open", OpenStudy::run),
            Map.entry("slow-appends", SlowAppendsStudy::run),
            Map.entry("syncs", SyncStudy::run),
            Map.entry("seen", SeenStudy::run),
            Map.entry("seen-reader", SeenStudy::runReader),
            Map.entry("traced", SyncStudy::runTraced),
            Map.entry("pictures", Report::publish),
            Map.entry("redraw", Redrawing::run),
            Map.entry("agreement", Agreement::run),
            Map.entry("report", Report::run)));

    private Main() {}

    public static void main(String[] arguments) throws Exception {
        // Some threads of peers are no daemons.
        System.exit(run(Arrays.asList(arguments)));
    }

    private static int run(List<String> all) throws Exception {
        String first = all.isEmpty() ? "" : all.get(0);
        if (first.equals("help")) {
            Help.print();
            return 0;
        }
        if (first.equals("run") && all.size() > 1 && COMMANDS.containsKey(all.get(1))) {
            return command(all.get(1), all.subList(2, all.size()));
        }
        int names = 0;
        while (names < all.size() && (Studies.isName(all.get(names)) || first.equals(ALL) && names == 0)) {
            names++;
        }
        if (names > 0) {
            return new StudyRun(JvmFlags.ofThisJar(), all.subList(names, all.size()))
                    .run(first.equals(ALL) ? Studies.names() : all.subList(0, names));
        }
        if (first.equals("pictures") && all.size() > 1 && !all.get(1).startsWith("--")) {
            List<String> options = new ArrayList<>(List.of("--docs", all.get(1)));
            options.addAll(all.subList(2, all.size()));
            return command(first, options);
        }
        if (COMMANDS.containsKey(first)) {
            return command(first, all.subList(1, all.size()));
        }
        int code = JmhRun.run(JvmFlags.ofThisJar(), all.toArray(String[]::new));
        if (all.contains("-l") || all.contains("-lp")) {
            Help.printStudies();
        }
        return code;
    }

    private static int command(String name, List<String> options) throws Exception {
        try {
            COMMANDS.get(name).run(new Options(options));
            return 0;
        } catch (IllegalArgumentException notUnderstood) {
            System.err.println(name + ": " + notUnderstood.getMessage());
            return 2;
        }
    }
}
