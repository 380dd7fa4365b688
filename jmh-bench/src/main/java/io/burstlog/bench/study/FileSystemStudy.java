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
import io.burstlog.bench.subject.FileSystems;
import io.burstlog.bench.subject.Media;
import io.burstlog.bench.subject.Targets;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A steady load through Log4j. Its ring is on one file system after the other, with its log file on the disk of the
 * run; then the other way round. The targets take turns of a second, as an open loop: response time counts from the
 * intended time.
 */
public final class FileSystemStudy {

    private static final String HERE = "the run's own";

    private FileSystemStudy() {}

    public static void run(Options options) throws Exception {
        Media media = new Media(options);
        int seconds = options.number("seconds", 60);
        int rate = options.number("rate", 1000);
        Study study = new Study(
                "file-systems",
                "file-systems",
                "File systems below ring and log file",
                Environment.describe(media.directory(), media.devices()));
        study.with("bytes", media.bytes()).with("seconds", seconds).with("rate", rate);
        Map<Target, OpenLoop> loops = new LinkedHashMap<>();
        try (Targets targets = new Targets(media)) {
            open(HERE, media.directory(), media, targets, study, loops);
            for (String type : options.list("systems", "ext2,ext3,ext4,xfs,btrfs,tmpfs,ramfs")) {
                try {
                    open(type, FileSystems.mount(type, media.directory()), media, targets, study, loops);
                } catch (IOException | Media.NotPossible reason) {
                    study.skip(type, String.valueOf(reason.getMessage()));
                }
            }
            Progress progress = new Progress("file-systems");
            for (int second = -1; second < seconds; second++) {
                Progress.Part part = progress.part(second + 1, seconds + 1);
                int turn = 0;
                for (Target target : Turns.of(List.copyOf(loops.keySet()), second + 1)) {
                    OpenLoop loop = second < 0 ? new OpenLoop(OpenLoop.SPINNING) : loops.get(target); // warm-up
                    loop.run(target, rate, rate);
                    target.settle();
                    part.is((double) ++turn / loops.size());
                }
            }
            loops.forEach((target, loop) -> {
                study.add(TargetResult.spreadOf(target.name(), loop.response()));
                Figures.print("file-systems", target.name(), loop.response());
            });
        }
        study.write(options.path("out", "target/bench"));
    }

    private static void open(
            String type, Path folder, Media media, Targets targets, Study study, Map<Target, OpenLoop> loops)
            throws IOException {
        for (String what : type.equals(HERE) ? new String[] {"ring and log"} : new String[] {"ring", "log"}) {
            String name = what + " on " + type;
            String file = Study.fileName(name);
            try {
                Path ring = (what.equals("log") ? media.directory() : folder).resolve(file + ".ring");
                Path log = (what.equals("ring") ? media.directory() : folder).resolve(file + ".log");
                loops.put(targets.openBurst(name, ring, log), new OpenLoop(OpenLoop.SPINNING));
            } catch (Media.NotPossible reason) {
                study.skip(name, reason.getMessage());
            }
        }
    }
}
