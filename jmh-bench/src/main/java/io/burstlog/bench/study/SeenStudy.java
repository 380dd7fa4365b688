// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.study;

import io.burstlog.bench.harness.ChildJvm;
import io.burstlog.bench.harness.Environment;
import io.burstlog.bench.harness.Options;
import io.burstlog.bench.harness.Rounds;
import io.burstlog.bench.harness.Study;
import io.burstlog.bench.harness.TargetResult;
import io.burstlog.bench.seen.Passing;
import io.burstlog.bench.seen.SeenTarget;
import io.burstlog.bench.subject.Media;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** The time from a message's being durable, or passed on, until another process has it. */
public final class SeenStudy {

    private SeenStudy() {}

    public static void run(Options options) throws Exception {
        Media media = new Media(options);
        Study study = new Study(
                "seen",
                "seen",
                options.text("title", "From durable to seen, in another process"),
                Environment.describe(media.directory(), media.devices()));
        int block = options.number("block", 2000);
        int messages = options.number("messages", 1_000_000);
        int pause = options.number("pause-us", 20);
        study.with("bytes", media.bytes()).with("blockMessages", block).with("pauseMicros", pause);
        List<SeenTarget> open = new ArrayList<>();
        try {
            for (String way : options.list("ways", Passing.ALL)) {
                try {
                    open.add(open(way, media, block, pause * 1000L));
                } catch (Media.NotPossible reason) {
                    study.skip(way, reason.getMessage());
                }
            }
            Rounds rounds = new Rounds(
                    "seen",
                    block,
                    options.number("warm-up", 20_000),
                    messages,
                    options.number("seconds", 3600) * 1_000_000_000L);
            List<TargetResult> results = rounds.measure(open, System::nanoTime);
            for (int i = 0; i < results.size(); i++) {
                Map<String, Object> json = results.get(i).toJson();
                Histogram seen = results.get(i).histogram();
                json.putAll(open.get(i).more(seen.getTotalCount()));
                study.add(json);
                Figures.print("seen", open.get(i).name(), seen);
            }
        } finally {
            for (SeenTarget each : open) {
                each.close();
            }
        }
        media.clear();
        study.write(options.path("out", "target/bench"));
    }

    private static SeenTarget open(String way, Media media, int block, long pauseNanos) throws Exception {
        Path folder = Files.createDirectories(media.file(Study.fileName(way)));
        Media.Ring ring = way.contains("@") ? media.ring(way.replaceFirst(".*@", ""), Study.fileName(way)) : null;
        Path times = Files.createDirectories(media.memory()).resolve(Study.fileName(way) + ".times");
        Passing.Writer writer = Passing.of(way, ring, folder, media.memory()).writer();
        List<String> command = new ArrayList<>(ChildJvm.command());
        command.addAll(
                List.of("seen-reader", "--way", way, "--folder", folder.toString(), "--times", times.toString()));
        command.addAll(
                List.of("--messages", "" + block, "--memory", media.memory().toString()));
        if (ring != null) {
            command.addAll(List.of("--ring", ring.path().toString(), "--io", ring.io()));
        }
        return new SeenTarget(way, writer, new ProcessBuilder(command), times, block, pauseNanos, media.bytes());
    }

    /** The child. */
    public static void runReader(Options options) throws Exception {
        Media.Ring ring = options.text("ring", "").isEmpty()
                ? null
                : new Media.Ring(options.path("ring", ""), options.required("io"));
        Passing passing =
                Passing.of(options.required("way"), ring, options.path("folder", ""), options.path("memory", ""));
        try (Passing.Reader reader = passing.reader()) {
            SeenTarget.serve(
                    reader,
                    SeenTarget.times(options.path("times", ""), options.number("messages", 0)),
                    new BufferedReader(new InputStreamReader(System.in)));
        }
    }
}
