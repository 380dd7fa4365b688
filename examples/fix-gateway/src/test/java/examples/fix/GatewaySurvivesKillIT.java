// SPDX-License-Identifier: Apache-2.0
package examples.fix;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Gateway and counterparty as processes of their own. The log4j2.xml is the one that users copy, with a log file that
 * is rolled and compressed. After each kill the rebuilt book is compared with the counterparty's.
 */
@Timeout(600)
class GatewaySurvivesKillIT {
    private static final int ORDERS = 2_400;
    private static final int ORDERS_PER_SECOND = 400;
    private static final int KILLS = 3;

    // The temporary directory may be memory, which no ring with durability="power" accepts.
    private final Path directory = Path.of("target", "gateway-survives-kill");
    private final Path book = directory.resolve("book");
    private final Path log = directory.resolve("gateway.log");
    private final Random random = new Random();
    private final List<Process> processes = new ArrayList<>();
    private int port;

    @BeforeEach
    void startFromNothing() throws IOException {
        if (Files.exists(directory)) {
            try (var tree = Files.walk(directory)) {
                for (Path path : tree.sorted((a, b) -> b.compareTo(a)).toList()) {
                    Files.delete(path);
                }
            }
        }
        Files.createDirectories(directory);
        port = freePort();
    }

    /** A port that the kernel does not hand out by itself: the gateway comes back to it after each kill. */
    private static int freePort() {
        for (int port = ThreadLocalRandom.current().nextInt(15_000, 25_000); ; port++) {
            try (ServerSocket free = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return free.getLocalPort();
            } catch (IOException taken) {
                assertThat(port).as("no port is free: %s", taken).isLessThan(30_000);
            }
        }
    }

    @AfterEach
    void endWhatWasStarted() {
        processes.forEach(Process::destroyForcibly);
    }

    @Test
    void everyConfirmedOrderIsInTheLogAndTheBookIsRebuiltFromIt() throws Exception {
        Process gateway = startGateway(0);
        Process counterparty = start(
                "counterparty",
                List.of("-Dlog4j2.configurationFile=counterparty-log4j2.xml"),
                "examples.fix.Counterparty",
                book.toString(),
                "" + ORDERS,
                "" + ORDERS_PER_SECOND);
        for (int kill = 1; kill <= KILLS; kill++) {
            awaitConfirmed(kill * ORDERS / (KILLS + 1) + random.nextInt(ORDERS / 8), gateway, counterparty);
            Thread.sleep(random.nextInt(20));
            gateway.destroyForcibly().waitFor();
            // Reports in the socket come into the counterparty's book later: any beginning of it is a book.
            Path atKill = Files.copy(book, directory.resolve("book-at-kill-" + kill));
            gateway = startGateway(kill);
            awaitOutput("gateway: open on port", kill + 1, gateway, counterparty);
            compare(BookContent.read(atKill).reported(), Reported.read(rebuilt(kill)));
        }
        assertThat(counterparty.waitFor(300, TimeUnit.SECONDS))
                .as("counterparty has ended")
                .isTrue();
        assertThat(counterparty.exitValue())
                .as("counterparty: every order confirmed")
                .isZero();
        gateway.destroy();
        assertThat(gateway.waitFor(60, TimeUnit.SECONDS))
                .as("gateway stops on SIGTERM")
                .isTrue();

        BookContent content = BookContent.read(book);
        assertThat(content.confirmed()).hasSize(ORDERS);
        Path[] files = logFiles();
        assertThat(files).as("archives and log file").hasSizeGreaterThan(2);
        assertThat(Proof.differences(content, GatewayLog.read(files))).isEmpty();

        List<Reported> atEnd =
                StateFromLog.readAll(directory.resolve("gateway.ring")).book().reported();
        assertThat(atEnd).hasSameSizeAs(content.reported());
        compare(content.reported(), atEnd);
        assertThat(atEnd.stream().map(Reported::ordStatus))
                .as("states that orders have had")
                .containsAll(Stream.of(OrderState.values())
                        .map(state -> String.valueOf(state.ordStatus()))
                        .toList());
    }

    private static void compare(List<Reported> counterparty, List<Reported> gateway) {
        assertThat(BookComparison.differences(gateway, counterparty))
                .as("books of %d and %d executions", gateway.size(), counterparty.size())
                .isEmpty();
    }

    private Path rebuilt(int run) {
        return directory.resolve("rebuilt-" + run);
    }

    /** The oldest first. */
    private Path[] logFiles() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            Stream<Path> archives = files.filter(
                            file -> file.getFileName().toString().matches("gateway-\\d+\\.log(\\.gz)?"))
                    .sorted(Comparator.comparingInt(file ->
                            Integer.parseInt(file.getFileName().toString().split("[-.]")[1])));
            return Stream.concat(archives, Stream.of(log)).toArray(Path[]::new);
        }
    }

    private void awaitOutput(String line, int times, Process... alive) throws Exception {
        while (countOf(line, directory.resolve("gateway.out")) < times) {
            assertAlive(alive);
            Thread.sleep(10);
        }
    }

    private static long countOf(String begin, Path file) throws IOException {
        try (Stream<String> lines = Files.lines(file)) {
            return lines.filter(line -> line.startsWith(begin)).count();
        }
    }

    private void assertAlive(Process... processes) {
        for (Process process : processes) {
            assertThat(process.isAlive())
                    .as("%s, see %s", process.info(), directory)
                    .isTrue();
        }
    }

    private void awaitConfirmed(int orders, Process... alive) throws Exception {
        while (!Files.exists(book) || countOf(Book.CONFIRMED, book) < orders) {
            assertAlive(alive);
            Thread.sleep(20);
        }
    }

    private Process startGateway(int run) throws IOException {
        return start(
                "gateway",
                List.of(
                        "-Dlog4j2.configurationFile=rolling-log4j2.xml",
                        "-Dgateway.folder=" + directory,
                        "-Dgateway.ring=" + directory.resolve("gateway.ring"),
                        "-Dgateway.log=" + log,
                        "-Dgateway.book=" + rebuilt(run)),
                "examples.fix.Gateway",
                directory.resolve("store").toString());
    }

    private Process start(String name, List<String> options, String mainClass, String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(
                List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path")));
        String nativeAccess = System.getProperty("native.access", "");
        if (!nativeAccess.isEmpty()) {
            command.add(nativeAccess);
        }
        command.addAll(options);
        command.add(mainClass);
        command.add("" + port);
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        directory.resolve(name + ".out").toFile()))
                .start();
        processes.add(process);
        return process;
    }
}
