// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.study;

import io.burstlog.bench.harness.Environment;
import io.burstlog.bench.harness.Options;
import io.burstlog.bench.harness.Rounds;
import io.burstlog.bench.harness.Study;
import io.burstlog.bench.harness.Target;
import io.burstlog.bench.harness.TargetResult;
import io.burstlog.bench.subject.Media;
import io.burstlog.bench.subject.PgTestFsync;
import io.burstlog.bench.subject.Targets;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

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
        List<String> names = new ArrayList<>(options.list("targets", ""));
        boolean averages = names.remove(PgTestFsync.NAME);
        try (Targets targets = new Targets(media)) {
            List<Target> open = targets.open(names, study);
            Rounds rounds = new Rounds(name, block, warmUp, messages, seconds * 1_000_000_000L);
            List<TargetResult> results = rounds.measure(open, System::nanoTime);
            for (TargetResult result : results) {
                study.add(result.toJson());
                Figures.print(name, result.name(), result.histogram());
            }
            Figures.printRatios(name, options.text("baseline", ""), results);
        }
        if (averages) {
            addAverage(study, media);
        }
        study.write(options.path("out", "target/bench"));
    }

    /** An average is all that it says. */
    private static void addAverage(Study study, Media media) throws IOException {
        try {
            double nanos = PgTestFsync.averageNanos(media);
            System.out.printf("%-12s %-26s us: average %10.3f%n", "pg_test_fsync", "fdatasync of 8 kB", nanos / 1e3);
            study.with("averages", List.of(Map.of("name", PgTestFsync.NAME, "average", nanos)));
        } catch (Media.NotPossible reason) {
            study.skip(PgTestFsync.NAME, reason.getMessage());
        }
    }
}
