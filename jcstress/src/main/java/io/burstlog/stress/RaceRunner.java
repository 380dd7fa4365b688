// SPDX-License-Identifier: Apache-2.0
package io.burstlog.stress;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.openjdk.jcstress.JCStress;
import org.openjdk.jcstress.Options;
import org.openjdk.jcstress.infra.TestInfo;
import org.openjdk.jcstress.infra.collectors.TestResult;
import org.openjdk.jcstress.infra.runners.ForkedTestConfig;
import org.openjdk.jcstress.infra.runners.Runner;
import org.openjdk.jcstress.infra.runners.TestConfig;
import org.openjdk.jcstress.infra.runners.TestList;
import org.openjdk.jcstress.os.AffinityMode;
import org.openjdk.jcstress.os.NodeType;
import org.openjdk.jcstress.os.SchedulingClass;
import org.openjdk.jcstress.vm.CompileMode;

/**
 * Runs all race tests for a given time, and prints the result as the last line. The exit code is 0 if no outcome was
 * forbidden, 1 otherwise, 2 on wrong usage.
 *
 * <p>The first round runs in this JVM, so it costs only the tests' own time. If there is enough time, jcstress itself
 * follows: it starts a JVM for each test and each combination of interpreter, C1 and C2 for the two actors.
 */
public final class RaceRunner {

    /** These tests open a ring for each pair of actors: two pairs at once would want the same ring. */
    private static final Pattern ONE_PAIR_AT_A_TIME = Pattern.compile("ClosingLog|Appenders|FirstLoad");

    /** Enough for one JVM's rings, which have 322 MB, and all log files. */
    private static final long SPACE_BYTES = 2L << 30;

    private static final double LONGEST_FIRST_ROUND_SECONDS = 60;
    private static final double LONGEST_ROUND_SECONDS = 900;
    /** The engine keeps two small mappings of a closed log for late calls. A process may have 65,530 mappings. */
    private static final int MOST_RINGS_OF_A_JVM = 10_000;

    private static final long LONGEST_RUN_WITH_RINGS_MILLIS = 12_000;
    private static final double PATIENCE_SECONDS = 60;
    private static final double SECONDS_TO_PROBE_JVM = 6;
    private static final double SECONDS_TO_FORK = 1.3;
    private static final int FORKS_OF_A_TEST = 2 * 9;

    private final List<String> tests;
    private final Path directory;
    private final long end;
    private final Outcomes outcomes = new Outcomes();
    private volatile String running = "";

    private RaceRunner(double seconds, List<String> tests, Path directory) {
        this.tests = tests;
        this.directory = directory;
        this.end = System.nanoTime() + (long) (seconds * 1e9);
    }

    public static void main(String[] arguments) throws Exception {
        double seconds = 25;
        Pattern filter = Pattern.compile("");
        for (int i = 0; i < arguments.length; i += 2) {
            if (i + 1 == arguments.length
                    || !List.of("--seconds", "--seed", "--test").contains(arguments[i])) {
                System.err.println("Usage: [--seconds N] [--test REGEX]   (--seed N is accepted and has no effect)");
                System.exit(2);
            }
            switch (arguments[i]) {
                case "--seconds" -> seconds = Double.parseDouble(arguments[i + 1]);
                case "--test" -> filter = Pattern.compile(arguments[i + 1]);
                default -> {}
            }
        }
        List<String> tests =
                TestList.tests().stream().filter(filter.asPredicate()).sorted().toList();
        Path directory = Files.createTempDirectory(placeForRings(), "burstlog-stress");
        int exitCode;
        try {
            exitCode = new RaceRunner(seconds, tests, directory).run();
        } finally {
            delete(directory);
        }
        System.exit(exitCode);
    }

