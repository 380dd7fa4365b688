// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import io.burstlog.BurstConfig;
import io.burstlog.BurstConsumer;
import io.burstlog.BurstLog;
import io.burstlog.BurstStream;
import io.burstlog.ConsumedRecords;
import io.burstlog.Durability;
import io.burstlog.RecordBuffer;
import io.burstlog.Segments;
import io.burstlog.StreamConfig;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * A shipper's speed, in turns with Kafka's own kafka-producer-perf-test; and the time from before an append until the
 * record is seen: by a consumer of the folder in another process, and by a reader of committed records of the topic in
 * another one. {@code scripts/bench/shipping} builds and starts it. It starts itself for these processes, with the name
 * of a part as the first argument.
 */
final class ShippingBench {

    private static final int BYTES = 256;

    /** The headers of a record have so many bytes; the other producer sends as many. */
    private static final int HEADER_BYTES = 183;

    /** The two headers that each record has. */
    private static final int LEAST_HEADER_BYTES = 67;

    private static final String TRANSACTION_MILLIS = "100";
    private static final Duration LONG = Duration.ofMinutes(5);
    private static final Pattern RATE = Pattern.compile("(\\d+) records sent, ([0-9.]+) records/sec");
    private static final long IS_THE_LAST = Long.MAX_VALUE;

    private ShippingBench() {}

    public static void main(String[] arguments) throws Exception {
        switch (arguments[0]) {
            case "ship" ->
                ship(
                        arguments[1],
                        arguments[2],
                        arguments[3],
                        Long.parseLong(arguments[4]),
                        Boolean.parseBoolean(arguments[5]));
            case "consume" -> consume(arguments[1], Integer.parseInt(arguments[2]));
            case "read" -> read(arguments[1], arguments[2], Integer.parseInt(arguments[3]));
            default ->
                new Run(Path.of(arguments[0]).toAbsolutePath())
                        .all(
                                Integer.parseInt(arguments[1]),
                                Integer.parseInt(arguments[2]),
                                Integer.parseInt(arguments[3]));
        }
    }

    // ------------------------------------------------------------------------------------------- parts of their own

    /** Ships all records of the folder, from when the shipper knows where to begin. */
    private static void ship(String folder, String topic, String servers, long records, boolean isLeast)
            throws Exception {
        ShipperConfig config = ShipperConfig.builder()
                .folder(folder)
                .topic(topic)
                .headers(
                        isLeast
                                ? EnumSet.noneOf(ShipperConfig.Header.class)
                                : EnumSet.allOf(ShipperConfig.Header.class))
                .property("bootstrap.servers", servers)
                .listener(event -> System.out.println(event.text()))
                .build();
        try (KafkaShipper shipper = KafkaShipper.start(config)) {
            while (shipper.stats().state() != ShipperStats.State.SHIPPING) {
                Thread.sleep(0, 100_000);
            }
            long begin = System.nanoTime();
            while (shipper.stats().shippedNumber() < records) {
                Thread.sleep(1);
            }
            double seconds = (System.nanoTime() - begin) / 1e9;
            System.out.printf("%d records sent, %.1f records/sec%n", records, records / seconds);
        }
    }

    private static void consume(String folder, int most) {
        Lags lags = new Lags(most);
        try (BurstConsumer consumer = BurstConsumer.open(folder, "lag")) {
            while (true) {
                ConsumedRecords records = consumer.poll(1 << 20, Duration.ofSeconds(1));
                long now = System.nanoTime();
                while (records.next()) {
                    if (lags.isLast(now, records.data().getLong())) {
                        return;
                    }
                }
                consumer.ack();
            }
        }
    }

