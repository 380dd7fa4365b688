// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Attributes of the appender that say where its threads run, as the kernel sees the threads of a whole process. */
@Timeout(120)
class PlacementIT {

    @Test
    void eachThreadRunsOnTheCpusThatItsAttributeNames() throws Exception {
        requireTwoCpus();
        Installation installation = Installation.fresh("placement", "ringSize=\"4 MB\" drainCpu=\"1\" writerCpu=\"0\"");
        assertThat(threadsOf(installation)).containsExactlyInAnyOrder("burst-drain 1", "burst-commit 0");
        assertThat(Files.readAllLines(installation.file())).containsExactly("order 1");
    }

    @Test
    void withoutAttributesTheyRunWhereTheProcessMay() throws Exception {
        requireTwoCpus();
        Installation installation = Installation.fresh("placement-none");
        assertThat(threadsOf(installation, "taskset", "-c", "1"))
                .containsExactlyInAnyOrder("burst-drain 1", "burst-commit 1");
    }

    private static List<String> threadsOf(Installation installation, String... launcher) throws Exception {
        Process child = ChildJvm.start(List.of(launcher), List.of(), installation, PlacedThreads.class);
        List<String> threads = child.inputReader().lines().toList();
        assertThat(child.waitFor(60, TimeUnit.SECONDS)).as("the child ends").isTrue();
        assertThat(child.exitValue()).as("exit code, see %s", installation.errors()).isZero();
        return threads;
    }

    private static void requireTwoCpus() {
        if (Runtime.getRuntime().availableProcessors() < 2) {
            System.err.println("SKIPPED PlacementIT: needs the CPUs 0 and 1");
            assumeTrue(false, "needs the CPUs 0 and 1");
        }
    }
}