    /** In memory if there is enough: the races are in Java, and a disk would only slow them down. */
    private static Path placeForRings() throws IOException {
        Path memory = Path.of("/dev/shm");
        boolean enough = Files.isWritable(memory) && Files.getFileStore(memory).getUsableSpace() >= SPACE_BYTES;
        return enough ? memory : Path.of("").toAbsolutePath();
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> tree = Files.walk(directory)) {
            for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    private int run() throws Exception {
        System.setProperty(FreshRing.DIRECTORY_PROPERTY, directory.toString());
        watch();
        runHere(Math.min(left(), LONGEST_FIRST_ROUND_SECONDS));
        double start = 2 * SECONDS_TO_PROBE_JVM;
        double forks = FORKS_OF_A_TEST * tests.size();
        while (left() > start + 1.5 * SECONDS_TO_FORK * forks) {
            double each = (Math.min(left(), LONGEST_ROUND_SECONDS) - start) / forks - SECONDS_TO_FORK;
            runForked(true, Math.round(1000 * each));
            runForked(false, Math.round(1000 * each));
        }
        if (left() > tests.size()) {
            runHere(left());
        }
        return outcomes.report();
    }

    private double left() {
        return (end - System.nanoTime()) / 1e9;
    }

    /** Without this two threads that wait for each other would hold up everybody for ever. */
    private void watch() {
        Thread watch = new Thread(() -> {
            try {
                Thread.sleep((long) (1000 * (left() + PATIENCE_SECONDS)));
            } catch (InterruptedException nobodyDoes) {
                throw new AssertionError(nobodyDoes);
            }
            outcomes.addHang(running);
            Runtime.getRuntime().halt(outcomes.report());
        });
        watch.setDaemon(true);
        watch.start();
    }

    private void runHere(double seconds) throws Exception {
        for (String test : tests) {
            runHere(test, Math.round(1000 * seconds / tests.size()));
        }
    }

    private void runHere(String test, long millis) throws Exception {
        System.out.println(test);
        running = test;
        TestInfo info = TestList.getInfo(test);
        boolean onePairAtATime = ONE_PAIR_AT_A_TIME.matcher(test).find();
        if (onePairAtATime && FreshRing.uses() > MOST_RINGS_OF_A_JVM) {
            System.out.println("    left out: too many rings were open in this JVM");
            return;
        }
        SchedulingClass anywhere = new SchedulingClass(AffinityMode.NONE, info.threads(), NodeType.PACKAGE);
        // Before its time begins jcstress tries out how much it can do at once: that takes about a fifth of the time.
        TestConfig config = new TestConfig(
                options(onePairAtATime, millis * 4 / 5), info, 0, List.of(), CompileMode.UNIFIED, anywhere);
        Runner<?> runner = (Runner<?>) Class.forName(config.generatedRunnerName)
                .getConstructor(ForkedTestConfig.class)
                .newInstance(new ForkedTestConfig(config));
        TestResult result = runner.run();
        result.setConfig(config);
        outcomes.add(result);
        if (runner.forceExit()) {
            throw new IllegalStateException(test + " hangs");
        }
    }

    private void runForked(boolean onePairAtATime, long millis) throws Exception {
        Options options = options(onePairAtATime, millis);
        Pattern selected = Pattern.compile(options.getTestFilter());
        if (tests.stream().noneMatch(selected.asPredicate())) {
            return;
        }
        try {
            new JCStress(options).run();
        } catch (AssertionError failedTests) {
            // The results have them.
        }
        outcomes.add(Path.of(options.getResultFile()));
    }

    private Options options(boolean onePairAtATime, long millis) throws IOException {
        String group = "^(" + (onePairAtATime ? "?=" : "?!") + ".*(" + ONE_PAIR_AT_A_TIME + "))("
                + String.join("|", tests) + ")$";
        long time = onePairAtATime ? Math.min(millis, LONGEST_RUN_WITH_RINGS_MILLIS) : millis;
        Options options = new Options(new String[] {
            "-t",
            group,
            "-c",
            "2",
            "-af",
            "NONE",
            "-sc",
            "true",
            "-pth",
            "false",
            "-spinStyle",
            "THREAD_YIELD",
            "-f",
            "1",
            "-fsm",
            "1",
            "-iters",
            "1",
            "-time",
            Long.toString(time),
            "-r",
            "report",
            "-strideSize",
            onePairAtATime ? "1" : "64",
            "-strideCount",
            onePairAtATime ? "1" : "10",
            "-jvmArgs",
            jvmArguments()
        });
        if (!options.parse()) {
            throw new IllegalStateException("jcstress does not know its options");
        }
        return options;
    }

    /** JVM arguments in addition to those of this JVM. */
    private String jvmArguments() {
        return "-XX:+UseSerialGC -D" + FreshRing.DIRECTORY_PROPERTY + "=" + directory;
    }
}
