// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * One ring with one or several log files, and JVMs that log into them and are killed one after the other: half of them
 * while they log, a quarter while they open the ring, a quarter while they shut down. The last JVM ends by itself: by
 * then each acknowledged line is in the file of its stream, once and in order. A seed decides where the kills strike,
 * as far as the machine lets it. Files may be rolled meanwhile, and are then read as one; the actions after a roll
 * fail, come late and delete ({@link WhimAction}). With an even seed all lines of a thread are equal, and a file that
 * begins like a log file lies beside it.
 *
 * <p>The JVM of the next round starts while this round's still runs, because starting takes longest.
 */
final class KillRounds {
    private static final int THREADS = 8;
    private static final int LONGEST_LOAD_MILLIS = 150;
    private static final long PATIENCE_MILLIS = 120_000;
    private static final String SIBLING = "it.log.1";

    /** A file of 16 KB is rolled after half as many. */
    private static final int LINES_OF_A_ROLL = 100;

    private final Random random;
    private final int streams;
    private final boolean areRolled;
    private final boolean linesAreEqual;
    private final Installation installation;
    private final List<String> jvmOptions;
    private final Logging.Framework framework;
    private final ExternalDrain drain;
    private final List<Acknowledged> runs = new ArrayList<>();
    private final Map<Phase, Integer> hits = new EnumMap<>(Phase.class);
    private double millisToOpen = 20;
    private double millisToStop = 20;
    private int rolls;
    private Child next;

    private record Child(Process process, Acknowledged said) {}

    KillRounds(long seed, String name, int streams, boolean areRolled, List<String> jvmOptions) throws IOException {
        this(seed, name, Logging.Framework.LOG4J, streams, areRolled, false, jvmOptions);
    }

    /** @param isDrainedOutside whether another process, which is killed as well, drains the ring */
    KillRounds(
            long seed, String name, int streams, boolean areRolled, boolean isDrainedOutside, List<String> jvmOptions)
            throws IOException {
        this(seed, name, Logging.Framework.LOG4J, streams, areRolled, isDrainedOutside, jvmOptions);
    }

    KillRounds(
            long seed,
            String name,
            Logging.Framework framework,
            int streams,
            boolean areRolled,
            List<String> jvmOptions)
            throws IOException {
        this(seed, name, framework, streams, areRolled, false, jvmOptions);
    }

    private KillRounds(
            long seed,
            String name,
            Logging.Framework framework,
            int streams,
            boolean areRolled,
            boolean isDrainedOutside,
            List<String> jvmOptions)
            throws IOException {
        this.random = new Random(seed);
        this.streams = streams;
        this.areRolled = areRolled;
        this.linesAreEqual = seed % 2 == 0 && !areRolled;
        this.framework = framework;
        this.installation = framework == Logging.Framework.LOG4J
                ? isDrainedOutside
                        ? Installation.drainedOutside(name, streams, areRolled)
                        : Installation.withStreams(name, streams, areRolled)
                : OtherConfigurations.rolled(framework, name, streams);
        this.jvmOptions = jvmOptions;
        if (linesAreEqual) {
            String first = new LineText(1, 1, 0).text() + '\n';
            Files.writeString(installation.file().resolveSibling(SIBLING), first.repeat(3));
        }
        this.drain = isDrainedOutside ? new ExternalDrain(installation, seed) : null;
    }

    /**
     * Throws an AssertionError if a line is lost, doubled, altered or out of order.
     *
     * @param end by {@link System#nanoTime()}; no further JVM is killed after it
     */
    void run(int kills, long end) throws IOException, InterruptedException {
        next = start(1);
        try {
            for (int round = 1; round <= kills && System.nanoTime() < end; round++) {
                Child child = next;
                next = start(round + 1);
                kill(child, round);
            }
            if (drain != null) {
                drain.staysAlive(); // the end of a stream waits for it
            }
            runToItsEnd(next);
            if (drain != null) {
                awaitFiles();
                drain.end();
            }
        } finally {
            ChildJvm.kill(next.process);
            if (drain != null) {
                drain.close();
            }
        }
        requireFiles();
    }

