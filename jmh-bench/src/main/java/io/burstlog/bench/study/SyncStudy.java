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
 * The losses of each peer in a crash, not by its manual: a child process writes events and gets SIGKILL right behind
 * the last one. The study counts how many of its events are left. How many are on their way at that moment is chance,
 * so the most that one of several children lost counts. The first child runs under strace, and the study counts what it
 * asked the kernel to sync.
 */
public final class SyncStudy {

    static final String BEGIN = "/mark/begin";
    static final String END = "/mark/end";

    private static final int KILLS = 5;
    private static final int SIGKILL = 9;
    private static final int KILLED = 128 + SIGKILL; // strace ends as its child did

    /** The target lost its place in the table; the message says why. */
    private static final class Refused extends Exception {
        private static final long serialVersionUID = 1;

        Refused(String message) {
            super(message);
        }
    }

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
            try {
                Map<String, Object> counted = kill(target, events, media, options.text("devices", ""));
                study.add(counted);
                System.out.println("syncs        " + counted);
            } catch (Refused reason) {
                study.skip(target, reason.getMessage());
            }
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

    private static Map<String, Object> kill(String target, int events, Media media, String devices) throws Exception {
        Path trace = media.file("syncs-" + Study.fileName(target) + ".strace");
        Map<String, Object> counted = null;
        long fewest = Long.MAX_VALUE;
        for (int kill = 0; kill < KILLS; kill++) {
            Path directory = Files.createDirectories(media.file("syncs-" + Study.fileName(target) + "-" + kill));
            List<String> options = List.of(
                    "--dir", directory.toString(), "--memory", media.memory().toString(), "--devices", devices);
            List<String> command = new ArrayList<>();
            if (kill == 0) {
                command.addAll(List.of(
                        "strace",
                        "-f",
                        "-qq",
                        "-y",
                        "-s",
                        "100",
                        "-e",
                        "trace=" + SyncTrace.CALLS,
                        "-o",
                        trace.toString()));
            }
            command.addAll(ChildJvm.command());
            command.addAll(
                    List.of("traced", "--target", target, "--events", "" + events, "--bytes", "" + media.bytes()));
            command.addAll(options);
            await(command, media.file("syncs-" + Study.fileName(target) + ".out"));
            if (kill == 0) {
                // For Burstlog only the ring counts: the drain's calls for the log file come in addition.
                Predicate<String> counts = target.contains("@")
                        ? file -> file.endsWith(".ring") || file.startsWith("/dev/")
                        : file -> file.startsWith(directory.toString());
                counted = SyncTrace.read(trace, counts).toJson(target);
            }
            fewest = Math.min(fewest, new Targets(new Media(new Options(options))).found(target));
        }
        counted.put("events", events);
        counted.put("kills", KILLS);
        counted.put("lostByProcessDeath", 2L * events - fewest);
        counted.put("eventsBeforeDeath", 2L * events);
        return counted;
    }

    /** Returns when the child was killed. */
    private static void await(List<String> command, Path said) throws Exception {
        Process child = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        if (!child.waitFor(5, TimeUnit.MINUTES)) {
            child.destroyForcibly();
            throw new Refused("the child that was to be killed did not end within 5 minutes");
        }
        if (child.exitValue() != KILLED) {
            throw new Refused(
                    "the child that was to be killed ended with " + child.exitValue() + ": " + lastLine(said));
        }
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
