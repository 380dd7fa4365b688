// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.fix;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Which processors the threads of a run may use. Free: any, but for the instrument, which always has the second half of
 * them, and goes before all others there if it may (SCHED_FIFO). Pinned: the first half is the gateway's alone; its
 * drain and its committer, the instrument and the neighbour share the second.
 */
public record Placement(boolean pinned) {

    private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();

    private static String gateways() {
        return "0-" + (PROCESSORS / 2 - 1);
    }

    private static String others() {
        return PROCESSORS / 2 + "-" + (PROCESSORS - 1);
    }

    /** Why threads cannot be pinned here, or null. */
    public static String whyNot() throws InterruptedException {
        if (PROCESSORS < 2) {
            return "there is one processor only";
        }
        return runs("taskset", "-c", gateways(), "true") && runs("taskset", "-c", others(), "true")
                ? null
                : "taskset cannot give the processors " + gateways() + " and " + others();
    }

    /** Whether the threads of the instrument go before all others. */
    public static boolean mayGoFirst() throws InterruptedException {
        return runs("chrt", "-f", "1", "true");
    }

    List<String> ofGateway() {
        return pinned ? List.of("taskset", "-c", gateways()) : List.of();
    }

    List<String> ofOthers() {
        return pinned ? List.of("taskset", "-c", others()) : List.of();
    }

    /** Of the appender. */
    String attributes() {
        return pinned ? "drainCpu=\"%1$s\" commitCpu=\"%1$s\"".formatted(others()) : "";
    }

    /** What is denied is done without; the study says so. */
    void ofInstrument(String... names) throws IOException, InterruptedException {
        try (Stream<Path> threads = Files.list(Path.of("/proc/self/task"))) {
            for (Path thread : threads.toList()) {
                String name = Files.readString(thread.resolve("comm")).strip();
                if (List.of(names).contains(name)) {
                    String id = thread.getFileName().toString();
                    if (PROCESSORS > 1) {
                        runs("taskset", "-cp", others(), id);
                    }
                    runs("chrt", "-f", "-p", "1", id);
                }
            }
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
