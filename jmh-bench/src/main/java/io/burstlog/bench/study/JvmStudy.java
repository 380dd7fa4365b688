// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.study;

import io.burstlog.bench.fix.GatewayRun;
import io.burstlog.bench.fix.Jvm;
import io.burstlog.bench.fix.MarketOpen;
import io.burstlog.bench.fix.Placement;
import io.burstlog.bench.harness.Environment;
import io.burstlog.bench.harness.Options;
import io.burstlog.bench.harness.Study;
import io.burstlog.bench.subject.Media;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The effect of JVM, collector, processors and the place of the drain on a client that waits for its confirmation: the
 * demo's FIX gateway, under orders that come at their own recorded times. Each run has a JVM of its own, and all
 * settings take turns.
 */
public final class JvmStudy {

    private JvmStudy() {}

    public static void run(Options options) throws Exception {
        Media media = new Media(options);
        String name = options.text("study", "jvm");
        Study study = new Study(
                name,
                "jvm",
                options.text("title", "JVMs and collectors"),
                Environment.describe(media.directory(), media.devices()));
        Media.Ring ring;
        try {
            ring = media.ring("device", "jvm");
        } catch (Media.NotPossible reason) {
            study.skip("ring on a fast device", reason.getMessage() + "; the ring is a file on the disk");
            ring = media.ring("ssd", "jvm");
        }
        study.with("ring", ring.path().toString());
        List<GatewayTurns.Case> cases = new ArrayList<>();
        for (GatewayRun.Setting setting : settings(options, study)) {
            cases.add(new GatewayTurns.Case(
                    setting.toString(),
                    setting,
                    ring,
                    media.directory(),
                    Map.of(
                            "jvm", setting.jvm().toString(),
                            "pinned", setting.placement().pinned(),
                            "noisy", setting.noisy(),
                            "drainedOutside", setting.drainedOutside())));
        }
        GatewayTurns.measure(
                study,
                name,
                cases,
                options.number("runs", 3),
                options.number("warm-up", 6000),
                MarketOpen.from(options),
                media);
        study.write(options.path("out", "target/bench"));
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
                                GatewayRun.Kind.DEMO,
                                jvm,
                                new Placement(pinned),
                                neighbour.equals("noisy"),
                                drain.equals("external")));
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
}
