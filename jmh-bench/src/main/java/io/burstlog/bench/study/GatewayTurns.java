// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.study;

import io.burstlog.bench.fix.GatewayRun;
import io.burstlog.bench.fix.MarketOpen;
import io.burstlog.bench.fix.Placement;
import io.burstlog.bench.harness.Progress;
import io.burstlog.bench.harness.Study;
import io.burstlog.bench.harness.TargetResult;
import io.burstlog.bench.harness.Turns;
import io.burstlog.bench.subject.Media;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/** Runs of gateways, each in a JVM of its own, all cases in turns. */
final class GatewayTurns {

    /** A run takes so long besides its load: a JVM starts, warms up and ends. */
    private static final double SECONDS_BESIDES = 6;

    private static final int LONGEST_MILLIS = 60_000;

    /**
     * A gateway under load.
     *
     * @param ring null: its appender has none
     * @param folder where it keeps everything else, in a folder of each run
     * @param facts of the result, beside its figures
     */
    record Case(String name, GatewayRun.Setting setting, Media.Ring ring, Path folder, Map<String, Object> facts) {}

    private static final class Measured {
        private final Histogram response = TargetResult.emptyHistogram();
        private final Histogram late = TargetResult.emptyHistogram();
        private final List<Object> runs = new ArrayList<>();
        private final List<Double> tails = new ArrayList<>();

        void add(String name, GatewayRun.Result result) {
            response.add(result.response());
            late.add(result.late());
            runs.add(TargetResult.figuresOf(name, result.response()));
            tails.add((double) result.response().getValueAtPercentile(99.9));
        }
    }

    private GatewayTurns() {}

    /** The length of a run, if all of them may take so many seconds of load. */
    static int millis(int seconds, int cases, int runs) {
        return (int) Math.max(1000, Math.min(LONGEST_MILLIS, seconds * 1000L / (cases * runs)));
    }

    /** Tells the study how the load was, measures, and adds a target for each case. */
    static void measure(Study study, String name, List<Case> cases, int runs, int warmUp, MarketOpen load, Media media)
            throws InterruptedException {
        study.with("orders", load.orders()).with("seconds", load.seconds()).with("runs", runs);
        study.with("warmUpOrders", warmUp).with("loadSha256", load.sha256());
        study.with("instrumentGoesFirst", Placement.mayGoFirst());
        System.out.printf(
                "%-12s %d runs of %.1f s each: about %.0f minutes%n",
                name,
                runs * cases.size(),
                load.seconds(),
                Math.ceil(runs * cases.size() * (load.seconds() + SECONDS_BESIDES) / 60));
        List<Measured> all = cases.stream().map(each -> new Measured()).toList();
        Progress progress = new Progress(name);
        int done = 0;
        for (int run = 1; run <= runs; run++) {
            for (int which : Turns.of(IntStream.range(0, cases.size()).boxed().toList(), run - 1)) {
                Case of = cases.get(which);
                done++;
                try {
                    if (of.ring() != null) {
                        media.renew(of.ring());
                    }
                    all.get(which)
                            .add(
                                    of.name() + ", run " + run,
                                    GatewayRun.measure(
                                            of.setting(),
                                            of.ring() == null ? null : of.ring().path(),
                                            load,
                                            of.folder().resolve("gateway-" + done),
                                            warmUp));
                } catch (IOException | Media.NotPossible reason) {
                    study.skip(of.name() + ", run " + run, reason.getMessage());
                }
                progress.is((double) done / (runs * cases.size()));
            }
        }
        for (int i = 0; i < cases.size(); i++) {
            tell(name, cases.get(i), all.get(i), study);
        }
    }

    private static void tell(String name, Case of, Measured measured, Study study) {
        if (measured.response.getTotalCount() == 0) {
            return;
        }
        Map<String, Object> json = TargetResult.spreadOf(of.name(), measured.response);
        json.putAll(of.facts());
        json.put("p99.9OfRuns", measured.tails);
        json.put("runs", measured.runs);
        json.put("lateP99.9", measured.late.getValueAtPercentile(99.9));
        study.add(json);
        Figures.print(name, of.name(), measured.response);
    }
}
