// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import io.burstlog.BurstException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The properties of Kafka's clients: those of the user, and Burstlog's own for the rest.
 *
 * <p>A client refuses a limit that is shorter than one request. It counts Burstlog's times as if the user had named
 * them. So those give way to the user's.
 */
final class ClientSettings {

    private static final String REQUEST = "request.timeout.ms";
    private static final String LINGER = "linger.ms";
    private static final String DELIVERY = "delivery.timeout.ms";
    private static final String BLOCK = "max.block.ms";
    private static final String TRANSACTION = "transaction.timeout.ms";

    /** Brokers refuse a longer transaction.timeout.ms unless their transaction.max.timeout.ms says otherwise. */
    private static final long LONGEST_TRANSACTION_MILLIS = 15 * 60_000;

    /** A time that one request must fit into, after the time for which the producer may hold it back. */
    private record Limit(String name, long millis, long linger) {

        long room() {
            return millis - linger;
        }

        /** Clients count no higher. */
        long leastFor(long request) {
            return Math.min(Integer.MAX_VALUE, request + linger);
        }
    }

    private ClientSettings() {}

    /**
     * Checks the properties without a broker, and adds the defaults.
     *
     * @return a map that the caller may change
     * @throws BurstException if one of Kafka's clients would refuse a property, or two that contradict each other
     */
    static Map<String, Object> of(Map<String, Object> defaults, Map<String, ?> users) {
        Map<String, Object> all = new HashMap<>(defaults);
        all.putAll(users);
        AbstractConfig producer = read(ProducerConfig.configDef(), all);
        AbstractConfig admin = read(AdminClientConfig.configDef(), all);
        long linger = producer.getLong(LINGER);
        List<Limit> limits = List.of(
                new Limit(DELIVERY, producer.getInt(DELIVERY), linger),
                new Limit("default.api.timeout.ms", admin.getInt("default.api.timeout.ms"), 0));
        long request = producer.getInt(REQUEST);
        for (Limit each : limits) {
            boolean isFree = users.containsKey(each.name()) && !users.containsKey(REQUEST);
            if (isFree && each.room() > 0) {
                request = Math.min(request, each.room());
            }
        }
        all.put(REQUEST, Long.toString(request));
        for (Limit each : limits) {
            long least = each.leastFor(request);
            if (each.millis() < least && users.containsKey(each.name())) {
                throw ShipperConfig.refused(
                        each.name() + "=" + each.millis() + " is less than " + REQUEST + "=" + request
                                + (each.linger() == 0 ? "" : " and " + LINGER + "=" + each.linger() + " together")
                                + ", and Kafka's client refuses that; raise the first, or lower the other.");
            }
            all.put(each.name(), Long.toString(Math.max(each.millis(), least)));
        }
        requireTaken(all);
        return all;
    }

    /**
     * Makes a transaction last for as long as the producer tries to send and to commit it, and for 15 minutes at most.
     * If the brokers ended it before that, the producer would be told what another one's beginning tells it.
     *
     * @param all as {@link #of} returns them; this changes them
     * @throws BurstException if the user names a shorter time
     */
    static void coverTransactions(Map<String, Object> all, Map<String, ?> users) {
        AbstractConfig producer = read(ProducerConfig.configDef(), all);
        long delivery = producer.getInt(DELIVERY);
        long block = producer.getLong(BLOCK);
        long transaction = producer.getInt(TRANSACTION);
        long least = Math.min(LONGEST_TRANSACTION_MILLIS, delivery + Math.min(LONGEST_TRANSACTION_MILLIS, block));
        if (transaction < least && users.containsKey(TRANSACTION)) {
            throw ShipperConfig.refused(TRANSACTION + "=" + transaction + " is less than " + DELIVERY + "=" + delivery
                    + " and " + BLOCK + "=" + block
                    + " together, so the brokers could end a transaction under way as if"
                    + " another shipper had begun; raise the first, or lower the others.");
        }
        all.put(TRANSACTION, Long.toString(Math.max(transaction, least)));
    }

    /** A value that its property allows may still be refused: an idempotent producer excludes some. */
    private static void requireTaken(Map<String, Object> all) {
        try {
            new ProducerConfig(Brokers.ofProducer(all, "any"));
            new ConsumerConfig(Brokers.ofConsumer(all, "read_committed"));
        } catch (KafkaException wrong) {
            throw refused(wrong);
        }
    }

    private static AbstractConfig read(ConfigDef known, Map<String, Object> properties) {
        Map<String, Object> all = new HashMap<>(properties);
        all.put("key.serializer", ByteArraySerializer.class);
        all.put("value.serializer", ByteArraySerializer.class);
        try {
            return new AbstractConfig(known, all, false);
        } catch (ConfigException wrong) {
            throw refused(wrong);
        }
    }

    private static BurstException refused(KafkaException wrong) {
        return ShipperConfig.refused(
                "a property of Kafka cannot be used: " + wrong.getMessage().replaceFirst("\\.$", "") + ".");
    }
}
