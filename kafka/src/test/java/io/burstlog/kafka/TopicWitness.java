// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Reads the committed records of a topic all the time, and notes each violation: a number that is repeated, out of
 * order, or has another text; a gap; a record that does not follow the one before it of its thread; a loss.
 */
final class TopicWitness implements AutoCloseable {

    private static final Duration POLL = Duration.ofMillis(20);

    private final Map<String, Object> client;
    private final String topic;
    private final int partitions;
    private final Map<String, Host> hosts = new HashMap<>();
    private final List<String> violations = new ArrayList<>();
    private Thread thread;
    private KafkaConsumer<byte[], byte[]> consumer;
    private List<TopicPartition> all;
    private volatile long position;
    private long records;
    private long again;

    /** All that came from one folder of segments. */
    private static final class Host {
        private final String source;
        private final boolean hasKeys;
        private final Map<Integer, Long> lastOfPartition = new HashMap<>();
        private final Map<String, Integer> lastOfThread = new HashMap<>();
        private final Set<Long> ahead = new HashSet<>();
        private long allUpTo;
        private long highestOfOldTopic;

        Host(String source, boolean hasKeys) {
            this.source = source;
            this.hasKeys = hasKeys;
        }
    }

    TopicWitness(Map<String, Object> client, String topic, int partitions) {
        this.client = new HashMap<>(client);
        this.client.put("isolation.level", "read_committed");
        this.client.put("auto.offset.reset", "none");
        this.client.put("fetch.max.wait.ms", "20");
        this.client.put("reconnect.backoff.max.ms", "100");
        this.topic = topic;
        this.partitions = partitions;
    }

    /** Begins with the first record of the topic. */
    void start() {
        consumer = new KafkaConsumer<>(client, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        all = IntStream.range(0, partitions)
                .mapToObj(partition -> new TopicPartition(topic, partition))
                .toList();
        consumer.assign(all);
        all.forEach(partition -> consumer.seek(partition, 0));
        thread = new Thread(this::read, "witness");
        thread.setDaemon(true);
        thread.start();
    }

    /** How far it has read, over all partitions. */
    long position() {
        return position;
    }

    List<TopicPartition> partitions() {
        return all;
    }

    /** The topic is about to be made anew: all that was read from it still counts. */
    void stop() throws InterruptedException {
        consumer.wakeup();
        thread.join();
        synchronized (this) {
            hosts.values().forEach(host -> {
                host.highestOfOldTopic = Math.max(
                        host.highestOfOldTopic,
                        host.lastOfPartition.values().stream()
                                .mapToLong(number -> number)
                                .max()
                                .orElse(0));
                host.lastOfPartition.clear();
            });
        }
    }

    private void read() {
        try (KafkaConsumer<byte[], byte[]> reading = consumer) {
            while (true) {
                reading.poll(POLL).forEach(this::see);
                position = all.stream().mapToLong(reading::position).sum();
            }
        } catch (WakeupException stopped) {
            return;
        } catch (RuntimeException failed) {
            violate("the witness cannot read the topic: " + failed);
        }
    }

    private synchronized void violate(String what) {
        violations.add(what);
    }

    private synchronized void see(ConsumerRecord<byte[], byte[]> record) {
        String source = header(record, TopicRecords.SOURCE);
        long number = Long.parseLong(header(record, TopicRecords.NUMBER));
        String where = "partition " + record.partition() + ", offset " + record.offset() + ", number " + number + " of "
                + source;
        if (record.headers().lastHeader(TopicRecords.KIND) != null) {
            violate(where + " is no record: " + header(record, TopicRecords.KIND));
            return;
        }
        String text = new String(record.value(), UTF_8);
        String[] words = text.split(" ");
        Host host = hosts.computeIfAbsent(words[0], any -> new Host(source, record.key() != null));
        long before = host.lastOfPartition.getOrDefault(record.partition(), 0L);
        where += " (" + text + ")";
        if (!source.equals(host.source)) {
            violate(where + " is of another folder than " + host.source);
        }
        if (number <= before || (before > 0 && !host.hasKeys && number != before + 1)) {
            violate(where + " comes behind number " + before);
        }
        host.lastOfPartition.put(record.partition(), number);
        if (number > host.allUpTo && !host.ahead.contains(number)) {
            seeNew(host, number, words, where);
        } else if (number <= host.highestOfOldTopic) {
            again++;
        } else {
            violate(where + " is there twice");
        }
    }

    private void seeNew(Host host, long number, String[] words, String where) {
        records++;
        if (!host.hasKeys && number != host.allUpTo + 1) {
            violate(where + " comes behind number " + host.allUpTo);
        }
        host.ahead.add(number);
        while (host.ahead.remove(host.allUpTo + 1)) {
            host.allUpTo++;
        }
        int order = Integer.parseInt(words[3]);
        Integer last = host.lastOfThread.put(words[1] + ' ' + words[2], order);
        if (order != (last == null ? 1 : last + 1)) {
            violate(where + " comes behind record " + last + " of its thread");
        }
    }

    private static String header(ConsumerRecord<byte[], byte[]> record, String name) {
        return new String(record.headers().lastHeader(name).value(), UTF_8);
    }

    /** The last committed record of a thread in a run; 0: there is none. */
    synchronized int lastOf(String host, String runAndThread) {
        return hosts.containsKey(host) ? hosts.get(host).lastOfThread.getOrDefault(runAndThread, 0) : 0;
    }

    synchronized List<String> violations() {
        return List.copyOf(violations);
    }

    synchronized long records() {
        return records;
    }

    /** How many records came in a new topic that were in the topic before. */
    synchronized long again() {
        return again;
    }

    @Override
    public void close() throws InterruptedException {
        stop();
    }
}
