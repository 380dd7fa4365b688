// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import kafka.tools.StorageTool;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListTransactionsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** A broker in a process of its own on this host. It is its own controller, and can be killed and started again. */
final class Broker implements AutoCloseable {

    /** A busy host takes its time. */
    private static final String PATIENCE_MS = "120000";

    private final Path work;
    private final Path properties;
    private final String servers;
    private final int replicas;
    private final Consumer<ProcessBuilder> prepare;
    private final Admin admin;
    private volatile Process process;

    Broker(Path work) throws IOException {
        this(work, 1, List.of(freePort()), any -> {});
    }

    /**
     * One of several brokers, each of which has all the topics' records.
     *
     * @param id from 1 on
     * @param ports of all of them; the next one of each is for its controller
     * @param prepare sees each process before it starts
     */
    Broker(Path work, int id, List<Integer> ports, Consumer<ProcessBuilder> prepare) throws IOException {
        this.work = work;
        this.prepare = prepare;
        replicas = ports.size();
        servers = ports.stream().map(port -> "127.0.0.1:" + port).collect(Collectors.joining(","));
        String voters = IntStream.rangeClosed(1, replicas)
                .mapToObj(each -> each + "@127.0.0.1:" + (ports.get(each - 1) + 1))
                .collect(Collectors.joining(","));
        int port = ports.get(id - 1);
        Files.createDirectories(work);
        properties = Files.writeString(work.resolve("server.properties"), """
                process.roles=broker,controller
                node.id=%5$d
                controller.quorum.voters=%6$s
                listeners=PLAINTEXT://127.0.0.1:%1$d,CONTROLLER://127.0.0.1:%2$d
                advertised.listeners=PLAINTEXT://127.0.0.1:%1$d
                controller.listener.names=CONTROLLER
                listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
                log.dirs=%3$s
                auto.create.topics.enable=false
                min.insync.replicas=%8$d
                offsets.topic.num.partitions=1
                offsets.topic.replication.factor=%7$d
                transaction.state.log.num.partitions=1
                transaction.state.log.replication.factor=%7$d
                transaction.state.log.min.isr=%8$d
                transaction.abort.timed.out.transaction.cleanup.interval.ms=500
                # So long the controller takes a killed one to live.
                broker.session.timeout.ms=1000
                broker.heartbeat.interval.ms=200
                controller.quorum.fetch.timeout.ms=1000
                controller.quorum.election.timeout.ms=500
                initial.broker.registration.timeout.ms=%4$s
                """.formatted(
                        port, port + 1, work.resolve("data"), PATIENCE_MS, id, voters, replicas, leastInSync()));
        try (PrintStream said = new PrintStream(work.resolve("format.out").toFile())) {
            String[] format = {"format", "-t", "Yz2fK7TqQoK1nXwE0b5wJg", "-c", properties.toString()};
            if (StorageTool.execute(format, said) != 0) {
                throw new IOException(Files.readString(work.resolve("format.out")));
            }
        }
        start();
        // A process that stands still ends, too.
        Runtime.getRuntime().addShutdownHook(new Thread(() -> process.toHandle().destroyForcibly()));
        admin = Admin.create(client());
    }

    /** Two ports in a row that the kernel does not hand out by itself: the broker comes back to them. */
    static int freePort() {
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

    /** {@return ports as {@link #freePort} gives them, and no two brokers share one} */
    static List<Integer> freePorts(int count) {
        List<Integer> ports = new ArrayList<>();
        while (ports.size() < count) {
            int port = freePort();
            if (ports.stream().allMatch(other -> Math.abs(other - port) > 1)) {
                ports.add(port);
            }
        }
        return ports;
    }

    private int leastInSync() {
        return replicas > 2 ? 2 : 1;
    }

    /** A JVM with the class path of this one. */
    static Process java(Path said, String... arguments) throws IOException {
        return prepared(said, arguments).start();
    }

    static ProcessBuilder prepared(Path said, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path")));
        String nativeAccess = System.getProperty("native.access", "");
        if (!nativeAccess.isEmpty()) {
            command.add(nativeAccess);
        }
        command.addAll(Arrays.asList(arguments));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(said.toFile()));
    }

    static void kill(Process process) throws InterruptedException {
        process.toHandle().destroyForcibly();
        process.waitFor();
    }

    /** From {@code STOP} to {@code CONT} a process stands still. */
    static void signal(String name, Process process) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .start()
                .waitFor();
    }

    void start() throws IOException {
        ProcessBuilder next = prepared(work.resolve("broker.out"), "kafka.Kafka", properties.toString());
        prepare.accept(next);
        process = next.start();
    }

    void kill() throws InterruptedException {
        kill(process);
    }

    Process process() {
        return process;
    }

    String servers() {
        return servers;
    }

    Map<String, Object> client() {
        return Map.of("bootstrap.servers", servers(), "default.api.timeout.ms", PATIENCE_MS);
    }

    Admin admin() {
        return admin;
    }

    void createTopic(String topic, int partitions) throws Exception {
        admin.createTopics(List.of(new NewTopic(topic, partitions, (short) replicas)))
                .all()
                .get();
    }

    void deleteTopic(String topic) throws Exception {
        admin.deleteTopics(List.of(topic)).all().get();
    }

    /** The end of the first partition: of committed records, or of all records. */
    long end(String topic) {
        TopicPartition first = new TopicPartition(topic, 0);
        try {
            return admin.listOffsets(Map.of(first, OffsetSpec.latest()), new ListOffsetsOptions().timeoutMs(2_000))
                    .partitionResult(first)
                    .get()
                    .offset();
        } catch (Exception away) {
            return 0;
        }
    }

    /** The open transactions of a topic's shippers. */
    List<String> openTransactionsOf(String topic) throws Exception {
        return admin
                .listTransactions(new ListTransactionsOptions().filterStates(List.of(TransactionState.ONGOING)))
                .all()
                .get()
                .stream()
                .map(TransactionListing::transactionalId)
                .filter(id -> id.endsWith("-" + topic))
                .toList();
    }

    /** All committed records, one partition behind the other. */
    List<ConsumerRecord<byte[], byte[]>> read(String topic) {
        List<ConsumerRecord<byte[], byte[]>> all = new ArrayList<>();
        read(topic, all::add);
        return all;
    }

    /** Passes on all committed records, one partition behind the other. */
    void read(String topic, Consumer<ConsumerRecord<byte[], byte[]>> reader) {
        Map<String, Object> reading = new HashMap<>(client());
        reading.put("isolation.level", "read_committed");
        reading.put("auto.offset.reset", "earliest");
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(reading, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            for (var info : consumer.partitionsFor(topic)) {
                TopicPartition partition = new TopicPartition(topic, info.partition());
                consumer.assign(List.of(partition));
                consumer.seekToBeginning(List.of(partition));
                long end = consumer.endOffsets(List.of(partition)).get(partition);
                while (consumer.position(partition) < end) {
                    consumer.poll(Duration.ofMillis(100)).forEach(reader);
                }
            }
        }
    }

    @Override
    public void close() throws InterruptedException {
        kill();
        admin.close(Duration.ZERO);
    }
}
