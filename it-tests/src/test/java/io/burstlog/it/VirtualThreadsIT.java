// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A JVM has one carrier for all its virtual threads, and a medium on which each write takes 100 ms. While one virtual
 * thread logs durably another one goes on. If a log call held the carrier, the other one would not tick once in it.
 */
class VirtualThreadsIT {

    private static final int WRITE_MILLIS = 100;

    /** A thread in a system call that is delayed is still in it: so its carrier would be, too. */
    private static final List<String> SLOW_MEDIUM = List.of(
            "strace",
            "-f",
            "--seccomp-bpf",
            "-qq",
            "-o",
            "/dev/null",
            "-e",
            "trace=pwritev2,pwrite64,io_uring_enter",
            "-e",
            "inject=pwritev2,pwrite64,io_uring_enter:delay_exit=" + WRITE_MILLIS * 1000);

    private static final List<String> ONE_CARRIER =
            List.of("-Djdk.virtualThreadScheduler.parallelism=1", "-Djdk.virtualThreadScheduler.maxPoolSize=1");

    @ParameterizedTest
    @ValueSource(strings = {"BURSTLOG", "LOG4J", "SPRING_BOOT"})
    @Timeout(600)
    void anotherVirtualThreadGoesOnWhileOneLogsDurably(String door) throws Exception {
        require(VirtualThreads.areThere(), "virtual threads need JDK 21 or later");
        require(isThere("strace"), "strace is not installed");
        Installation installation = installation("virtual-" + door, door);
        Process child = ChildJvm.start(
                SLOW_MEDIUM,
                ONE_CARRIER,
                installation,
                TicksWhileOneLogs.class,
                door,
                installation.ring().toString(),
                installation.file().toString());
        String said = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(child.waitFor(500, TimeUnit.SECONDS)).as("the child ends").isTrue();
        installation.requireSuccess(child);
        System.out.println(door + ", one carrier, a write takes " + WRITE_MILLIS + " ms: " + said.strip());
        String[] words = said.strip().split(" ");
        assertThat(Long.parseLong(words[2])).as("ms of the fastest log call").isGreaterThanOrEqualTo(WRITE_MILLIS);
        assertThat(Long.parseLong(words[0])).as("ticks during a log call").isPositive();
        assertThat(Files.readAllLines(installation.file())).hasSize(TicksWhileOneLogs.CALLS);
    }

    private static Installation installation(String name, String door) throws Exception {
        return switch (door) {
            case "SPRING_BOOT" -> OtherConfigurations.rolled(Logging.Framework.valueOf(door), name, 1);
            default -> Installation.fresh(name);
        };
    }

    private static boolean isThere(String program) {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, program)));
    }

    private static void require(boolean met, String reason) {
        if (!met) {
            System.out.println("SKIPPED: virtual threads: " + reason);
        }
        assumeTrue(met, reason);
    }
}
