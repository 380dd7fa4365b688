// SPDX-License-Identifier: Apache-2.0
package examples.manytoone;

import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import kafka.tools.StorageTool;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;

/** A broker on this machine, in a process of its own. It is its own controller. */
final class LocalBroker {
    private final Processes processes;
    private final Path properties;
    private final int port;
    private Process process;

    LocalBroker(Processes processes, Path folder) throws IOException {
        this.processes = processes;
        Files.createDirectories(folder);
        port = freePort();
        properties = Files.writeString(
                folder.resolve("server.properties"), """
                process.roles=broker,controller
                node.id=1
                controller.quorum.voters=1@127.0.0.1:%2$d
                listeners=PLAINTEXT://127.0.0.1:%1$d,CONTROLLER://127.0.0.1:%2$d
                advertised.listeners=PLAINTEXT://127.0.0.1:%1$d
                controller.listener.names=CONTROLLER
                listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
                log.dirs=%3$s
                offsets.topic.num.partitions=1
                transaction.state.log.num.partitions=1
                transaction.state.log.replication.factor=1
                transaction.state.log.min.isr=1
                # So long the controller takes a killed one to live.
                broker.session.timeout.ms=1000
                broker.heartbeat.interval.ms=200
                """.formatted(port, port + 1, folder.resolve("data")));
        try (PrintStream said = new PrintStream(folder.resolve("format.out").toFile())) {
            String[] format = {"format", "-t", "Yz2fK7TqQoK1nXwE0b5wJg", "-c", properties.toString()};
            if (StorageTool.execute(format, said) != 0) {
                throw new IOException(Files.readString(folder.resolve("format.out")));
            }
        }
        start();
    }

    /** Two ports in a row that the kernel does not hand out by itself: the broker comes back to them. */
    private static int freePort() {
        for (int port = ThreadLocalRandom.current().nextInt(15_000, 25_000); ; port += 2) {
            try (ServerSocket first = new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
                    ServerSocket second = new ServerSocket(port + 1, 1, InetAddress.getLoopbackAddress())) {
                return Math.min(first.getLocalPort(), second.getLocalPort());
            } catch (IOException taken) {
                if (port > 30_000) {
                    throw new IllegalStateException("no port is free", taken);
                }
            }
        }
    }

    void start() throws IOException {
        process = processes.start("broker", "kafka.Kafka", properties.toString());
    }

    void kill() throws InterruptedException {
        Processes.kill(process);
    }

    String servers() {
        return "127.0.0.1:" + port;
    }

    void createTopic(String topic, int partitions) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", servers(), "default.api.timeout.ms", 120_000))) {
            admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1)))
                    .all()
                    .get();
        }
    }
}
