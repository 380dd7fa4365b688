// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.study;

import io.burstlog.bench.fix.GatewayRun;
import io.burstlog.bench.fix.Jvm;
import io.burstlog.bench.fix.MarketOpen;
import io.burstlog.bench.fix.Placement;
import io.burstlog.bench.harness.Environment;
import io.burstlog.bench.harness.Options;
import io.burstlog.bench.harness.Study;
import io.burstlog.bench.subject.FileSystems;
import io.burstlog.bench.subject.Media;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The clients of a FIX gateway feel how it logs: measured from an order's own time to its confirmation. One study
 * compares appenders, with many clients, free and pinned; the other one file systems below all files of a gateway with
 * one client.
 */
public final class GatewayStudy {

    /** A force for each log call takes its time: at the recorded rate the gateway would be overloaded by it. */
    private static final int SLOWER = 4;

    /** Appender and medium of each way to log. */
    private enum Way {
        FILE("File", null),
        FORCE("Force", null),
        BURST_DISK("Burst", "ssd"),
        BURST_DEVICE("Burst", "device");

        private final String appender;
        private final String medium;

        Way(String appender, String medium) {
            this.appender = appender;
            this.medium = medium;
        }

        /** As targets of the other studies are named, whose losses were counted. */
        private String target() {
            return switch (this) {
                case FILE -> "log4j-file-flush";
                case FORCE -> "log4j-force";
                case BURST_DISK, BURST_DEVICE -> "log4j-burst@" + medium;
            };
        }
    }

    private GatewayStudy() {}

    public static void run(Options options) throws Exception {
        Media media = new Media(options);
        int sessions = options.number("sessions", 25);
        Study study = new Study(
                "gateway",
                "gateway",
                "FIX gateway, " + sessions + " clients",
                Environment.describe(media.directory(), media.devices()));
        study.with("sessions", sessions).with("events", 3).with("slower", SLOWER);
        Map<Way, Media.Ring> rings = new LinkedHashMap<>();
        for (Way way : Way.values()) {
            try {
                rings.put(way, way.medium == null ? null : media.ring(way.medium, "gateway"));
            } catch (Media.NotPossible reason) {
                study.skip(way.target(), reason.getMessage());
            }
        }
        String notPinned = Placement.whyNot();
        if (notPinned != null) {
            study.skip("pinned", notPinned);
        }
        List<GatewayTurns.Case> cases = new ArrayList<>();
        for (String neighbour : options.list("neighbours", "quiet,noisy")) {
            for (boolean pinned : notPinned == null ? new boolean[] {false, true} : new boolean[] {false}) {
                rings.forEach((way, ring) -> {
                    boolean noisy = neighbour.equals("noisy");
                    cases.add(new GatewayTurns.Case(
                            "%s, %s, %s".formatted(way.target(), pinned ? "pinned" : "free", neighbour),
                            setting(new GatewayRun.Kind(sessions, way.appender, true), new Placement(pinned), noisy),
                            ring,
                            media.directory(),
                            Map.of("target", way.target(), "pinned", pinned, "noisy", noisy)));
                });
            }
        }
        int runs = options.number("runs", 3);
        int millis = GatewayTurns.millis(options.number("seconds", 240), cases.size(), runs);
        MarketOpen load = MarketOpen.slowed(SLOWER, millis);
        GatewayTurns.measure(study, "gateway", cases, runs, options.number("warm-up", 6000), load, media);
        study.write(options.path("out", "target/bench"));
    }

    /** One client, a steady rate; ring, log file and message store on one file system after the other. */
    public static void runFileSystems(Options options) throws Exception {
        Media media = new Media(options);
        int rate = options.number("rate", 1000);
        Study study = new Study(
                "gateway-file-systems",
                "gateway",
                "FIX gateway on each file system",
                Environment.describe(media.directory(), media.devices()));
        study.with("sessions", 1).with("events", 1).with("rate", rate);
        List<GatewayTurns.Case> cases = new ArrayList<>();
        for (String type : options.list("systems", "tmpfs,ext2,ext3,ext4,xfs,btrfs,ramfs")) {
            try {
                Path folder = FileSystems.mount(type, media.directory());
                for (String appender : List.of("File", "Burst")) {
                    cases.add(new GatewayTurns.Case(
                            appender + " on " + type,
                            setting(new GatewayRun.Kind(1, appender, false), new Placement(false), false),
                            appender.equals("Burst") ? new Media.Ring(folder.resolve("gateway.ring"), "auto") : null,
                            folder,
                            Map.of("appender", appender, "system", type)));
                }
            } catch (IOException | Media.NotPossible reason) {
                study.skip(type, String.valueOf(reason.getMessage()));
            }
        }
        int runs = options.number("runs", 3);
        int millis = Math.min(60_000 / runs, GatewayTurns.millis(options.number("seconds", 120), cases.size(), runs));
        GatewayTurns.measure(
                study,
                "gateway-file-systems",
                cases,
                runs,
                options.number("warm-up", 6000),
                MarketOpen.steady(rate, millis),
                media);
        study.write(options.path("out", "target/bench"));
    }

    private static GatewayRun.Setting setting(GatewayRun.Kind kind, Placement placement, boolean noisy) {
        Jvm jvm = new Jvm(
                Path.of(System.getProperty("java.home")), Runtime.version().feature(), "G1");
        return new GatewayRun.Setting(kind, jvm, placement, noisy, false);
    }
}
