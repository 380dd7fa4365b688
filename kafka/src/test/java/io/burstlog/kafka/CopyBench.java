// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import io.burstlog.BurstConfig;
import io.burstlog.BurstLog;
import io.burstlog.copy.BurstCopier;
import io.burstlog.copy.CopyPlace;
import io.burstlog.copy.CopySettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The time of a call that waits for the ring; for ring and copy; and for Kafka's own producer alone, with the settings
 * of the copy. One thread, three brokers on this host. {@code scripts/bench/kafka-copy} builds and starts it.
 */
final class CopyBench {

    private static final int BYTES = 256;
    private static final int WARM_UP = 2_000;

    private final ThreeBrokers brokers;
    private final Path work;
    private final Map<String, long[]> nanos = new LinkedHashMap<>();
    private final int rounds;

    /** A call that is measured. */
    private interface Call {
        void run(byte[] record) throws Exception;
    }

    private CopyBench(ThreeBrokers brokers, Path work, int calls, int rounds) {
        this.brokers = brokers;
        this.work = work;
        this.rounds = rounds;
        for (String each : new String[] {"ring alone", "ring and copy", "Kafka's producer alone"}) {
            nanos.put(each, new long[calls * rounds]);
        }
    }

    public static void main(String[] arguments) throws Exception {
        Path work = Path.of(arguments[0]).toAbsolutePath();
        Files.createDirectories(work);
        try (ThreeBrokers brokers = new ThreeBrokers(work.resolve("brokers"))) {
            new CopyBench(brokers, work, Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2])).run();
        }
    }

    private void run() throws Exception {
        brokers.createTopic("copy");
        brokers.createTopic("alone");
        String servers = brokers.any().servers();
        Map<String, Object> properties = new HashMap<>(KafkaCopyStore.DEFAULTS);
        properties.putAll(Map.of("bootstrap.servers", servers, "acks", "all"));
        try (BurstLog alone = open("alone", false);
                KafkaProducer<byte[], byte[]> producer =
                        new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer())) {
            BurstLog copied = open("copied", true);
            BurstCopier copier = BurstCopier.start(
                    copied,
                    CopySettings.builder()
                            .store(() ->
                                    new KafkaCopyStore(copied.ringId(), "copy", Map.of("bootstrap.servers", servers)))
                            .atLeast(CopyPlace.parse("memory of 2"))
                            .build());
            Map<String, Call> calls = Map.of(
                    "ring alone", alone::append,
                    "ring and copy", record -> copied.awaitCopied(copied.append(record), Duration.ofMinutes(1)),
                    "Kafka's producer alone",
                            record -> producer.send(new ProducerRecord<>("alone", record))
                                    .get());
            for (Call each : calls.values()) {
                measure(each, new long[WARM_UP], 0, WARM_UP);
            }
            for (int round = 0; round < rounds; round++) {
                for (Map.Entry<String, long[]> each : nanos.entrySet()) {
                    int count = each.getValue().length / rounds;
                    measure(calls.get(each.getKey()), each.getValue(), round * count, count);
                }
            }
            copied.close();
            copier.close();
        }
        System.out.println("| µs of a call | p50 | p99 | p99.9 |\n|---|---|---|---|");
        nanos.forEach((name, times) -> {
            Arrays.sort(times);
            System.out.printf(
                    "| %s | %s | %s | %s |%n", name, micros(times, 0.5), micros(times, 0.99), micros(times, 0.999));
        });
    }

    private BurstLog open(String name, boolean hasCopy) {
        BurstConfig.Builder config = BurstConfig.builder()
                .ring(work.resolve(name + ".ring").toString())
                .fileName(work.resolve(name + ".log").toString());
        return BurstLog.open((hasCopy ? config.copy("copy") : config).build());
    }

    private static void measure(Call call, long[] times, int from, int count) throws Exception {
        byte[] record = new byte[BYTES];
        Arrays.fill(record, (byte) 'x');
        record[BYTES - 1] = '\n';
        for (int i = from; i < from + count; i++) {
            long began = System.nanoTime();
            call.run(record);
            times[i] = System.nanoTime() - began;
        }
    }

    private static String micros(long[] sorted, double part) {
        return String.format("%,.0f", sorted[(int) (part * (sorted.length - 1))] / 1e3);
    }
}
