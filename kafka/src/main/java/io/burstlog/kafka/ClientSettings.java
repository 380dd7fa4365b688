// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import io.burstlog.BurstException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
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
                new Limit("delivery.timeout.ms", producer.getInt("delivery.timeout.ms"), linger),
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
        return all;
    }

    private static AbstractConfig read(ConfigDef known, Map<String, Object> properties) {
        Map<String, Object> all = new HashMap<>(properties);
        all.put("key.serializer", ByteArraySerializer.class);
        all.put("value.serializer", ByteArraySerializer.class);
        try {
            return new AbstractConfig(known, all, false);
        } catch (ConfigException wrong) {
            throw ShipperConfig.refused("a property of Kafka cannot be used: " + wrong.getMessage() + ".");
        }
    }
}
