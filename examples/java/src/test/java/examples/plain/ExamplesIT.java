// SPDX-License-Identifier: Apache-2.0
package examples.plain;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Builds and runs the same ten orders in Java, C and C++, each twice: the second run goes on where the first ended. */
class ExamplesIT {
    private static final Path EXAMPLES = Path.of("..").toAbsolutePath().normalize();
    private static final Path WORK = Path.of("target", "examples").toAbsolutePath();
    private static final Path INSTALLED = WORK.resolve("installed");

    @BeforeAll
    static void installTheLibraryAsItsUsersDo() throws Exception {
        if (Files.exists(WORK)) {
            try (Stream<Path> tree = Files.walk(WORK)) {
                for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(path);
                }
            }
        }
        Files.createDirectories(WORK);
        run(WORK, "cmake", "--install", System.getProperty("native.build"), "--prefix", INSTALLED.toString());
    }

    @Test
    void plainJava() throws Exception {
        runsTwice("java", java("examples.plain.Orders"));
    }

    @Test
    void severalLogFilesOnOneRing() throws Exception {
        Path program = WORK.resolve("streams-c");
        compile("gcc -std=c11", EXAMPLES.resolve("c/streams.c"), program);
        writesThreeFilesTwice("streams-c", List.of(program.toString()));
        writesThreeFilesTwice("streams-java", java("examples.plain.Streams"));
    }

    private static void writesThreeFilesTwice(String name, List<String> command) throws Exception {
        Path directory = Files.createDirectories(WORK.resolve("run-" + name));
        String[] program = command.toArray(String[]::new);
        for (int lines = 10; lines <= 20; lines += 10) {
            assertThat(run(directory, program)).hasSize(10).last().isEqualTo("order 10 is durable");
            assertThat(Files.readAllLines(directory.resolve("orders.log")))
                    .hasSize(lines)
                    .last()
                    .isEqualTo("order 10");
            assertThat(Files.readAllLines(directory.resolve("audit.log")))
                    .hasSize(lines)
                    .last()
                    .isEqualTo("order 10 comes from alice");
            assertThat(Files.readAllLines(directory.resolve("trace.log")))
                    .hasSize(lines)
                    .last()
                    .isEqualTo("order 10 is read");
        }
    }

    @Test
    void theCallsThatOneNeedsFirst() throws Exception {
        Path directory = Files.createDirectories(WORK.resolve("run-calls"));
        String[] program = java("examples.plain.Calls").toArray(String[]::new);
        assertThat(run(directory, program)).containsExactly("durable: true", "in orders.log: true");
        assertThat(Files.readAllLines(directory.resolve("orders.log"))).containsExactly("order 1", "order 2");
    }

    private static List<String> java(String main) {
        List<String> java = new ArrayList<>();
        java.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        java.addAll(List.of("-cp", System.getProperty("java.class.path")));
        String nativeAccess = System.getProperty("native.access", "");
        if (!nativeAccess.isEmpty()) {
            java.add(nativeAccess);
        }
        java.add(main);
        return java;
    }

    @Test
    void c() throws Exception {
        Path program = WORK.resolve("orders-c");
        compile("gcc -std=c11", EXAMPLES.resolve("c/orders.c"), program);
        runsTwice("c", List.of(program.toString()));
    }

    @Test
    void aLogThatRollsByItself() throws Exception {
        Path program = WORK.resolve("rolling-c");
        compile("gcc -std=c11", EXAMPLES.resolve("c/rolling.c"), program);
        rollsTwice("rolling-c", List.of(program.toString()));
        rollsTwice("rolling-java", java("examples.plain.RolledOrders"));
    }

    /** Each file has ten orders; the second run begins behind the ten that the first one has left in the log file. */
    private static void rollsTwice(String name, List<String> command) throws Exception {
        Path directory = Files.createDirectories(WORK.resolve("run-" + name));
        for (int files = 2; files <= 5; files += 3) {
            assertThat(run(directory, command.toArray(String[]::new))).isEmpty();
            assertThat(Files.readAllLines(directory.resolve("orders.log"))).hasSize(10);
            try (Stream<Path> rolled = Files.list(directory.resolve("old"))) {
                assertThat(rolled.map(path -> path.getFileName().toString()))
                        .hasSize(files)
                        .allMatch(file -> file.matches("orders-\\d{4}-\\d\\d-\\d\\d-\\d\\.log(\\.gz)?"));
            }
        }
    }

    @Test
    void cpp() throws Exception {
        Path program = WORK.resolve("orders-cpp");
        compile("g++ -std=c++17", EXAMPLES.resolve("cpp/orders.cpp"), program);
        runsTwice("cpp", List.of(program.toString()));
    }

    private static void compile(String compiler, Path source, Path program) throws Exception {
        run(WORK, "sh", "-c", """
                set -e
                lib=$(dirname "$(find %1$s -name libburstlog.so)")
                flags=$(PKG_CONFIG_PATH=$lib/pkgconfig pkg-config --cflags --libs burstlog)
                %2$s -Wall -Wextra -Werror -o %3$s %4$s $flags -Wl,-rpath,$lib
                """.formatted(INSTALLED, compiler, program, source));
    }

    private static void runsTwice(String name, List<String> command) throws Exception {
        Path directory = Files.createDirectories(WORK.resolve("run-" + name));
        String[] program = command.toArray(String[]::new);
        assertThat(run(directory, program)).hasSize(10).last().isEqualTo("order 10 is durable as record 10");
        assertThat(run(directory, program)).hasSize(10).last().isEqualTo("order 10 is durable as record 20");

        List<String> tenOrders =
                IntStream.rangeClosed(1, 10).mapToObj(order -> "order " + order).toList();
        assertThat(Files.readAllLines(directory.resolve("orders.log")))
                .containsExactlyElementsOf(
                        Stream.of(tenOrders, tenOrders).flatMap(List::stream).toList());
    }

    private static List<String> run(Path directory, String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .start();
        List<String> output = process.inputReader().lines().toList();
        assertThat(process.waitFor())
                .as("%s: %s", String.join(" ", command), output)
                .isZero();
        return output;
    }
}
