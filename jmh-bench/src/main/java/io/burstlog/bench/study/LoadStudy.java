// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.study;

import io.burstlog.bench.harness.Environment;
import io.burstlog.bench.harness.OpenLoop;
import io.burstlog.bench.harness.Options;
import io.burstlog.bench.harness.Progress;
import io.burstlog.bench.harness.Study;
import io.burstlog.bench.harness.Target;
import io.burstlog.bench.harness.TargetResult;
import io.burstlog.bench.subject.Media;
import io.burstlog.bench.subject.Targets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The load spectrum: messages at a constant rate, each level for all targets in turns. */
public final class LoadStudy {

    private static final String LEVELS = "2,5,10,20,40,60,80,90,100";

    /** A block with fewer messages has percentiles that say nothing, even for all blocks together. */
    private static final int LEAST_MESSAGES = 100;

    private LoadStudy() {}

    public static void run(Options options) throws Exception {
        Media media = new Media(options);
        Study study = new Study(
                "load",
                "load",
                options.text("title", "Load spectrum"),
                Environment.describe(media.directory(), media.devices()));
        int warmUp = options.number("warm-up", 5_000);
        double seconds = options.number("millis", 300) / 1e3;
        int blocks = options.number("blocks", 3);
        study.with("bytes", media.bytes()).with("blocks", blocks).with("secondsOfBlock", seconds);
        try (Targets targets = new Targets(media)) {
            List<Target> open = targets.open(options.list("targets", ""), study);
            Map<Target, Double> capacities = new LinkedHashMap<>();
            for (Target target : open) {
                capacities.put(target, capacity(target, warmUp));
                System.out.printf(
                        "load         %-26s capacity %,.0f messages/s%n", target.name(), capacities.get(target));
            }
            List<String> levels = options.list("levels", LEVELS);
            Progress progress = new Progress("load");
            for (int i = 0; i < levels.size(); i++) {
                measure(
                        capacities,
                        Integer.parseInt(levels.get(i)),
                        seconds,
                        blocks,
                        progress.part(i, levels.size()),
                        study);
            }
        }
        study.write(options.path("out", "target/bench"));
    }

    /** Messages a second, if each is sent as soon as the one before has returned. */
    private static double capacity(Target target, int messages) throws Exception {
        target.run(0, new long[messages]);
        target.settle();
        long[] nanos = new long[messages];
        long begin = System.nanoTime();
        target.run(messages, nanos);
        long took = System.nanoTime() - begin;
        target.settle();
        return messages * 1e9 / took;
    }

    private static void measure(
            Map<Target, Double> capacities,
            int percent,
            double seconds,
            int blocks,
            Progress.Part progress,
            Study study)
            throws Exception {
        Map<Target, OpenLoop> loops = new LinkedHashMap<>();
        capacities.keySet().forEach(target -> loops.put(target, new OpenLoop(OpenLoop.SPINNING)));
        int done = 0;
        for (int block = 0; block < blocks; block++) {
            for (Map.Entry<Target, OpenLoop> loop : loops.entrySet()) {
                double perSecond = capacities.get(loop.getKey()) * percent / 100;
                loop.getValue().run(loop.getKey(), perSecond, Math.max(LEAST_MESSAGES, (int) (perSecond * seconds)));
                loop.getKey().settle();
                progress.is((double) ++done / (blocks * loops.size()));
            }
        }
        for (Map.Entry<Target, OpenLoop> loop : loops.entrySet()) {
            study.add(level(loop.getKey().name(), percent, capacities.get(loop.getKey()), loop.getValue()));
        }
    }

    private static Map<String, Object> level(String target, int percent, double capacity, OpenLoop loop) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", target + " " + percent + "%");
        json.put("target", target);
        json.put("percentOfCapacity", percent);
        json.put("capacityPerSecond", capacity);
        json.put("reachedPerSecond", loop.reachedPerSecond());
        json.put("utilization", loop.utilization());
        json.put("service", TargetResult.figuresOf(target + " service", loop.service()));
        json.put("response", TargetResult.figuresOf(target + " response", loop.response()));
        json.put("histogram", responseHistogram(loop));
        Figures.print("load", target + " " + percent + "%", loop.response());
        return json;
    }

    /** A level's .hgrm shows response time. */
    private static Object responseHistogram(OpenLoop loop) {
        return TargetResult.figuresOf("response", loop.response()).get("histogram");
    }
}
