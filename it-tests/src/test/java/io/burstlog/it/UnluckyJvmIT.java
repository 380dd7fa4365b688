// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** JVMs that run out of memory or threads, are suspended, or leave children behind. */
@Timeout(900)
class UnluckyJvmIT {
    private static final int THREADS = EndOfJvm.DAEMONS + 4;

    /**
     * Longer than 10 s, for which the engine waits for a stuck writer before it gives the ring up; its own waiting
     * counts.
     */
    private static final int SUSPENDED_MILLIS = 11_000;

    private static final int PATIENCE_SECONDS = 300;

    @Test
    void whatAJvmAcknowledgedWhoseHeapIsFullIsInTheFile() throws Exception {
        Installation installation = Installation.fresh("scarce-memory");
        Process child = ChildJvm.start(
                List.of(),
                List.of("-Xmx16m"),
                installation,
                ScarceMemory.class,
                installation.ring().toString(),
                installation.file().toString(),
                "3000");
        Acknowledged said = new Acknowledged(child);
        assertThat(child.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS))
                .as("the child ends")
                .isTrue();
        said.awaitEnd();
        installation.requireSuccess(child);
        assertThat(said.lastNumber(ScarceMemory.LAST)).isEqualTo(ScarceMemory.LINES_OF_LAST);
        assertThat(said.threads())
                .as("threads that logged, many of them until memory ran out")
                .isGreaterThan(10);
        LogFile.read(installation.file()).holdsWhatWasAcknowledged(List.of(said), ScarceMemory.MOST_THREADS);
    }

    @Test
    void whatIsDurableIsAcknowledgedAlsoWithoutMemoryOutsideTheHeap() throws Exception {
        Installation installation = Installation.fresh("scarce-direct-memory", "ringSize=\"4 MB\" ack=\"enqueued\"");
        Process child = ChildJvm.start(
                List.of(),
                List.of("-XX:MaxDirectMemorySize=16m", "-XX:+DisableExplicitGC"),
                installation,
                ScarceDirectMemory.class);
        List<String> said = child.inputReader().lines().toList();
        installation.requireSuccess(child);
        assertThat(said).containsExactly("took it all");
        assertThat(Files.readAllLines(installation.file()))
                .hasSize(ScarceDirectMemory.LONG_EVENTS + ScarceDirectMemory.SHORT_EVENTS);
    }

    /** It would stand for ever, and so would each that comes after it. */
    @Test
    void aVirtualThreadWithoutMemoryOutsideTheHeapIsRefused() throws Exception {
        assumeTrue(VirtualThreads.areThere(), "there are no virtual threads before JDK 21");
        Installation installation = Installation.fresh("scarce-for-virtual-threads");
        Process child = ChildJvm.start(
                List.of(),
                List.of("-XX:MaxDirectMemorySize=16m"),
                installation,
                ScarceForVirtualThreads.class,
                installation.ring().toString(),
                installation.file().toString());
        try {
            assertThat(child.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS))
                    .as("the child ends")
                    .isTrue();
            installation.requireSuccess(child);
            assertThat(child.inputReader().lines().toList()).containsExactly("refused", "durable");
            assertThat(Files.readAllLines(installation.file())).containsExactly("order");
        } finally {
            child.destroyForcibly();
        }
    }

    @Test
    void anOpenThatGetsNoThreadForItsListenerLetsGoOfTheRing() throws Exception {
        Installation installation = Installation.fresh("no-more-threads");
        Process child = ChildJvm.start(
                List.of(),
                List.of("-Xss512m", "-Xlog:disable"),
                installation,
                NoMoreThreads.class,
                installation.ring().toString(),
                installation.file().toString());
        List<String> said = child.inputReader().lines().toList();
        installation.requireSuccess(child);
        assertThat(said).hasSize(2);
        assertThat(said.get(0)).startsWith("java.lang.OutOfMemoryError: ");
        assertThat(said.get(1)).isEqualTo("1");
        assertThat(Files.readAllLines(installation.file())).containsExactly("order");
    }

    /** It would stop if the JVM took it for a thread that runs Java. */
    @Test
    void aThreadThatWaitsForSpaceHoldsUpNoGarbageCollection() throws Exception {
        Installation installation = Installation.fresh("waits-for-space");
        String ringBytes = "" + (4 << 20);
        Process child = ChildJvm.start(
                List.of("prlimit", "--fsize=" + ringBytes + ":"),
                List.of(),
                installation,
                WaitsForSpace.class,
                installation.ring().toString(),
                ringBytes,
                installation.file().toString());
        try {
            assertThat(child.waitFor(60, TimeUnit.SECONDS)).as("the child ends").isTrue();
            installation.requireSuccess(child);
            assertThat(child.inputReader().lines().toList()).containsExactly("collected while they wait");
        } finally {
            child.destroyForcibly();
        }
    }

    /** Kafka, Solr and Flink configure Log4j so: without a status attribute, which leaves the level ERROR. */
    @Test
    void whyAJvmHangsWhoseLogFileCannotGrowIsOnItsConsole() throws Exception {
        Installation installation = Installation.fresh("log-file-cannot-grow");
        Files.writeString(
                installation.configuration(),
                Files.readString(installation.configuration()).replace(" status=\"warn\"", ""));
        String ringBytes = "" + (4 << 20);
        Process child = ChildJvm.start(
                List.of("prlimit", "--fsize=" + ringBytes + ":"), List.of(), installation, LogsForEver.class);
        try {
            String console = "";
            while (!(console.contains("it.log cannot be written: EFBIG")
                    && console.contains("it.ring has been full for "))) {
                assertThat(child.waitFor(100, TimeUnit.MILLISECONDS))
                        .as("it hangs; its console: %s", console)
                        .isFalse();
                console = Files.readString(installation.errors());
            }
            assertThat(console)
                    .contains("appends wait until its records are in the log file")
                    .doesNotContain("WARN");
        } finally {
            ChildJvm.kill(child);
        }
    }

    @Test
    void aJvmThatWasSuspendedGoesOnAsIfNothingHadHappened() throws Exception {
        Installation installation = Installation.fresh("suspended");
        Process child = ChildJvm.start(installation, EndOfJvm.class, "1", "1", "linger");
        Acknowledged said = new Acknowledged(child);
        assertThat(said.await(EndOfJvm.DAEMONS, 1, 1_000 * PATIENCE_SECONDS)).isTrue();
        for (int time = 0; time < 20; time++) {
            suspend(child, 20);
            Thread.sleep(10);
        }
        suspend(child, SUSPENDED_MILLIS);
        int before = said.lastNumber(EndOfJvm.DAEMONS);
        assertThat(said.await(EndOfJvm.DAEMONS, before + 10, 1_000 * PATIENCE_SECONDS))
                .as("it goes on")
                .isTrue();
        ChildJvm.terminate(child);
        assertThat(child.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        said.awaitEnd();
        LogFile.read(installation.file()).holdsWhatWasAcknowledged(List.of(said), THREADS);
        assertThat(Files.readString(installation.errors())).doesNotContain("failed");
    }

    private static void suspend(Process child, int millis) throws Exception {
        Command.run("kill", "-STOP", "" + child.pid());
        Thread.sleep(millis);
        Command.run("kill", "-CONT", "" + child.pid());
    }

    @Test
    void aProcessThatAKilledJvmLeavesBehindDoesNotHoldTheRing() throws Exception {
        Installation installation = Installation.fresh("children");
        Process child = ChildJvm.start(installation, LeavesChildren.class, "1");
        Acknowledged first = new Acknowledged(child);
        assertThat(first.await(LeavesChildren.THREAD, 1, 30_000)).isTrue();
        List<ProcessHandle> left = child.descendants().toList();
        try {
            ChildJvm.kill(child);
            assertThat(left).hasSize(LeavesChildren.CHILDREN).allMatch(ProcessHandle::isAlive);
            Process second = ChildJvm.start(installation, EndOfJvm.class, "2", "10", "return");
            Acknowledged secondSaid = new Acknowledged(second);
            assertThat(second.waitFor(60, TimeUnit.SECONDS)).isTrue();
            secondSaid.awaitEnd();
            installation.requireSuccess(second);
            first.awaitEnd();
            LogFile.read(installation.file()).holdsWhatWasAcknowledged(List.of(first, secondSaid), THREADS);
        } finally {
            left.forEach(ProcessHandle::destroyForcibly);
        }
    }
}
