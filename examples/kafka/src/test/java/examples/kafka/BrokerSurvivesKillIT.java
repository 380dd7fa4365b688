// SPDX-License-Identifier: Apache-2.0
package examples.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import kafka.tools.StorageTool;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A broker is killed while it makes topics, and started again. It has two configurations at once, config/log4j2.yaml
 * and the same with {@code RollingFile}, whose files are in another folder: so each event goes to both, first to Burst,
 * and the lines can be compared as they are, with their times. Only the order of lines of different threads may differ.
 */
@Timeout(900)
class BrokerSurvivesKillIT {
    private static final int TOPICS = 8;
    private static final int RECORDS = 100;

    /** A busy host takes its time. */
    private static final int PATIENCE_MS = 240_000;

    // Not the temporary directory: that may be memory, which no ring with durability="power" accepts.
    private final Path work = Path.of("target", "broker-survives-kill").toAbsolutePath();
    private final Path logs = work.resolve("logs");
    private final Path reference = work.resolve("reference");
    private final List<Process> brokers = new ArrayList<>();

    @AfterEach
    void killWhatRuns() {
        brokers.forEach(broker -> broker.toHandle().destroyForcibly());
    }

    @Test
    void itsLinesAreThoseOfRollingFile() throws Exception {
        deleteTree(work);
        Files.createDirectories(work);
        int port = freePort();
        Path properties = Files.writeString(work.resolve("server.properties"), properties(port, port + 1));
        try (PrintStream said = new PrintStream(work.resolve("format.out").toFile())) {
            String[] format = {"format", "-t", "Yz2fK7TqQoK1nXwE0b5wJg", "-c", properties.toString()};
            assertThat(StorageTool.execute(format, said)).isZero();
        }
        configure();

        Process killed = start(properties);
        Map<String, Object> client = Map.of(
                "bootstrap.servers",
                "127.0.0.1:" + port,
                "default.api.timeout.ms",
                PATIENCE_MS,
                "delivery.timeout.ms",
                PATIENCE_MS,
                "key.serializer",
                StringSerializer.class,
                "value.serializer",
                StringSerializer.class);
        try (Admin admin = Admin.create(client)) {
            for (int topic = 1; topic <= TOPICS; topic++) {
                make(admin, "orders-" + topic);
            }
            send(client, "orders-1");
            // In the middle of it.
            admin.createTopics(List.of(new NewTopic("killed", 4, (short) 1)));
            killed.toHandle().destroyForcibly();
            admin.close(Duration.ZERO);
        }
        killed.waitFor();
        Map<String, List<String>> before = linesOf(reference);
        assertThat(before.get("server.log")).anyMatch(line -> line.contains("orders-" + TOPICS));

        start(properties);
        try (Admin admin = Admin.create(client)) {
            make(admin, "after-the-kill");
            send(client, "orders-1");
            assertThat(admin.listTopics().names().get()).contains("orders-1", "orders-" + TOPICS, "after-the-kill");
        }
        awaitEqualLines();
        assertThat(Files.readAllLines(work.resolve("err")))
                .noneMatch(line -> line.matches("(?i).*(error|burst|jna).*"));
    }

    /** Until the broker rests. What a thread had given to Burst and not yet to the other when it was killed is more. */
    private void awaitEqualLines() throws Exception {
        for (int tries = 1; ; tries++) {
            try {
                Map<String, List<String>> expected = linesOf(reference);
                Map<String, List<String>> found = linesOf(logs);
                assertThat(found.keySet()).isEqualTo(expected.keySet());
                for (String file : expected.keySet()) {
                    List<String> more = new ArrayList<>(found.get(file));
                    expected.get(file)
                            .forEach(line -> assertThat(more.remove(line))
                                    .as("%s has the line %s", file, line)
                                    .isTrue());
                    assertThat(more).as("further lines of %s", file).hasSizeLessThanOrEqualTo(1);
                }
                assertThat(expected.get("server.log")).anyMatch(line -> line.contains("after-the-kill"));
                return;
            } catch (AssertionError notYet) {
                if (tries == 1_000) {
                    throw notYet;
                }
                Thread.sleep(100);
            }
        }
    }

