// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * A directory with a ring, a log file and the Log4j configuration that names both. Below {@code target}, because the
 * system's directory for temporary files may be memory, which no ring with {@code durability="power"} accepts.
 */
record Installation(Path directory, Path ring, Path file, Path configuration) {

    /** With a ring so small that a test fills it many times. */
    static Installation fresh(String name) throws IOException {
        return fresh(name, "ringSize=\"4 MB\"");
    }

    static Installation fresh(String name, String attributes) throws IOException {
        Path directory = emptyDirectory(name);
        return configured(directory, directory.resolve("it.ring"), attributes);
    }

    /** With the ring on a device that is there already. */
    static Installation fresh(String name, Path ring, String attributes) throws IOException {
        return configured(emptyDirectory(name), ring, attributes);
    }

    private static Installation configured(Path directory, Path ring, String attributes) throws IOException {
        Path file = directory.resolve("it.log");
        Path configuration = Files.writeString(directory.resolve("log4j2.xml"), """
                <Configuration status="warn">
                  <Appenders>
                    <Burst name="Log" ring="%s" fileName="%s" shutdownTimeout="5 min" %s>
                      <PatternLayout pattern="%%m%%n"/>
                    </Burst>
                  </Appenders>
                  <Loggers>
                    <Root level="info"><AppenderRef ref="Log"/></Root>
                  </Loggers>
                </Configuration>
                """.formatted(ring, file, attributes));
        return new Installation(directory, ring, file, configuration);
    }

    private static Path emptyDirectory(String name) throws IOException {
        Path directory = Path.of("target", "it", name).toAbsolutePath();
        deleteTree(directory);
        return Files.createDirectories(directory);
    }

    private static void deleteTree(Path directory) throws IOException {
        if (Files.exists(directory)) {
            try (Stream<Path> tree = Files.walk(directory)) {
                for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(path);
                }
            }
        }
    }

    void delete() throws IOException {
        deleteTree(directory);
    }

    List<String> fileNames() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(path -> path.getFileName().toString()).toList();
        }
    }

    /** What a child process wrote to its standard error. */
    Path errors() {
        return directory.resolve("child.err");
    }
}
