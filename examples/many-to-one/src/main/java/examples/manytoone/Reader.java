// SPDX-License-Identifier: Apache-2.0
package examples.manytoone;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Reads the committed records of a topic and separates them by their folder. It proves by the headers that no record is
 * missing or there twice, and merges all by time.
 */
final class Reader {
    /** One record, as the topic has it. */
    record Event(String source, long number, long timeNanos, String text) {
        static Event of(ConsumerRecord<byte[], byte[]> record) {
            return new Event(
                    header(record, "burst-source"),
                    Long.parseLong(header(record, "burst-number")),
                    Long.parseLong(header(record, "burst-time")),
                    new String(record.value(), UTF_8));
        }

        private static String header(ConsumerRecord<byte[], byte[]> record, String name) {
            return new String(record.headers().lastHeader(name).value(), UTF_8);
        }
    }

    private final Map<String, Deque<Event>> sources = new TreeMap<>();

    /** All records that are in the topic now. */
    static Reader of(String brokers, String topic) {
        Reader reader = new Reader();
        Map<String, Object> properties = new HashMap<>(Map.of(
                "bootstrap.servers", brokers, "isolation.level", "read_committed", "auto.offset.reset", "earliest"));
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                    .map(info -> new TopicPartition(topic, info.partition()))
                    .toList();
            consumer.assign(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                consumer.poll(Duration.ofMillis(200)).forEach(record -> reader.add(Event.of(record)));
            }
        }
        return reader;
    }

    /** Throws if a number of the source is missing, repeated or out of order. */
    private void add(Event event) {
        Deque<Event> before = sources.computeIfAbsent(event.source(), any -> new ArrayDeque<>());
        long expected = before.isEmpty() ? 1 : before.getLast().number() + 1;
        if (event.number() != expected) {
            throw new IllegalStateException("source " + event.source() + " has number " + event.number() + " where "
                    + expected + " comes next: \"" + event.text() + "\"");
        }
        before.add(event);
    }

    /** How many records each source has. */
    Map<String, Integer> counts() {
        Map<String, Integer> counts = new TreeMap<>();
        sources.forEach((source, events) -> counts.put(source, events.size()));
        return counts;
    }

    /** All records by time. Records of one source keep the order of their ring. */
    List<Event> merged() {
        PriorityQueue<Deque<Event>> next = new PriorityQueue<>(Comparator.comparingLong(
                (Deque<Event> events) -> events.element().timeNanos()));
        Stream<Deque<Event>> copies = sources.values().stream().map(ArrayDeque::new);
        copies.forEach(next::add);
        List<Event> merged = new ArrayList<>();
        while (!next.isEmpty()) {
            Deque<Event> earliest = next.remove();
            merged.add(earliest.remove());
            if (!earliest.isEmpty()) {
                next.add(earliest);
            }
        }
        return merged;
    }
}
