// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.fix;

import io.burstlog.bench.subject.Media;
import io.burstlog.bench.subject.Programs;
import io.burstlog.bench.subject.RunFolder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.HdrHistogram.Histogram;

/** One run of a gateway in a JVM of its own, if wanted beside a neighbour. */
public final class GatewayRun implements AutoCloseable {

    private static final int WARM_UP_UNDER_WAY = 20;
    private static final int START_SECONDS = 120;
    private static final int STOP_SECONDS = 20;

    /** The demo's own configuration, with processors for its threads. zram survives only the process. */
    private static final String CONFIGURATION = """
            <Configuration status="warn">
              <Appenders>
                <%1$s name="Orders" fileName="%2$s" %3$s>
                  <PatternLayout pattern="%%d{ISO8601} %%c{1} [%%t] %%replace{%%m}{\\x01}{|}%%n"/>
                </%1$s>
              </Appenders>
              <Loggers><Logger name="quickfixj" level="%4$s"/><Root level="info"><AppenderRef ref="Orders"/></Root></Loggers>
            </Configuration>
            """;

    /**
     * @param response from an order's own time to its confirmation
     * @param late how late it was sent
     */
    public record Result(Histogram response, Histogram late) {}

    /**
     * The gateway, and how it logs.
     *
     * @param sessions how many clients {@link SessionsGateway} has; 0: it is the demo's, which has one
     * @param appender {@code Burst}, {@code File} or {@code Force}; the demo's reads its ring: only {@code Burst}
     * @param messages whether it logs FIX messages beside executions: three events an order, and not one
     */
    public record Kind(int sessions, String appender, boolean messages) {
        public static final Kind DEMO = new Kind(0, "Burst", true);

        private int clients() {
            return Math.max(1, sessions);
        }
    }

    /**
     * A gateway and what is beside it.
     *
     * @param jvm runs the gateway
     * @param placement the processors of each
     * @param noisy whether a neighbour uses the machine, too
     * @param drainedOutside whether another process drains the ring
     */
    public record Setting(Kind kind, Jvm jvm, Placement placement, boolean noisy, boolean drainedOutside) {
        @Override
        public String toString() {
            return jvm
                    + (placement.pinned() ? ", pinned" : ", free")
                    + (noisy ? ", noisy" : ", quiet")
                    + (drainedOutside ? ", external drain" : "");
        }
    }

    private final Path folder;
    private final List<Process> processes = new ArrayList<>();

    private GatewayRun(Path folder) {
        this.folder = folder;
    }

    /**
     * Runs a gateway in a folder of its own, and replays the load.
     *
     * @param ring null if its appender has none
     */
    public static Result measure(Setting setting, Path ring, MarketOpen load, Path folder, int warmUp)
            throws IOException, InterruptedException, Media.NotPossible {
        Files.createDirectories(folder);
        try (GatewayRun run = new GatewayRun(folder)) {
            if (setting.noisy()) {
                run.startNeighbour(setting.placement());
            }
            if (setting.drainedOutside()) {
                run.startDrain(setting.placement(), ring);
            }
            int port = run.startGateway(setting, ring);
            return replay(port, setting, load, warmUp);
        } finally {
            if (setting.drainedOutside()) {
                // Neither the gateway nor the drain has waited for the last records: the next run wants an empty ring.
                Programs.run(cli(folder).toString(), "recover", ring.toString());
            }
            RunFolder.delete(folder);
        }
    }

    private void startNeighbour(Placement placement) throws IOException {
        List<String> command = new ArrayList<>(placement.ofOthers());
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "io.burstlog.bench.Main",
                "run",
                "neighbour",
                "--file",
                folder.resolve("noise").toString()));
        start(command, "neighbour.out");
    }

    private static Path cli(Path folder) throws IOException, Media.NotPossible {
        return Programs.unpack("burstlog", folder.resolve("bin"));
    }

    private Path window() {
        return folder.resolve("window");
    }

    private void startDrain(Placement placement, Path ring) throws IOException, Media.NotPossible {
        Files.createDirectories(window());
        List<String> command = new ArrayList<>(placement.ofOthers());
        command.addAll(List.of(cli(folder).toString(), "drain", "--window", window().toString(), ring.toString()));
        start(command, "drain.out");
    }

    private int startGateway(Setting setting, Path ring) throws IOException, InterruptedException {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        Path log = folder.resolve("orders.log");
        Path configuration = folder.resolve("log4j2.xml");
        Files.writeString(
                configuration,
                CONFIGURATION.formatted(
                        setting.kind().appender(),
                        log,
                        attributes(setting, ring),
                        setting.kind().messages() ? "info" : "error"));
        List<String> command = new ArrayList<>(setting.placement().ofGateway());
        command.addAll(setting.jvm().command());
        command.addAll(List.of(
                "-Dlog4j2.configurationFile=" + configuration,
                "-Dgateway.ring=" + ring,
                "-Dgateway.log=" + log,
                "-cp",
                System.getProperty("java.class.path"),
                setting.kind().sessions() == 0 ? "examples.fix.Gateway" : SessionsGateway.class.getName(),
                Integer.toString(port),
                folder.resolve("store").toString()));
        if (setting.kind().sessions() > 0) {
            command.add(Integer.toString(setting.kind().sessions()));
        }
        Process gateway = start(command, "gateway.out");
        Path said = folder.resolve("gateway.out");
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (!Files.readString(said).contains("gateway: open")) {
            if (!gateway.isAlive() || System.nanoTime() > deadline) {
                throw new IOException("the gateway did not start: "
                        + Files.readString(said).lines().findFirst().orElse("it said nothing"));
            }
            Thread.sleep(10);
        }
        return port;
    }

    private String attributes(Setting setting, Path ring) {
        if (!setting.kind().appender().equals("Burst")) {
            return "";
        }
        return "ring=\"%s\" durability=\"process\" %s%s"
                .formatted(
                        ring,
                        setting.placement().attributes(),
                        setting.drainedOutside() ? " drain=\"external\" window=\"" + window() + "\"" : "");
    }

    private Process start(List<String> command, String out) throws IOException {
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve(out).toFile())
                .start();
        processes.add(process);
        return process;
    }

    private static Result replay(int port, Setting setting, MarketOpen load, int warmUp)
            throws IOException, InterruptedException {
        AtomicReference<Histogram> response = new AtomicReference<>();
        AtomicReference<IOException> failure = new AtomicReference<>();
        try (FixClient client = new FixClient(port, setting.kind().clients(), warmUp + load.orders())) {
            Thread sender = new Thread(
                    () -> {
                        try {
                            client.warmUp(warmUp, WARM_UP_UNDER_WAY);
                            response.set(client.replay(load, warmUp));
                        } catch (IOException reason) {
                            failure.set(reason);
                        }
                    },
                    FixClient.SENDER);
            sender.start();
            setting.placement().ofInstrument(FixClient.SENDER, FixClient.RECEIVER);
            sender.join();
            if (failure.get() != null) {
                throw failure.get();
            }
            return new Result(response.get(), client.late());
        }
    }

    /** The gateway stops as in production: it drains its ring. */
    @Override
    public void close() throws IOException {
        for (int i = processes.size() - 1; i >= 0; i--) {
            Process process = processes.get(i);
            process.destroy();
            try {
                if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                    process.destroyForcibly().waitFor();
                }
            } catch (InterruptedException stopped) {
                process.destroyForcibly();
                Thread.currentThread().interrupt();
            }
        }
    }
}
