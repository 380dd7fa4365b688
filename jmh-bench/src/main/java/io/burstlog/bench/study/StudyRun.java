// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.study;

import io.burstlog.bench.subject.Media;
import io.burstlog.bench.subject.RunFolder;
import io.burstlog.bench.subject.Zram;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Runs studies by their names. Each step has a JVM of its own, and a folder that is removed afterwards. */
public final class StudyRun {

    private static final String JAR = "java -jar jmh-bench/target/benchmarks.jar";

    private final List<String> java;
    private final List<String> arguments;
    private final boolean full;
    private final Path parent;
    private final String out;

    /**
     * Reads the arguments. {@code --full} asks for full length, {@code --dir} names the folder below which rings and
     * log files go, and {@code --out} that of the results. All others go to each step, behind its own.
     *
     * @param flags of each JVM
     */
    public StudyRun(List<String> flags, List<String> given) {
        arguments = new ArrayList<>(given);
        full = arguments.remove("--full");
        parent = Path.of(take("--dir", "target/bench"));
        out = take("--out", "target/bench");
        java = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        java.addAll(flags);
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(flag -> flag.startsWith("-X") || flag.startsWith("-Dbench."))
                .forEach(java::add);
        java.addAll(List.of("-cp", System.getProperty("java.class.path"), "io.burstlog.bench.Main"));
    }

    private String take(String option, String otherwise) {
        int at = arguments.indexOf(option);
        if (at < 0 || at + 1 == arguments.size()) {
            return otherwise;
        }
        arguments.remove(at);
        return arguments.remove(at);
    }

    /** Returns the exit code of the first step that failed, or 0. */
    public int run(List<String> given) throws IOException, InterruptedException {
        Files.createDirectories(Path.of(out));
        int seconds = arguments.indexOf("--seconds") + 1;
        List<String> names = Studies.members(given, full, seconds > 0 ? arguments.get(seconds) : null);
        long begin = System.nanoTime();
        int failed = 0;
        for (int i = 0; i < names.size(); i++) {
            Duration passed = Duration.ofNanos(System.nanoTime() - begin);
            System.out.printf(
                    "== %s (%d of %d), after %d s: %s%n",
                    names.get(i), i + 1, names.size(), passed.toSeconds(), Studies.question(names.get(i)));
            List<Studies.Step> steps = Studies.steps(names.get(i), full, out);
            for (int step = 0; step < steps.size(); step++) {
                if (steps.size() > 1) { // each step estimates only its own time
                    System.out.printf("   %s, step %d of %d%n", names.get(i), step + 1, steps.size());
                }
                int code = run(names.get(i), steps.get(step));
                failed = failed == 0 ? code : failed;
            }
        }
        return failed;
    }

    /**
     * The command that measures the study's figures again.
     *
     * @param script that runs the jar, or empty
     */
    static String commandOf(String script, String study, boolean full, List<String> arguments) {
        List<String> size = full ? List.of("--full") : List.of();
        List<String> words = new ArrayList<>(script.isEmpty() ? List.of(JAR, study) : List.of(script));
        words.addAll(size);
        if (!script.isEmpty()) {
            words.add(study);
        }
        words.addAll(arguments);
        return String.join(" ", words);
    }

    private int run(String name, Studies.Step step) throws IOException, InterruptedException {
        try (RunFolder folder = RunFolder.in(parent)) {
            List<String> command = new ArrayList<>(java);
            command.add(
                    java.size() - 3,
                    "-Dbench.command=" + commandOf(System.getProperty("bench.script", ""), name, full, arguments));
            if (step.isJmh()) {
                command.add(java.size() - 3, "-Dbench.dir=" + folder.path());
                command.addAll(step.words());
            } else {
                command.add("run");
                command.addAll(step.words());
                command.addAll(List.of("--dir", folder.path().toString()));
                command.addAll(List.of("--memory", folder.memory().toString()));
                command.addAll(prepare(name, step, folder));
            }
            command.addAll(arguments);
            return new ProcessBuilder(command).inheritIO().start().waitFor();
        }
    }

    /** Leaves out devices and mounts that cannot be made here; the study skips what needs them. */
    private static List<String> prepare(String name, Studies.Step step, RunFolder folder) throws IOException {
        List<String> options = new ArrayList<>();
        try {
            if (step.mounts()) {
                options.addAll(List.of("--full", folder.mountTiny().toString()));
            }
            if (step.devices() > 0) {
                options.add("--devices");
                options.add(Zram.make(step.devices(), folder.path()).stream()
                        .map(Path::toString)
                        .collect(Collectors.joining(",")));
            }
        } catch (Media.NotPossible reason) {
            System.out.println("!!!! " + name + ": " + reason.getMessage());
            options.remove("--devices");
        }
        return options;
    }
}
