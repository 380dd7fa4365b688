// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A broker is killed while it makes topics, and started again. It has two configurations at once: that of
 * examples/kafka, and the same with {@code RollingFile} in another folder. So each event goes to both, first to Burst,
 * and the lines can be compared as they are, with their times. Only the order of lines of different threads may differ.
 */
@Timeout(900)
class BrokerSurvivesKillIT {
    private static final int TOPICS = 8;
    private static final int RECORDS = 100;

    // The temporary directory may be memory, which no ring with durability="power" accepts.
    private final Path work = Path.of("target", "broker-survives-kill").toAbsolutePath();
    private final Path logs = work.resolve("logs");
    private final Path reference = work.resolve("reference");

    @Test
    void itsLinesAreThoseOfRollingFile() throws Exception {
        SharedBroker.deleteTree(work);
        Files.createDirectories(work);
        configure();
        try (Broker broker = new Broker(work, 1, List.of(Broker.freePort()), this::logToBoth)) {
            for (int topic = 1; topic <= TOPICS; topic++) {
                broker.createTopic("orders-" + topic, 1);
            }
            send(broker);
            // The broker is killed meanwhile.
            broker.admin().createTopics(List.of(new NewTopic("killed", 4, (short) 1)));
            broker.kill();
            assertThat(linesOf(reference).get("server.log")).anyMatch(line -> line.contains("orders-" + TOPICS));

            broker.start();
            broker.createTopic("after-the-kill", 1);
            send(broker);
            assertThat(broker.admin().listTopics().names().get())
                    .contains("orders-1", "orders-" + TOPICS, "after-the-kill");
            awaitEqualLines();
        }
        assertThat(Files.readAllLines(work.resolve("err")))
                .noneMatch(line -> line.matches("(?i).*(error|burst|jna).*"));
    }

    private void logToBoth(ProcessBuilder broker) {
        broker.command()
                .addAll(
                        1,
                        List.of(
                                "-Dlog4j2.configurationFile=" + work.resolve("burst.yaml") + ","
                                        + work.resolve("rolling-file.yaml"),
                                "-Dkafka.logs.dir=" + logs,
                                "-Dreference.logs.dir=" + reference));
        broker.redirectErrorStream(false)
                .redirectError(
                        ProcessBuilder.Redirect.appendTo(work.resolve("err").toFile()));
    }

    /**
     * Waits until the broker rests. Burst has more lines: those that a killed thread had not yet given to the other
     * appender.
     */
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
                    // A file that ended with its hour counts as the log file that it was.
                    lines.computeIfAbsent(name.replaceFirst("\\.log\\..*", ".log"), any -> new ArrayList<>())
                            .addAll(Files.readAllLines(file));
                }
            }
        }
        return lines;
    }

    private static void send(Broker broker) throws ExecutionException, InterruptedException {
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(broker.client(), new StringSerializer(), new StringSerializer())) {
            for (int order = 1; order < RECORDS; order++) {
                producer.send(new ProducerRecord<>("orders-1", "order " + order));
            }
            producer.send(new ProducerRecord<>("orders-1", "the last")).get();
        }
    }

    private void configure() throws IOException {
        String burst = Files.readString(Path.of("..", "examples", "kafka", "config", "log4j2.yaml"));
        Files.writeString(work.resolve("burst.yaml"), burst);
        Files.writeString(
                work.resolve("rolling-file.yaml"),
                burst.replaceFirst("(?m)^    Burst:", "    RollingFile:")
                        .replaceAll("(\\w+)Appender\\b", "$1Reference")
                        .replace("sys:kafka.logs.dir", "sys:reference.logs.dir"));
    }
}
