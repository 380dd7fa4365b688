// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.study;

import io.burstlog.bench.fix.GatewayRun;
import io.burstlog.bench.fix.Jvm;
import io.burstlog.bench.fix.MarketOpen;
import io.burstlog.bench.fix.Placement;
import io.burstlog.bench.harness.Environment;
import io.burstlog.bench.harness.Options;
import io.burstlog.bench.harness.Progress;
import io.burstlog.bench.harness.Study;
import io.burstlog.bench.harness.TargetResult;
import io.burstlog.bench.subject.Media;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/**
 * The effect of JVM, collector, processors and the place of the drain on a client that waits for its confirmation: the
 * demo's FIX gateway, under orders that come at their own recorded times. Each run has a JVM of its own, and all
 * settings take turns.
 */
public final class JvmStudy {

    private JvmStudy() {}

    private static final class Measured {
        private final Histogram response = TargetResult.emptyHistogram();
        private final Histogram late = TargetResult.emptyHistogram();
        private final List<Double> tails = new ArrayList<>();

        void add(GatewayRun.Result result) {
            response.add(result.response());
            late.add(result.late());
            tails.add((double) result.response().getValueAtPercentile(99.9));
        }
    }

    public static void run(Options options) throws Exception {
        Media media = new Media(options);
        MarketOpen load = MarketOpen.from(options);
        int runs = options.number("runs", 3);
        int warmUp = options.number("warm-up", 6000);
        Study study = new Study(
                options.text("study", "jvm"),
                "jvm",
                options.text("title", "JVMs and collectors"),
                Environment.describe(media.directory(), media.devices()));
        study.with("orders", load.orders()).with("seconds", load.seconds()).with("runs", runs);
        study.with("warmUpOrders", warmUp).with("loadSha256", load.sha256());
        study.with("instrumentGoesFirst", Placement.mayGoFirst());
        Media.Ring ring;
        try {
            ring = media.ring("device", "jvm");
        } catch (Media.NotPossible reason) {
            study.skip("ring on a fast device", reason.getMessage() + "; the ring is a file on the disk");
            ring = media.ring("ssd", "jvm");
        }
        study.with("ring", ring.path().toString());
        Map<GatewayRun.Setting, Measured> all = new LinkedHashMap<>();
        settings(options, study).forEach(setting -> all.put(setting, new Measured()));
        measure(all, runs, warmUp, load, ring, media, study);
        all.forEach((setting, measured) -> tell(setting, measured, study));
        study.write(options.path("out", "target/bench"));
    }

    private static void measure(
            Map<GatewayRun.Setting, Measured> all,
            int runs,
            int warmUp,
            MarketOpen load,
            Media.Ring ring,
            Media media,
            Study study)
            throws InterruptedException {
        Progress progress = new Progress("jvm");
        int done = 0;
        for (int run = 1; run <= runs; run++) {
            for (Map.Entry<GatewayRun.Setting, Measured> each : all.entrySet()) {
                GatewayRun.Setting of = each.getKey();
                done++;
                try {
                    media.renew(ring);
                    each.getValue()
                            .add(GatewayRun.measure(of, ring.path(), load, media.file("gateway-" + done), warmUp));
                } catch (IOException | Media.NotPossible reason) {
                    study.skip(of + ", run " + run, reason.getMessage());
                }
                progress.is((double) done / (runs * all.size()));
            }
        }
    }

    private static List<GatewayRun.Setting> settings(Options options, Study study)
            throws IOException, InterruptedException {
        TreeMap<Integer, Path> homes = Jvm.homes();
        List<GatewayRun.Setting> settings = new ArrayList<>();
        String notPinned = Placement.whyNot();
        for (String placement : options.list("placements", "free,pinned")) {
            boolean pinned = placement.equals("pinned");
            if (pinned && notPinned != null) {
                study.skip("pinned", notPinned);
                continue;
            }
            for (String neighbour : options.list("neighbours", "quiet,noisy")) {
                for (Jvm jvm : jvms(options, homes, settings.isEmpty() ? study : null)) {
                    for (String drain : options.list("drains", "inner")) {
                        settings.add(new GatewayRun.Setting(
                                jvm, new Placement(pinned), neighbour.equals("noisy"), drain.equals("external")));
                    }
                }
            }
        }
        return settings;
    }

    /** @param study null: the report lists already what is missing */
    private static List<Jvm> jvms(Options options, TreeMap<Integer, Path> homes, Study study)
            throws IOException, InterruptedException {
        List<Jvm> jvms = new ArrayList<>();
        for (String version : options.list("jdks", "17,25")) {
            for (String collector : options.list("collectors", "G1,Parallel,Z,Shenandoah")) {
                Path home = homes.get(Integer.parseInt(version));
                Jvm jvm = new Jvm(home, Integer.parseInt(version), collector);
                if (home != null && jvm.hasCollector()) {
                    jvms.add(jvm);
                } else if (study != null) {
                    study.skip(
                            jvm.toString(), home == null ? "there is no such JDK" : "this JDK has no such collector");
                }
            }
        }
        return jvms;
    }

    private static void tell(GatewayRun.Setting setting, Measured measured, Study study) {
        if (measured.response.getTotalCount() == 0) {
            return;
        }
        Map<String, Object> json = TargetResult.spreadOf(setting.toString(), measured.response);
        json.put("jvm", setting.jvm().toString());
        json.put("pinned", setting.placement().pinned());
        json.put("noisy", setting.noisy());
        json.put("drainedOutside", setting.drainedOutside());
        json.put("p99.9OfRuns", measured.tails);
        json.put("lateP99.9", measured.late.getValueAtPercentile(99.9));
        study.add(json);
        Figures.print("jvm", setting.toString(), measured.response);
    }
}
