// SPDX-License-Identifier: Apache-2.0
package examples.fix;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Gateway and counterparty as processes of their own, with the log4j2.xml that users copy. */
@Timeout(600)
class GatewaySurvivesKillIT {
    private static final int ORDERS = 2_400;
    private static final int ORDERS_PER_SECOND = 400;
    private static final int KILLS = 3;

    // The temporary directory may be memory, which no ring with durability="power" accepts.
    private final Path directory = Path.of("target", "gateway-survives-kill");
    private final Path book = directory.resolve("book");
    private final Path log = directory.resolve("gateway.log");
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
    void everyConfirmedOrderIsInTheLogOnceAndInOrder() throws Exception {
        Process gateway = startGateway();
        Process counterparty = start(
                "counterparty",
                List.of("-Dlog4j2.configurationFile=counterparty-log4j2.xml"),
                "examples.fix.Counterparty",
                book.toString(),
                "" + ORDERS,
                "" + ORDERS_PER_SECOND);
        for (int kill = 1; kill <= KILLS; kill++) {
            awaitConfirmed(kill * ORDERS / (KILLS + 1), gateway, counterparty);
            gateway.destroyForcibly().waitFor();
            gateway = startGateway();
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
        assertThat(Proof.differences(content, GatewayLog.read(log))).isEmpty();
    }

    private void awaitConfirmed(int orders, Process... alive) throws Exception {
        while (!Files.exists(book) || confirmedSoFar() < orders) {
            for (Process process : alive) {
                assertThat(process.isAlive())
                        .as("%s, see %s", process.info(), directory)
                        .isTrue();
            }
            Thread.sleep(20);
        }
    }

    private long confirmedSoFar() throws IOException {
        try (Stream<String> lines = Files.lines(book)) {
            return lines.filter(line -> line.startsWith(Book.CONFIRMED)).count();
        }
    }

    private Process startGateway() throws IOException {
        return start(
                "gateway",
                List.of("-Dgateway.ring=" + directory.resolve("gateway.ring"), "-Dgateway.log=" + log),
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
