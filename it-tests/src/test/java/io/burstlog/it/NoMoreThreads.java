// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import io.burstlog.BurstConfig;
import io.burstlog.BurstLog;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A child process that can start the engine's threads but none of Java's: their stacks are made larger (-Xss) than the
 * memory that it leaves itself. It opens a log with a listener, which fails; then it has memory again, and opens the
 * log once more. It prints the end of the first attempt, then what it appended. Arguments: ring, file.
 */
final class NoMoreThreads {

    private static final long LEFT_KILOBYTES = 200_000;

    private NoMoreThreads() {}

    public static void main(String[] arguments) throws Exception {
        BurstConfig.Builder builder =
                BurstConfig.builder().ring(arguments[0]).fileName(arguments[1]).ringBytes(4 << 20);
        // Once beforehand, so that all classes are loaded.
        BurstLog.open(builder.build()).close();
        BurstConfig config = builder.listener(event -> {}).build();
        limitMemory(Long.toString(1024 * (kilobytesInUse() + LEFT_KILOBYTES)));
        String outcome;
        try {
            BurstLog.open(config).close();
            outcome = "opened";
        } catch (Throwable failure) {
            outcome = failure.toString();
        }
        limitMemory("unlimited");
        System.out.println(outcome);
        try (BurstLog log = BurstLog.open(config)) {
            System.out.println(log.append("order\n".getBytes(StandardCharsets.UTF_8)));
        }
    }

    private static long kilobytesInUse() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("VmSize:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .findFirst()
                .orElseThrow();
    }

    private static void limitMemory(String bytes) throws IOException, InterruptedException {
        String pid = Long.toString(ProcessHandle.current().pid());
        new ProcessBuilder("prlimit", "--pid", pid, "--as=" + bytes + ":")
                .inheritIO()
                .start()
                .waitFor();
    }
}
