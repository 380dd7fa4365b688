// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.fix;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The processors that the threads of a run may use. Free: any; but the instrument always has the second half of them,
 * and there precedes all others if it may (SCHED_FIFO). Pinned: the first half is the gateway's alone; its drain and
 * its committer share the second half with the instrument and the neighbour.
 */
public record Placement(boolean pinned) {

    private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();

    private static String gateways() {
        return "0-" + (PROCESSORS / 2 - 1);
    }

    private static String others() {
        return PROCESSORS / 2 + "-" + (PROCESSORS - 1);
    }

    /** The reason why threads cannot be pinned here; null: they can. */
    public static String whyNot() throws InterruptedException {
        if (PROCESSORS < 2) {
            return "there is one processor only";
        }
        return runs("taskset", "-c", gateways(), "true") && runs("taskset", "-c", others(), "true")
                ? null
                : "taskset cannot give the processors " + gateways() + " and " + others();
    }

    /** Says whether the instrument's threads may precede all others. */
    public static boolean mayGoFirst() throws InterruptedException {
        return runs("chrt", "-f", "1", "true");
    }

    List<String> ofGateway() {
        return pinned ? List.of("taskset", "-c", gateways()) : List.of();
    }

    List<String> ofOthers() {
        return pinned ? List.of("taskset", "-c", others()) : List.of();
    }

    /** Attributes of the appender. */
    String attributes() {
        return pinned ? "drainCpu=\"%1$s\" commitCpu=\"%1$s\"".formatted(others()) : "";
    }

    /** Goes on without a privilege that is denied; the study says so. */
    void ofInstrument(String... names) throws IOException, InterruptedException {
        try (Stream<Path> threads = Files.list(Path.of("/proc/self/task"))) {
            for (Path thread : threads.toList()) {
                if (List.of(names).contains(nameOf(thread))) {
                    String id = thread.getFileName().toString();
                    if (PROCESSORS > 1) {
                        runs("taskset", "-cp", others(), id);
                    }
                    runs("chrt", "-f", "-p", "1", id);
                }
            }
        }
    }

    /** Empty for a thread that has ended since it was listed. */
    private static String nameOf(Path thread) {
        try {
            return Files.readString(thread.resolve("comm")).strip();
        } catch (IOException ended) {
            return "";
        }
    }

    private static boolean runs(String... command) throws InterruptedException {
        try {
            return new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException missing) {
            return false;
        }
    }
}
