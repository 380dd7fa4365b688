// SPDX-License-Identifier: Apache-2.0
package examples.plain;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Builds and runs the examples in Java, C and C++. */
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

    /** Each file has ten orders. The second run begins behind the ten that the first one left in the log file. */
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

    @Test
    void manyOrdersAreConfirmedWithOneWriteInJava() throws Exception {
        confirms("java", java("examples.plain.Confirm"));
    }

    @Test
    void manyOrdersAreConfirmedWithOneWriteInC() throws Exception {
        Path program = WORK.resolve("confirm-c");
        compile("gcc -std=c11", EXAMPLES.resolve("c/confirm.c"), program);
        confirms("c", List.of(program.toString()));
    }

    /** Kills the program, and starts it again: the log file has each confirmed order once, in order. */
    private static void confirms(String name, List<String> program) throws Exception {
        Path directory = Files.createDirectories(WORK.resolve("run-confirm-" + name));
        List<String> command = new ArrayList<>(program);
        // An offered order stays in memory for so many milliseconds: an order that is confirmed too early is lost.
        command.add("500");
        Process killed =
                new ProcessBuilder(command).directory(directory.toFile()).start();
        BufferedWriter client = killed.outputWriter();
        client.write(String.join("\n", orders(300)) + "\n");
        client.flush();
        List<String> confirmed = new ArrayList<>();
        try (BufferedReader answers = killed.inputReader()) {
            while (confirmed.size() < 100) {
                confirmed.add(answers.readLine());
            }
            killed.toHandle().destroyForcibly(); // and leaves the stream open
            StringWriter rest = new StringWriter();
            answers.transferTo(rest);
            int end = rest.toString().lastIndexOf('\n') + 1; // the last answer may be cut off
            rest.toString().substring(0, end).lines().forEach(confirmed::add);
        }
        killed.waitFor();

        Path orders = Files.write(directory.resolve("orders.txt"), orders(1_000));
        command.set(command.size() - 1, "0");
        List<String> last = run(orders, directory, command.toArray(String[]::new));
        assertThat(last).hasSize(1_001).element(999).isEqualTo("confirmed order 1000");
        Matcher figures = Pattern.compile("1000 orders, (\\d+) commits").matcher(last.get(1_000));
        assertThat(figures.matches()).as(last.get(1_000)).isTrue();
        assertThat(Integer.parseInt(figures.group(1))).isBetween(1, 500);

        List<String> logged = Files.readAllLines(directory.resolve("orders.log"));
        List<String> beforeTheKill = logged.subList(0, logged.size() - 1_000);
        assertThat(beforeTheKill).containsExactlyElementsOf(orders(beforeTheKill.size()));
        assertThat(logged.subList(beforeTheKill.size(), logged.size())).containsExactlyElementsOf(orders(1_000));
        assertThat(confirmed)
                .containsExactlyElementsOf(orders(confirmed.size()).stream()
                        .map(order -> "confirmed " + order)
                        .toList());
        assertThat(beforeTheKill).hasSizeGreaterThanOrEqualTo(confirmed.size());
    }

    private static List<String> orders(int count) {
        return IntStream.rangeClosed(1, count)
                .mapToObj(order -> "order " + order)
                .toList();
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
        return run(Path.of("/dev/null"), directory, command);
    }

    private static List<String> run(Path input, Path directory, String... command)
            throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectInput(input.toFile())
                .redirectErrorStream(true)
                .start();
        List<String> output = process.inputReader().lines().toList();
        assertThat(process.waitFor())
                .as("%s: %s", String.join(" ", command), output)
                .isZero();
        return output;
    }
}
