// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * In its steady state a logging thread makes exactly one system call for each event: the write that makes it durable.
 * In addition it wakes the drain for each eighth of the ring that it fills; here that is at most once.
 */
@Timeout(600)
class OneWritePerEventIT {
    private static final String RING_SIZE = "64M";

    /** Each line takes a block of 4096 bytes, so these fill more than two eighths of the ring: then all is steady. */
    private static final int LINES_BEFORE = 5_000;

    /** They fill less than an eighth of the ring. */
    private static final int LINES = 1_500;

    /** The JVM's own interruptions of a thread, as for garbage: none is wanted between the marks. */
    private static final List<String> QUIET_JVM = List.of(
            "-Xint", "-XX:+UnlockDiagnosticVMOptions", "-XX:GuaranteedSafepointInterval=0", "-Xms128m", "-Xmn64m");

    @Test
    void onARingFile() throws Exception {
        requireStrace();
        assertOneWritePerEvent(Installation.fresh("one-write-file", "ringSize=\"64 MB\""));
    }

    @Test
    void onABlockDevice() throws Exception {
        requireStrace();
        require(Zram.unavailable().isEmpty(), Zram.unavailable());
        try (Zram zram = Zram.make(RING_SIZE)) {
            Command.run(
                    System.getProperty("burstlog.cli"), "format", zram.device().toString());
            assertOneWritePerEvent(Installation.fresh("one-write-device", zram.device(), "durability=\"process\""));
        }
    }

    private static void assertOneWritePerEvent(Installation installation) throws Exception {
        Path trace = installation.directory().resolve("strace.out");
        Process child = ChildJvm.start(
                List.of("strace", "-f", "-qq", "-o", trace.toString()),
                QUIET_JVM,
                installation,
                OneThread.class,
                "" + LINES_BEFORE,
                "" + LINES);
        assertThat(child.waitFor(500, TimeUnit.SECONDS))
                .as("the traced child ends")
                .isTrue();
        installation.requireSuccess(child);
        assertThat(Files.readAllLines(installation.file())).hasSize(LINES_BEFORE + LINES);

        Map<String, Integer> calls = SystemCallTrace.callsBetween(OneThread.BEGIN, OneThread.END, trace);
        System.out.printf("%s: %d events, system calls of their thread: %s%n", installation.ring(), LINES, calls);
        int wakesOfTheDrain = calls.getOrDefault("futex", 0);
        assertThat(wakesOfTheDrain).isLessThanOrEqualTo(1);
        calls.remove("futex");
        assertThat(calls.keySet()).hasSize(1).allMatch(call -> call.matches("pwritev2|pwrite64|io_uring_enter"));
        assertThat(calls.values()).containsExactly(LINES);
    }

    private static void requireStrace() {
        boolean found = Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, "strace")));
        require(found, "strace is not installed");
    }

    private static void require(boolean met, String reason) {
        if (!met) {
            System.out.println("SKIPPED: one write per event: " + reason);
        }
        assumeTrue(met, reason);
    }
}