    /** An application that ends does not wait for a drain of another process. */
    private void awaitFiles() throws IOException, InterruptedException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);
        while (true) {
            try {
                requireFiles();
                return;
            } catch (AssertionError | NoSuchFileException notYet) {
                if (System.nanoTime() > end) {
                    throw notYet;
                }
                TimeUnit.MILLISECONDS.sleep(20);
            }
        }
    }

    private void requireFiles() throws IOException {
        List<String> files = new ArrayList<>(
                List.of("it.ring", installation.configuration().getFileName().toString(), "child.err"));
        rolls = 0;
        for (int number = 1; number <= streams; number++) {
            int stream = number;
            List<Path> ofStream = installation.files(stream);
            LogFile.read(ofStream)
                    .holdsWhatWasAcknowledged(
                            runs, THREADS, thread -> VictimOfKills.streamOf(thread, streams) == stream);
            ofStream.stream()
                    .filter(file -> file.getParent().equals(installation.directory()))
                    .forEach(file -> files.add(file.getFileName().toString()));
            rolls += ofStream.size() - 1;
        }
        if (linesAreEqual) {
            files.add(SIBLING);
        }
        if (drain != null) {
            files.addAll(List.of(ExternalDrain.ERRORS, "it.ring.flight"));
        }
        assertThat(installation.fileNames())
                .as("no further log file was begun")
                .containsExactlyInAnyOrderElementsOf(files);
    }

    private Child start(int run) throws IOException {
        Process process = ChildJvm.start(
                List.of(),
                jvmOptions,
                installation,
                VictimOfKills.class,
                "" + run,
                "" + THREADS,
                "" + linesAreEqual,
                "" + streams,
                framework.name());
        return new Child(process, new Acknowledged(process));
    }

    private void kill(Child child, int round) throws IOException, InterruptedException {
        goOn(child);
        await(child, Phase.OPEN_AND_RECOVERY);
        long begin = System.nanoTime();
        if (round % 4 == 0) {
            pause(millisToOpen);
        } else {
            await(child, Phase.LOAD);
            millisToOpen = (3 * millisToOpen + (System.nanoTime() - begin) / 1e6) / 4;
            if (round % 4 == 1) {
                awaitLines(child, 1); // on a slow host no thread may have come so far
            }
            pause(LONGEST_LOAD_MILLIS);
        }
        if (round % 4 == 2) {
            goOn(child);
            await(child, Phase.SHUTDOWN_AND_DRAIN);
            pause(millisToStop);
        }
        ChildJvm.kill(child.process);
        child.said.awaitEnd();
        Phase hit = Phase.lastOf(child.said);
        if (round % 4 == 2) {
            // Adjusted so that a few of these kills come too late.
            millisToStop = Math.max(1, hit == Phase.CLOSED ? millisToStop * 0.7 : millisToStop * 1.1);
        }
        hits.merge(hit, 1, Integer::sum);
        runs.add(child.said);
    }

    private void runToItsEnd(Child child) throws IOException, InterruptedException {
        goOn(child);
        await(child, Phase.LOAD);
        pause(LONGEST_LOAD_MILLIS);
        // On a disk of any speed some line is logged, and some file is rolled.
        awaitLines(child, areRolled ? LINES_OF_A_ROLL * streams : 1);
        goOn(child);
        assertThat(child.process.waitFor(PATIENCE_MILLIS, TimeUnit.MILLISECONDS))
                .as("the last run ends")
                .isTrue();
        child.said.awaitEnd();
        assertThat(child.process.exitValue()).as("exit code of the last run").isZero();
        assertThat(Phase.lastOf(child.said)).isEqualTo(Phase.CLOSED);
        runs.add(child.said);
    }

    private static void goOn(Child child) throws IOException {
        OutputStream input = child.process.getOutputStream();
        input.write('\n');
        input.flush();
    }

    private static void await(Child child, Phase phase) throws InterruptedException {
        assertThat(phase.isReachedBy(child.said, PATIENCE_MILLIS))
                .as("the child comes to %s", phase)
                .isTrue();
    }

    private static void awaitLines(Child child, int lines) throws InterruptedException {
        assertThat(child.said.awaitLines(THREADS, lines, PATIENCE_MILLIS))
                .as("the child logs %d lines", lines)
                .isTrue();
    }

    private void pause(double mostMillis) {
        LockSupport.parkNanos((long) (1e6 * mostMillis * random.nextDouble()));
    }

    /** How many kills struck in each phase. */
    Map<Phase, Integer> hits() {
        return hits;
    }

    /** The number of rolled files of all streams. */
    int rolls() {
        return rolls;
    }

    /** How often the drain was killed that is another process. */
    int killsOfDrain() {
        return drain == null ? 0 : drain.kills();
    }

    Installation installation() {
        return installation;
    }

    /** Lines of all rounds whose log call had returned. */
    int acknowledged() {
        return runs.stream().mapToInt(run -> run.linesOf(THREADS)).sum();
    }
}
