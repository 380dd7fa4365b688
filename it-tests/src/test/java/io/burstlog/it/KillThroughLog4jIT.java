// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Eight threads log through Log4j into one ring and one file, and die again and again. */
class KillThroughLog4jIT {
    private static final int THREADS = 8;
    private static final int ROUNDS = Integer.getInteger("kill.rounds", 12);
    private static final int LINES_OF_LAST_RUN = 200;
    private static final int LONGEST_RUN_MS = 400;
    private static final int START_MS = 1_500;

    private final long seed = Long.getLong("kill.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final List<Acknowledged> runs = new ArrayList<>();

    @Test
    @Timeout(600)
    void everyAcknowledgedLineIsInTheFileOnceAndInOrderAfterManyKills() throws Exception {
        System.out.println("kill.seed=" + seed);
        Installation installation = Installation.fresh("kill");
        for (int round = 1; round <= ROUNDS; round++) {
            Process child = ChildJvm.start(installation, LoggingThreads.class, "" + round, "" + THREADS, "0");
            Acknowledged acknowledged = new Acknowledged(child);
            if (round % 4 == 0) {
                // Somewhere while it starts: often inside its recovery of the round before.
                Thread.sleep(random.nextInt(START_MS));
            } else {
                assertThat(acknowledged.awaitFirst(30_000)).as("round %d logs, see %s", round, installation.errors())
                        .isTrue();
                Thread.sleep(random.nextInt(LONGEST_RUN_MS));
            }
            ChildJvm.kill(child);
            acknowledged.awaitEnd();
            runs.add(acknowledged);
        }
        runToItsEnd(installation, ROUNDS + 1);

        LogFile log = LogFile.read(installation.file());
        log.holdsWhatWasAcknowledged(runs, THREADS);
        int acknowledged = runs.stream().mapToInt(Acknowledged::count).sum();
        System.out.printf("%d kills: %,d lines acknowledged, each in the file once; %,d more were under way%n", ROUNDS,
                acknowledged, log.lines() - acknowledged);
        assertThat(installation.fileNames()).as("no second log file was begun")
                .containsExactlyInAnyOrder("it.ring", "it.log", "log4j2.xml", "child.err");
    }

    /** One more run that ends by itself; by then everything has been drained. */
    private void runToItsEnd(Installation installation, int run) throws Exception {
        Process child = ChildJvm.start(installation, LoggingThreads.class, "" + run, "" + THREADS,
                "" + LINES_OF_LAST_RUN);
        Acknowledged acknowledged = new Acknowledged(child);
        assertThat(child.waitFor(60, TimeUnit.SECONDS)).as("the last run ends").isTrue();
        acknowledged.awaitEnd();
        assertThat(child.exitValue()).isZero();
        assertThat(acknowledged.count()).isEqualTo(THREADS * LINES_OF_LAST_RUN);
        runs.add(acknowledged);
    }
}
