// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ends of a JVM without a crash: no acknowledged line is lost there either, and the file is not cut. */
@Timeout(900)
class EndOfJvmIT {
    private static final int LINES = 2_000;
    private static final int THREADS = EndOfJvm.DAEMONS + 4;

    /** Each line costs a sync, which takes long on some disks. */
    private static final int PATIENCE_SECONDS = 300;

    private static final int EXIT_CODE_OF_SIGTERM = 128 + 15;

    @ParameterizedTest
    @ValueSource(strings = {"return", "exit"})
    void theFileIsCompleteWhenTheProcessHasEnded(String end) throws Exception {
        Installation installation = Installation.fresh("end-" + end);
        Acknowledged acknowledged = run(installation, 1, end);
        LogFile log = LogFile.read(installation.file());
        log.holdsWhatWasAcknowledged(List.of(acknowledged), THREADS);
        assertThat(log.lines()).isEqualTo(LINES);
    }

    @Test
    void linesThatAShutdownHookLogsAreDurableAsLongAsLog4jTakesThem() throws Exception {
        Installation installation = Installation.fresh("end-hook");
        Acknowledged first = run(installation, 1, "hook");
        // Records that came too late for the drain wait in the ring for the next open.
        Acknowledged second = run(installation, 2, "return");
        LogFile.read(installation.file()).holdsWhatWasAcknowledged(List.of(first, second), THREADS);
    }

    @Test
    void daemonThreadsThatLogUntilTheJvmIsGoneLoseNothingAcknowledged() throws Exception {
        Installation installation = Installation.fresh("end-daemons");
        Process child = ChildJvm.start(installation, EndOfJvm.class, "1", "" + LINES, "daemons");
        Acknowledged first = new Acknowledged(child);
        awaitDaemons(first, installation);
        child.getOutputStream().close();
        awaitEnd(child, first, installation);
        Acknowledged second = run(installation, 2, "return");
        LogFile.read(installation.file()).holdsWhatWasAcknowledged(List.of(first, second), THREADS);
    }

    @Test
    void sigtermInTheMiddleOfLoggingLosesNothingAcknowledged() throws Exception {
        Installation installation = Installation.fresh("end-term");
        Process child = ChildJvm.start(installation, EndOfJvm.class, "1", "1", "linger");
        Acknowledged first = new Acknowledged(child);
        awaitDaemons(first, installation);
        ChildJvm.terminate(child);
        assertThat(child.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS))
                .as("the child ends on SIGTERM")
                .isTrue();
        assertThat(child.exitValue()).isEqualTo(EXIT_CODE_OF_SIGTERM);
        first.awaitEnd();

        Acknowledged second = run(installation, 2, "return");
        LogFile.read(installation.file()).holdsWhatWasAcknowledged(List.of(first, second), THREADS);
    }

    /** Waits until the threads are in the midst of logging. */
    private static void awaitDaemons(Acknowledged said, Installation installation) throws InterruptedException {
        assertThat(said.await(EndOfJvm.DAEMONS, 1, 1_000 * PATIENCE_SECONDS))
                .as("a daemon thread logs, see %s", installation.errors())
                .isTrue();
        Thread.sleep(300);
    }

    private static Acknowledged run(Installation installation, int run, String end) throws Exception {
        Process child = ChildJvm.start(installation, EndOfJvm.class, "" + run, "" + LINES, end);
        Acknowledged acknowledged = new Acknowledged(child);
        awaitEnd(child, acknowledged, installation);
        return acknowledged;
    }

    private static void awaitEnd(Process child, Acknowledged acknowledged, Installation installation) throws Exception {
        assertThat(child.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS))
                .as("the child ends, see %s", installation.errors())
                .isTrue();
        assertThat(child.exitValue()).isZero();
        acknowledged.awaitEnd();
        assertThat(acknowledged.lastNumber(EndOfJvm.MAIN)).isEqualTo(LINES);
    }
}
