// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.study;

import io.burstlog.bench.harness.Environment;
import io.burstlog.bench.harness.Options;
import io.burstlog.bench.harness.Rounds;
import io.burstlog.bench.harness.Study;
import io.burstlog.bench.harness.Target;
import io.burstlog.bench.harness.TargetResult;
import io.burstlog.bench.subject.Media;
import io.burstlog.bench.subject.Targets;
import java.util.List;

/** The time that one thread waits for each message, one message after the other. */
public final class LatencyStudy {

    private LatencyStudy() {}

    public static void run(Options options) throws Exception {
        String name = options.required("study");
        Media media = new Media(options);
        Study study = new Study(
                name, "latency", options.text("title", name), Environment.describe(media.directory(), media.devices()));
        int block = options.number("block", 2000);
        int warmUp = options.number("warm-up", 20_000);
        int messages = options.number("messages", 1_000_000);
        long seconds = options.number("seconds", 3600);
        study.with("bytes", media.bytes()).with("blockMessages", block);
        study.with("baseline", options.text("baseline", ""));
        try (Targets targets = new Targets(media)) {
            List<Target> open = targets.open(options.list("targets", ""), study);
            Rounds rounds = new Rounds(name, block, warmUp, messages, seconds * 1_000_000_000L);
            List<TargetResult> results = rounds.measure(open, System::nanoTime);
            for (TargetResult result : results) {
                study.add(result.toJson());
                Figures.print(name, result.name(), result.histogram());
            }
            Figures.printRatios(name, options.text("baseline", ""), results);
        }
        study.write(options.path("out", "target/bench"));
    }
}
