// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.study;

import io.burstlog.bench.harness.Environment;
import io.burstlog.bench.harness.OpenLoop;
import io.burstlog.bench.harness.Options;
import io.burstlog.bench.harness.Progress;
import io.burstlog.bench.harness.Study;
import io.burstlog.bench.harness.Target;
import io.burstlog.bench.harness.TargetResult;
import io.burstlog.bench.harness.Turns;
import io.burstlog.bench.subject.Media;
import io.burstlog.bench.subject.Targets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * The load spectrum: messages at a constant rate. A round has a block of each target at each level, and begins one
 * further than the round before. So a slow moment of the machine is in one block of all targets and levels, and a
 * figure is the median of the blocks, with its quartiles. The capacity is measured anew in each round, since a shared
 * disk takes more in one minute than in another.
 */
public final class LoadStudy {

    private static final String LEVELS = "5,10,20,40,60,80,90,100";

    /** Ten of them lie beyond the p99 of a block. */
    static final int LEAST_MESSAGES = 1_000;

    /** Fewer rounds have no quartiles worth a name. */
    static final int LEAST_ROUNDS = 5;

    private LoadStudy() {}

    public static void run(Options options) throws Exception {
        Media media = new Media(options);
        Study study = new Study(
                "load",
                "load",
                options.text("title", "Load spectrum"),
                Environment.describe(media.directory(), media.devices()));
        int warmUp = options.number("warm-up", 5_000);
        double blockSeconds = options.number("millis", 300) / 1e3;
        int seconds = options.number("seconds", 120);
        study.with("bytes", media.bytes()).with("secondsOfBlock", blockSeconds);
        try (Targets targets = new Targets(media)) {
            List<Target> open = targets.open(options.list("targets", ""), study);
            for (Target target : open) {
                capacity(target, warmUp);
            }
            List<Level> levels = new ArrayList<>();
            for (String percent : options.list("levels", LEVELS)) {
                open.forEach(target -> levels.add(new Level(target, Integer.parseInt(percent))));
            }
            int rounds = measure(open, levels, blockSeconds, seconds);
            study.with("rounds", rounds);
            levels.forEach(level -> study.add(level.toJson()));
        }
        study.write(options.path("out", "target/bench"));
    }

    /** Ends with the round that reaches the seconds. Returns the number of rounds. */
    private static int measure(List<Target> open, List<Level> levels, double blockSeconds, int seconds)
            throws Exception {
        Progress progress = new Progress("load");
        long begin = System.nanoTime();
        int round = 0;
        for (double passed = 0; round < LEAST_ROUNDS || passed < seconds; round++) {
            Map<Target, Double> capacities = new LinkedHashMap<>();
            for (Target target : open) {
                capacities.put(target, capacity(target, LEAST_MESSAGES));
            }
            for (Level level : Turns.of(levels, round)) {
                level.block(capacities.get(level.target), blockSeconds);
            }
            passed = (System.nanoTime() - begin) / 1e9;
            progress.is(passed / seconds);
        }
        return round;
    }

    /** Messages a second, if each is sent as soon as the one before has returned. */
    private static double capacity(Target target, int messages) throws Exception {
        long[] nanos = new long[messages];
        long begin = System.nanoTime();
        target.run(0, nanos);
        long took = System.nanoTime() - begin;
        target.settle();
        return messages * 1e9 / took;
    }

    /** One target at one part of its capacity: all blocks. */
    static final class Level {

        private static final List<Double> PERCENTILES = List.of(50.0, 99.0);

        private final Target target;
        private final int percent;
        private final OpenLoop.Clock clock;
        private final Histogram service = TargetResult.emptyHistogram();
        private final Histogram response = TargetResult.emptyHistogram();
        private final List<Double> capacities = new ArrayList<>();
        private final List<Double> reached = new ArrayList<>();
        private final Map<String, List<Double>> figures = new LinkedHashMap<>();

        Level(Target target, int percent) {
            this(target, percent, OpenLoop.SPINNING);
        }

        Level(Target target, int percent, OpenLoop.Clock clock) {
            this.target = target;
            this.percent = percent;
            this.clock = clock;
        }

        void block(double capacity, double seconds) throws Exception {
            double perSecond = capacity * percent / 100;
            OpenLoop loop = new OpenLoop(clock);
            loop.run(target, perSecond, Math.max(LEAST_MESSAGES, (int) (perSecond * seconds)));
            target.settle();
            capacities.add(capacity);
            reached.add(loop.reachedPerSecond());
            for (double percentile : PERCENTILES) {
                figure("response p%.0f", percentile, loop.response());
                figure("service p%.0f", percentile, loop.service());
            }
            service.add(loop.service());
            response.add(loop.response());
        }

        private void figure(String name, double percentile, Histogram histogram) {
            figures.computeIfAbsent(name.formatted(percentile), first -> new ArrayList<>())
                    .add((double) histogram.getValueAtPercentile(percentile));
        }

        Map<String, Object> toJson() {
            Map<String, Object> json = new LinkedHashMap<>();
            json.put("name", target.name() + " " + percent + "%");
            json.put("target", target.name());
            json.put("percentOfCapacity", percent);
            json.put("messages", response.getTotalCount());
            json.put("capacityPerSecond", capacities);
            json.put("reachedPerSecond", reached);
            json.put("figuresOfBlocks", figures);
            json.put("service", TargetResult.figuresOf(target.name() + " service", service));
            json.put("response", TargetResult.figuresOf(target.name() + " response", response));
            // a level's .hgrm shows response time
            json.put("histogram", TargetResult.figuresOf("response", response).get("histogram"));
            Figures.print("load", target.name() + " " + percent + "%", response);
            return json;
        }
    }
}
