// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.logging.log4j.LogManager;

/**
 * Logs one event. Then prints, for each thread of this process whose name begins with {@code burst-}, its name and the
 * CPUs that the kernel lets it run on: {@code burst-drain 1}.
 */
final class PlacedThreads {

    private PlacedThreads() {}

    public static void main(String[] arguments) throws IOException {
        LogManager.getLogger("it").info("order 1");
        try (Stream<Path> threads = Files.list(Path.of("/proc/self/task"))) {
            for (Path thread : (Iterable<Path>) threads::iterator) {
                print(thread);
            }
        }
    }

    private static void print(Path thread) throws IOException {
        String name;
        List<String> status;
        try {
            name = Files.readString(thread.resolve("comm")).trim();
            status = Files.readAllLines(thread.resolve("status"));
        } catch (IOException ended) {
            return;
        }
        if (name.startsWith("burst-")) {
            String cpus = status.stream()
                    .filter(line -> line.startsWith("Cpus_allowed_list:"))
                    .findFirst()
                    .orElseThrow();
            System.out.println(
                    name + " " + cpus.substring(cpus.indexOf(':') + 1).trim());
        }
    }
}
