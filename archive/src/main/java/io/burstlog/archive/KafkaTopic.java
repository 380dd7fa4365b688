// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A topic with the heads of archives. Apart from the anchor, since its library is optional. Not thread-safe. */
final class KafkaTopic implements AutoCloseable {

    private static final int PATIENCE_MS = (int) AnchorHttp.PATIENCE.toMillis();

    private final String topic;
    private final Map<String, Object> settings;
    private KafkaProducer<byte[], byte[]> producer;

    KafkaTopic(String topic, Map<String, Object> settings) {
        this.topic = topic;
        this.settings = Map.copyOf(settings);
    }

    /** {@return the place of a record, as lines} */
    String append(String key, byte[] value) throws IOException {
        try {
            if (producer == null) {
                Map<String, Object> all = new HashMap<>(settings);
                all.putIfAbsent("max.block.ms", PATIENCE_MS);
                all.putIfAbsent("request.timeout.ms", PATIENCE_MS / 2);
                all.putIfAbsent("delivery.timeout.ms", PATIENCE_MS);
                all.put("acks", "all");
                all.put("enable.idempotence", "true");
                producer = new KafkaProducer<>(all, new ByteArraySerializer(), new ByteArraySerializer());
            }
            RecordMetadata sent = producer.send(new ProducerRecord<>(topic, key.getBytes(UTF_8), value))
                    .get();
            return place(sent.partition(), sent.offset()) + "timestamp: " + sent.timestamp() + "\n";
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw (IOException)
                    new InterruptedIOException("topic " + topic + " is not waited for any more").initCause(stopped);
        } catch (ExecutionException failed) {
            throw new IOException("topic " + topic + " does not take it: " + failed.getCause(), failed);
        } catch (KafkaException failed) {
            close();
            throw new IOException("topic " + topic + " does not take it: " + failed, failed);
        }
    }

    private String place(int partition, long offset) {
        return "topic: " + topic + "\npartition: " + partition + "\noffset: " + offset + "\n";
    }

    /** {@return all records with this key by their places, as lines, in the order of their offsets} */
    Map<String, ConsumerRecord<byte[], byte[]>> read(String key) throws IOException {
        Map<String, ConsumerRecord<byte[], byte[]>> records = new LinkedHashMap<>();
        Map<String, Object> all = new HashMap<>(settings);
        all.put("enable.auto.commit", "false");
        all.put("auto.offset.reset", "earliest");
        all.putIfAbsent("default.api.timeout.ms", PATIENCE_MS);
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(all, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                    .map(each -> new TopicPartition(topic, each.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            long progress = System.nanoTime();
            while (ends.entrySet().stream().anyMatch(each -> consumer.position(each.getKey()) < each.getValue())) {
                for (ConsumerRecord<byte[], byte[]> each : consumer.poll(Duration.ofMillis(500))) {
                    progress = System.nanoTime();
                    if (each.key() != null && new String(each.key(), UTF_8).equals(key)) {
                        records.put(place(each.partition(), each.offset()), each);
                    }
                }
                if (System.nanoTime() - progress > AnchorHttp.PATIENCE.toNanos()) {
                    throw new IOException("topic " + topic + " cannot be read to its end: no record came within "
                            + AnchorHttp.PATIENCE.toSeconds() + " s");
                }
            }
            return records;
        } catch (KafkaException failed) {
            throw new IOException("topic " + topic + " cannot be read: " + failed.getMessage(), failed);
        }
    }

    @Override
    public void close() {
        if (producer != null) {
            producer.close(Duration.ofSeconds(1));
            producer = null;
        }
    }
}
