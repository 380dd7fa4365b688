// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The appender's attributes for the places of its threads, as the kernel sees the threads of a whole process. */
@Timeout(120)
class PlacementIT {

    @Test
    void eachThreadRunsOnTheCpusThatItsAttributeNames() throws Exception {
        List<Integer> cpus = twoCpus();
        Installation installation = Installation.fresh(
                "placement", "ringSize=\"4 MB\" drainCpu=\"%d\" commitCpu=\"%d\"".formatted(cpus.get(1), cpus.get(0)));
        assertThat(threadsOf(installation))
                .containsExactlyInAnyOrder("burst-drain " + cpus.get(1), "burst-commit " + cpus.get(0));
        assertThat(Files.readAllLines(installation.file())).containsExactly("order 1");
    }

    @Test
    void withoutAttributesTheyRunWhereTheProcessMay() throws Exception {
        int cpu = twoCpus().get(1);
        Installation installation = Installation.fresh("placement-none");
        assertThat(threadsOf(installation, "taskset", "-c", "" + cpu))
                .containsExactlyInAnyOrder("burst-drain " + cpu, "burst-commit " + cpu);
    }

    private static List<String> threadsOf(Installation installation, String... launcher) throws Exception {
        Process child = ChildJvm.start(List.of(launcher), List.of(), installation, PlacedThreads.class);
        List<String> threads = child.inputReader().lines().toList();
        assertThat(child.waitFor(60, TimeUnit.SECONDS)).as("the child ends").isTrue();
        installation.requireSuccess(child);
        return threads;
    }

    /** The first and the last CPU that this process may run on. */
    private static List<Integer> twoCpus() throws IOException {
        List<Integer> allowed = Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("Cpus_allowed_list:"))
                .flatMap(
                        line -> Stream.of(line.replaceAll("[^\\d]+", " ").trim().split(" ")))
                .map(Integer::valueOf)
                .toList();
        int first = allowed.get(0);
        int last = allowed.get(allowed.size() - 1);
        if (first == last) {
            System.err.println("SKIPPED PlacementIT: needs two CPUs, has only " + first);
            assumeTrue(false, "needs two CPUs");
        }
        return List.of(first, last);
    }
}