    private static Map<String, List<String>> linesOf(Path folder) throws IOException {
        Map<String, List<String>> lines = new TreeMap<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                String name = file.getFileName().toString();
                if (!name.endsWith(".ring")) {
                    // A file that an hour ended counts as the one that it was.
                    lines.computeIfAbsent(name.replaceFirst("\\.log\\..*", ".log"), any -> new ArrayList<>())
                            .addAll(Files.readAllLines(file));
                }
            }
        }
        return lines;
    }

    private static void make(Admin admin, String topic) throws ExecutionException, InterruptedException {
        admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1))).all().get();
    }

    private static void send(Map<String, Object> client, String topic) throws ExecutionException, InterruptedException {
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(client)) {
            for (int order = 1; order < RECORDS; order++) {
                producer.send(new ProducerRecord<>(topic, "order " + order));
            }
            producer.send(new ProducerRecord<>(topic, "the last")).get();
        }
    }

    private void configure() throws IOException {
        String burst = Files.readString(Path.of("config", "log4j2.yaml"));
        Files.writeString(work.resolve("burst.yaml"), burst);
        Files.writeString(
                work.resolve("rolling-file.yaml"),
                burst.replaceFirst("(?m)^    Burst:", "    RollingFile:")
                        .replaceAll("(\\w+)Appender\\b", "$1Reference")
                        .replace("sys:kafka.logs.dir", "sys:reference.logs.dir"));
    }

    private Process start(Path properties) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                "-Dlog4j2.configurationFile=" + work.resolve("burst.yaml") + "," + work.resolve("rolling-file.yaml"),
                "-Dkafka.logs.dir=" + logs,
                "-Dreference.logs.dir=" + reference));
        String nativeAccess = System.getProperty("native.access", "");
        if (!nativeAccess.isEmpty()) {
            command.add(nativeAccess);
        }
        command.addAll(List.of("kafka.Kafka", properties.toString()));
        Process broker = new ProcessBuilder(command)
                .directory(work.toFile())
                .redirectOutput(
                        ProcessBuilder.Redirect.appendTo(work.resolve("out").toFile()))
                .redirectError(
                        ProcessBuilder.Redirect.appendTo(work.resolve("err").toFile()))
                .start();
        brokers.add(broker);
        return broker;
    }

    private String properties(int port, int controllerPort) {
        return """
            process.roles=broker,controller
            node.id=1
            controller.quorum.voters=1@127.0.0.1:%2$d
            listeners=PLAINTEXT://127.0.0.1:%1$d,CONTROLLER://127.0.0.1:%2$d
            advertised.listeners=PLAINTEXT://127.0.0.1:%1$d
            controller.listener.names=CONTROLLER
            listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
            log.dirs=%3$s
            auto.create.topics.enable=false
            # So long the controller takes the killed one to live.
            broker.session.timeout.ms=3000
            broker.heartbeat.interval.ms=300
            initial.broker.registration.timeout.ms=%4$d
            """.formatted(port, controllerPort, work.resolve("data"), PATIENCE_MS);
    }

    /** Two in a row, below those that the kernel gives to whoever wants any: the broker comes back to them. */
    private static int freePort() {
        for (int port = ThreadLocalRandom.current().nextInt(15_000, 25_000); ; port += 2) {
            try (ServerSocket first = new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
                    ServerSocket second = new ServerSocket(port + 1, 1, InetAddress.getLoopbackAddress())) {
                return first.getLocalPort();
            } catch (IOException taken) {
                assertThat(port).as("no port is free: %s", taken).isLessThan(30_000);
            }
        }
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
}
