// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.study;

import com.sun.jna.Function;
import io.burstlog.bench.harness.ChildJvm;
import io.burstlog.bench.harness.Environment;
import io.burstlog.bench.harness.Options;
import io.burstlog.bench.harness.Progress;
import io.burstlog.bench.harness.Study;
import io.burstlog.bench.harness.Target;
import io.burstlog.bench.subject.Media;
import io.burstlog.bench.subject.Targets;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The losses of each peer in a crash, not by its manual: a child process under strace writes events and gets SIGKILL
 * right behind the last one. The study counts what it asked the kernel to sync, and how many of its events are left.
 */
public final class SyncStudy {

    static final String BEGIN = "/mark/begin";
    static final String END = "/mark/end";

    private static final int SIGKILL = 9;
    private static final int KILLED = 128 + SIGKILL; // strace ends as its child did

    private SyncStudy() {}

    public static void run(Options options) throws Exception {
        Media media = new Media(options);
        Study study = new Study(
                "syncs",
                "syncs",
                options.text("title", "What a crash would lose"),
                Environment.describe(media.directory(), media.devices()));
        int events = options.number("events", 1000);
        study.with("events", events);
        String refused = whyNoStrace();
        List<String> targets = options.list("targets", "");
        Progress progress = new Progress("syncs");
        for (int i = 0; i < targets.size(); i++) {
            String target = targets.get(i);
            if (refused != null) {
                study.skip(target, refused);
                continue;
            }
            System.out.println("syncs        " + target);
            trace(target, events, media, study, options.text("devices", ""));
            progress.is((i + 1.0) / targets.size());
        }
        media.clear();
        study.write(options.path("out", "target/bench"));
    }

    /**
     * The child: it writes twice as many events, half of them between two marks in the trace, and kills itself. Behind
     * its last call nothing comes that would leave other threads of it time to write.
     */
    public static void runTraced(Options options) throws Exception {
        Targets targets = new Targets(new Media(options));
        int events = options.number("events", 1000);
        Target target;
        try {
            target = targets.open(options.required("target"));
        } catch (Media.NotPossible reason) {
            System.out.println("!!!! " + reason.getMessage());
            System.out.flush();
            Runtime.getRuntime().halt(3);
            return;
        }
        Function kill = Function.getFunction("c", "kill");
        int self = Math.toIntExact(ProcessHandle.current().pid());
        kill.invokeInt(new Object[] {self, 0}); // all that a first call takes
        int before = events / 2;
        for (int i = 0; i < before; i++) {
            target.write(i);
        }
        new File(BEGIN).exists();
        target.run(before, new long[events]); // at once: a peer in a process of its own has no rest between them
        new File(END).exists();
        target.run(before + events, new long[events - before]);
        target.kill();
        kill.invokeInt(new Object[] {self, SIGKILL});
    }

    private static void trace(String target, int events, Media media, Study study, String devices) throws Exception {
        String run = Study.fileName(target);
        Path directory = Files.createDirectories(media.file("syncs-" + run));
        Path trace = media.file("syncs-" + run + ".strace");
        String memory = media.memory().toString();
        List<String> command = new ArrayList<>(List.of(
                "strace", "-f", "-qq", "-y", "-s", "100", "-e", "trace=" + SyncTrace.CALLS, "-o", trace.toString()));
        command.addAll(ChildJvm.command());
        command.addAll(List.of(
                "traced",
                "--target",
                target,
                "--events",
                "" + events,
                "--dir",
                directory.toString(),
                "--memory",
                memory,
                "--devices",
                devices,
                "--bytes",
                "" + media.bytes()));
        Path said = media.file("syncs-" + run + ".out");
        Process child = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        if (!child.waitFor(5, TimeUnit.MINUTES)) {
            child.destroyForcibly();
            study.skip(target, "the traced child did not end within 5 minutes");
            return;
        }
        if (child.exitValue() != KILLED) {
            study.skip(target, "the traced child ended with " + child.exitValue() + ": " + lastLine(said));
            return;
        }
        // For Burstlog only the ring counts: the drain's calls for the log file come in addition.
        Predicate<String> counts = target.contains("@")
                ? file -> file.endsWith(".ring") || file.startsWith("/dev/")
                : file -> file.startsWith(directory.toString());
        Map<String, Object> counted = SyncTrace.read(trace, counts).toJson(target);
        Media same = new Media(
                new Options(List.of("--dir", directory.toString(), "--memory", memory, "--devices", devices)));
        long found = new Targets(same).found(target);
        counted.put("events", events);
        counted.put("lostByProcessDeath", 2L * events - found);
        counted.put("eventsBeforeDeath", 2L * events);
        study.add(counted);
        System.out.println("syncs        " + counted);
    }

    private static String whyNoStrace() throws InterruptedException {
        try {
            Process probe = new ProcessBuilder("strace", "-qq", "-o", "/dev/null", "true")
                    .redirectErrorStream(true)
                    .start();
            String said = new String(probe.getInputStream().readAllBytes()).strip();
            return probe.waitFor() == 0 ? null : "strace cannot run here: " + said;
        } catch (IOException missing) {
            return "strace is not installed";
        }
    }

    private static String lastLine(Path file) throws IOException {
        try (Stream<String> lines = Files.lines(file)) {
            return lines.filter(line -> !line.isBlank())
                    .reduce((first, second) -> second)
                    .orElse("it said nothing");
        }
    }
}
