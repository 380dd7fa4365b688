// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.study;

import io.burstlog.Binding;
import io.burstlog.BurstLog;
import io.burstlog.bench.harness.Environment;
import io.burstlog.bench.harness.Options;
import io.burstlog.bench.harness.Rounds;
import io.burstlog.bench.harness.Study;
import io.burstlog.bench.harness.Target;
import io.burstlog.bench.harness.TargetResult;
import io.burstlog.bench.subject.BurstTarget;
import io.burstlog.bench.subject.Media;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The drain's cost for threads that append. The same log runs with a drain that looks every millisecond, then with one
 * that has nothing to do: a block of messages does not fill an eighth of the ring, and is over before the interval.
 */
public final class DrainStudy {

    private static final Duration BUSY = Duration.ofMillis(1);
    private static final Duration IDLE = Duration.ofMinutes(10);

    private DrainStudy() {}

    public static void run(Options options) throws Exception {
        Media media = new Media(options);
        Study study = new Study(
                "drain",
                "latency",
                options.text("title", "Append with the drain busy and idle"),
                Environment.describe(media.directory(), media.devices()));
        int block = options.number("block", 1_500);
        study.with("bytes", media.bytes()).with("blockMessages", block).with("baseline", "");
        List<Target> targets = new ArrayList<>();
        for (String medium : options.list("media", "ssd,device")) {
            try {
                targets.add(target("drain-busy@" + medium, medium, BUSY, media));
                targets.add(target("drain-idle@" + medium, medium, IDLE, media));
            } catch (Media.NotPossible reason) {
                study.skip("drain@" + medium, reason.getMessage());
            }
        }
        Rounds rounds = new Rounds(
                "drain",
                block,
                options.number("warm-up", 20_000),
                options.number("messages", 1_000_000),
                options.number("seconds", 3600) * 1_000_000_000L);
        for (TargetResult result : rounds.measure(targets, System::nanoTime)) {
            study.add(result.toJson());
            Figures.print("drain", result.name(), result.histogram());
        }
        for (Target target : targets) {
            target.close();
        }
        study.write(options.path("out", "target/bench"));
    }

    private static Target target(String name, String medium, Duration interval, Media media) throws Media.NotPossible {
        String file = Study.fileName(name);
        Media.Ring ring = media.ring(medium, file);
        BurstLog log = BurstTarget.open(ring.path(), ring.io(), media.file(file + ".log"), Binding.JNI, interval);
        return new BurstTarget(name, log, true, media.bytes());
    }
}
