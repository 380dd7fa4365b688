// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.FeatureMetadata;
import org.apache.kafka.clients.admin.FinalizedVersionRange;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Questions to the brokers, and the clients that shipper and copy have alike. */
final class Brokers {

    /**
     * Brokers with this feature (KIP-890) refuse a late record that would get into another transaction than its own.
     */
    static final String FEATURE = "transaction.version";

    static final int FEATURE_LEVEL = 2;

    private Brokers() {}

    /** Makes a producer whose records count when all replicas in sync have them. */
    static Producer<byte[], byte[]> producer(Map<String, Object> properties, String transactionalId) {
        return new KafkaProducer<>(
                ofProducer(properties, transactionalId), new ByteArraySerializer(), new ByteArraySerializer());
    }

    /** Returns all that {@link #producer} tells Kafka's client. */
    static Map<String, Object> ofProducer(Map<String, Object> properties, String transactionalId) {
        Map<String, Object> all = new HashMap<>(properties);
        all.put("key.serializer", ByteArraySerializer.class);
        all.put("value.serializer", ByteArraySerializer.class);
        all.put("transactional.id", transactionalId);
        all.put("acks", "all");
        all.put("enable.idempotence", "true");
        return all;
    }

    /**
     * Makes a consumer that is told its partitions and places.
     *
     * @param isolation {@code read_committed} or {@code read_uncommitted}
     */
    static Consumer<byte[], byte[]> consumer(Map<String, Object> properties, String isolation) {
        return new KafkaConsumer<>(
                ofConsumer(properties, isolation), new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    /** Returns all that {@link #consumer} tells Kafka's client. */
    static Map<String, Object> ofConsumer(Map<String, Object> properties, String isolation) {
        Map<String, Object> all = new HashMap<>(properties);
        all.putAll(Map.of(
                "key.deserializer", ByteArrayDeserializer.class,
                "value.deserializer", ByteArrayDeserializer.class,
                "isolation.level", isolation,
                "enable.auto.commit", "false",
                "auto.offset.reset", "earliest",
                "fetch.max.wait.ms", "10", // a longer wait would hold up the next partition
                "allow.auto.create.topics", "false"));
        return all;
    }

    /**
     * Closes both, whatever the first one throws. In an interrupted thread the client would give the producer no time,
     * and could leave its transaction open. So the thread is not interrupted meanwhile, but afterwards.
     *
     * @param producer null: there is none
     * @param farewell the longest time to end its transaction
     */
    static void close(Producer<?, ?> producer, Duration farewell, Admin admin) {
        boolean isInterrupted = Thread.interrupted();
        try {
            if (producer != null) {
                producer.close(farewell);
            }
        } finally {
            admin.close(Duration.ZERO); // It waits for no answer.
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Asks the brokers for their features. Asked first, this also finds out whether a broker answers. */
    static boolean hasFeature(Admin admin, String servers) throws ExecutionException, InterruptedException {
        FeatureMetadata features;
        try {
            features = admin.describeFeatures().featureMetadata().get();
        } catch (ExecutionException failure) {
            if (failure.getCause() instanceof TimeoutException) {
                throw new KafkaException("no broker of bootstrap.servers=" + servers + " answers ("
                        + failure.getCause().getMessage() + ")");
            }
            throw failure;
        }
        FinalizedVersionRange range = features.finalizedFeatures().get(FEATURE);
        return range != null && range.maxVersionLevel() >= FEATURE_LEVEL;
    }
}