    private static void read(String topic, String servers, int most) {
        Lags lags = new Lags(most);
        Map<String, Object> properties =
                Map.of("bootstrap.servers", servers, "isolation.level", "read_committed", "fetch.max.wait.ms", "100");
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            TopicPartition only = new TopicPartition(topic, 0);
            consumer.assign(List.of(only));
            consumer.seekToBeginning(List.of(only));
            while (true) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofSeconds(1))) {
                    if (lags.isLast(
                            System.nanoTime(), ByteBuffer.wrap(record.value()).getLong())) {
                        return;
                    }
                }
            }
        }
    }

    /** The first third is warm-up. */
    private static final class Lags {
        private final long[] nanos;
        private int count;

        Lags(int most) {
            nanos = new long[most];
        }

        /** CLOCK_MONOTONIC is the same in all processes. */
        boolean isLast(long now, long sent) {
            if (sent != IS_THE_LAST) {
                nanos[count++] = now - sent;
                return false;
            }
            long[] counted = Arrays.copyOfRange(nanos, count / 3, count);
            Arrays.sort(counted);
            System.out.printf(
                    "%,d records, ms: p50 %.2f, p99 %.2f, max %.2f%n",
                    counted.length,
                    counted[counted.length / 2] / 1e6,
                    counted[(int) (counted.length * 0.99)] / 1e6,
                    counted[counted.length - 1] / 1e6);
            return true;
        }
    }

    // ------------------------------------------------------------------------------------------------------- the run

    private record Run(Path work) {

        void all(int records, int rounds, int seconds) throws Exception {
            Files.createDirectories(work);
            try (Broker broker = new Broker(work.resolve("broker"))) {
                shipping(broker, records, rounds);
                for (Duration interval : List.of(Duration.ofMillis(100), Duration.ofMillis(1))) {
                    for (int rate : new int[] {1_000, 50_000}) {
                        lag(broker, rate, seconds, interval);
                    }
                }
            }
            wake(1_000 * seconds);
        }

        private void shipping(Broker broker, int records, int rounds) throws Exception {
            Path folder = work.resolve("shipping");
            try (Written written = new Written(folder, 256 << 20, Duration.ofMillis(100))) {
                for (int i = 1; i <= records; i++) {
                    written.enqueue(i);
                }
                written.log.awaitDrained(LONG);
            }
            String segments = folder.resolve("segments").toString();
            Map<String, List<Double>> ratios = new LinkedHashMap<>();
            for (int round = 0; round <= rounds; round++) {
                double payload = producer(broker, "payload-" + round, records, BYTES);
                double shipper = shipper(broker, segments, "ship-" + round, records, false);
                double bytes = producer(broker, "bytes-" + round, records, BYTES + HEADER_BYTES);
                double least = shipper(broker, segments, "least-" + round, records, true);
                double leastBytes = producer(broker, "least-bytes-" + round, records, BYTES + LEAST_HEADER_BYTES);
                System.out.printf(
                        "shipping   %s: records/s: shipper %,.0f, without headers that may be left out %,.0f;"
                                + " kafka-producer-perf-test %,.0f of the same payload, %,.0f and %,.0f of the same"
                                + " bytes%n",
                        round == 0 ? "warm-up" : "round " + round, shipper, least, payload, bytes, leastBytes);
                if (round > 0) {
                    add(ratios, "all headers, of the same bytes", shipper / bytes);
                    add(ratios, "all headers, of the same payload", shipper / payload);
                    add(ratios, "least headers, of the same bytes", least / leastBytes);
                    add(ratios, "least headers, of the same payload", least / payload);
                }
            }
            ratios.forEach((what, each) -> System.out.printf(
                    "shipping   shipper over kafka-producer-perf-test, median of %d: %.2f (%s)%n",
                    rounds, median(each), what));
        }

        private static void add(Map<String, List<Double>> ratios, String what, double ratio) {
            ratios.computeIfAbsent(what, none -> new ArrayList<>()).add(ratio);
        }

        private static double shipper(Broker broker, String segments, String topic, int records, boolean isLeast)
                throws Exception {
            broker.createTopic(topic, 1);
            return rate(java(
                    ShippingBench.class.getName(),
                    "ship",
                    segments,
                    topic,
                    broker.servers(),
                    Integer.toString(records),
                    Boolean.toString(isLeast)));
        }

        private static double median(List<Double> values) {
            return values.stream().sorted().toList().get(values.size() / 2);
        }

        /** With a shipper's settings. */
        private double producer(Broker broker, String topic, int records, int bytes) throws Exception {
            broker.createTopic(topic, 1);
            return rate(java(
                    "org.apache.kafka.tools.ProducerPerformance",
                    "--topic",
                    topic,
                    "--num-records",
                    Integer.toString(records),
                    "--record-size",
                    Integer.toString(bytes),
                    "--throughput",
                    "-1",
                    "--transactional-id",
                    topic,
                    "--transaction-duration-ms",
                    TRANSACTION_MILLIS,
                    "--producer-props",
                    "bootstrap.servers=" + broker.servers(),
                    "acks=all",
                    "max.request.size=" + (64 << 20),
                    "buffer.memory=" + (128 << 20)));
        }

        private static double rate(ProcessBuilder builder) throws Exception {
            String said = said(builder.start());
            Matcher matcher = RATE.matcher(said);
            double rate = 0;
            while (matcher.find()) {
                rate = Double.parseDouble(matcher.group(2)); // the last line is the total
            }
            if (rate == 0) {
                throw new IllegalStateException(said);
            }
            return rate;
        }

        private static String said(Process process) throws IOException {
            return new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        }

        private static ProcessBuilder java(String... arguments) {
            List<String> command = new ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-Xms512m",
                    "-Xmx512m",
                    "-cp",
                    System.getProperty("java.class.path")));
            String nativeAccess = System.getProperty("native.access", "");
            if (!nativeAccess.isEmpty()) {
                command.add(nativeAccess);
            }
            command.addAll(List.of(arguments));
            return new ProcessBuilder(command).redirectErrorStream(true);
        }

        /** Measures how a consumer wakes without a disk between: only the drain's interval and the wake-up remain. */
        private void wake(int records) throws Exception {
            Path folder = Files.createTempDirectory(Path.of("/dev/shm"), "burstlog-wake");
            try (Written written = new Written(folder, 64 << 20, Duration.ofMillis(1))) {
                String segments = folder.resolve("segments").toString();
                Process consumer = java(ShippingBench.class.getName(), "consume", segments, "" + records)
                        .start();
                Thread.sleep(3_000);
                written.append(records, 1_000);
                System.out.printf(
                        "lag         1,000 records/s, drainInterval 1 ms, segments in memory: consumer in another"
                                + " process: %s",
                        said(consumer));
            } finally {
                SharedBroker.deleteTree(folder);
            }
        }

        private void lag(Broker broker, int rate, int seconds, Duration interval) throws Exception {
            String topic = "lag-" + rate + "-" + interval.toMillis();
            Path folder = work.resolve(topic);
            int records = rate * seconds;
            broker.createTopic(topic, 1);
            try (Written written = new Written(folder, 64 << 20, interval)) {
                String segments = folder.resolve("segments").toString();
                Process shipper = java(
                                Main.class.getName(),
                                segments,
                                "--topic",
                                topic,
                                "--property",
                                "bootstrap.servers=" + broker.servers())
                        .redirectOutput(folder.resolve("shipper.out").toFile())
                        .start();
                Process consumer = java(ShippingBench.class.getName(), "consume", segments, "" + records)
                        .start();
                Process reader = java(ShippingBench.class.getName(), "read", topic, broker.servers(), "" + records)
                        .start();
                Thread.sleep(3_000);
                written.append(records, rate);
                System.out.printf(
                        "lag        %,6d records/s, drainInterval %d ms: consumer in another process: %s",
                        rate, interval.toMillis(), said(consumer));
                System.out.printf(
                        "lag        %,6d records/s, drainInterval %d ms: committed in Kafka, as read: %s",
                        rate, interval.toMillis(), said(reader));
                shipper.destroy();
                shipper.waitFor();
            }
        }
    }

    /** A log whose ring is in memory. */
    private static final class Written implements AutoCloseable {
        private final Path ring;
        private final BurstLog log;
        private final BurstStream stream;
        private final RecordBuffer record = RecordBuffer.allocate(BYTES, BYTES);
        private final byte[] filling = new byte[BYTES - Long.BYTES];

        Written(Path folder, long ringBytes, Duration drainInterval) throws IOException {
            Files.createDirectories(folder);
            ring = Files.createTempDirectory(Path.of("/dev/shm"), "burstlog-shipping");
            log = BurstLog.open(BurstConfig.builder()
                    .ring(ring.resolve("ring").toString())
                    .ringBytes(ringBytes)
                    .durability(Durability.PROCESS)
                    .drainInterval(drainInterval)
                    .build());
            stream = log.stream(
                    "bench",
                    StreamConfig.builder()
                            .fileName(folder.resolve("bench.log").toString())
                            .segments(Segments.in(folder.resolve("segments").toString()))
                            .build());
            Arrays.fill(filling, (byte) 'x');
        }

        private RecordBuffer of(long first) {
            record.clear()
                    .put(ByteBuffer.allocate(BYTES).putLong(first).put(filling).flip());
            return record;
        }

        void enqueue(long first) {
            stream.enqueue(of(first), System.currentTimeMillis() * 1_000_000);
        }

        /**
         * Appends each millisecond the records that are due by then. If earlier ones were late, these do not wait for
         * it: a stall counts for all records behind it. In between the thread sleeps, since a spinning thread would
         * take one of few processors from the others.
         */
        void append(int records, int rate) {
            long begin = System.nanoTime();
            for (int i = 0; i < records; i++) {
                long due = begin + i / Math.max(1, rate / 1_000) * 1_000_000L;
                for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
                    LockSupport.parkNanos(left);
                }
                stream.append(of(due), System.currentTimeMillis() * 1_000_000);
            }
            enqueue(IS_THE_LAST);
        }

        @Override
        public void close() throws IOException {
            stream.close();
            log.close();
            Files.delete(ring.resolve("ring"));
            Files.delete(ring);
        }
    }
}
