// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.burstlog.ConsumedRecords;
import io.burstlog.ShipperProvider;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Makes a shipper from the element {@code <Kafka>} of a configuration. {@link java.util.ServiceLoader} finds it. */
public final class KafkaProvider implements ShipperProvider {

    /** Called by {@link java.util.ServiceLoader}. */
    public KafkaProvider() {}

    @Override
    public String element() {
        return "Kafka";
    }

    @Override
    public void check(Request request) {
        Map<String, Object> properties = new HashMap<>(config(request).properties());
        properties.put("key.serializer", ByteArraySerializer.class);
        properties.put("value.serializer", ByteArraySerializer.class);
        try {
            new AbstractConfig(ProducerConfig.configDef(), properties, false);
        } catch (ConfigException wrong) {
            throw ShipperConfig.refused("a property of Kafka cannot be used: " + wrong.getMessage() + ".");
        }
    }

    @Override
    public Shipper start(Request request) {
        KafkaShipper shipper = KafkaShipper.start(config(request), request.isManaged());
        return new Shipper() {
            @Override
            public boolean hasEnded() {
                return shipper.failure() != null;
            }

            @Override
            public void close(Duration limit) {
                if (limit.isZero()) {
                    shipper.close();
                } else {
                    shipper.close(limit);
                }
            }
        };
    }

    private static ShipperConfig config(Request request) {
        ShipperConfig.Builder config =
                ShipperConfig.builder().folder(request.folder()).listener(request.listener());
        request.settings().forEach((name, value) -> set(config, name, value));
        request.properties().forEach(config::property);
        return config.build();
    }

    private static void set(ShipperConfig.Builder config, String name, String value) {
        switch (name) {
            case "topic" -> config.topic(value);
            case "consumer" -> config.consumer(value);
            case "partition" -> config.partition(Integer.parseInt(value));
            case "keyPattern" -> config.key(keyOf(value));
            case "headers" -> config.headers(headers(value));
            case "transactionBytes" -> config.transactionBytes((int) Math.min(Long.parseLong(value), 1 << 30));
            case "acceptOldBrokers" -> config.acceptOldBrokers(Boolean.parseBoolean(value));
            default -> throw new IllegalArgumentException(name);
        }
    }

    /**
     * The key is the first group that the expression finds in the text of a record; a record without a match has no
     * key.
     */
    private static Function<ConsumedRecords, byte[]> keyOf(String regularExpression) {
        Pattern pattern;
        try {
            pattern = Pattern.compile(regularExpression);
        } catch (PatternSyntaxException wrong) {
            throw ShipperConfig.refused("keyPattern=\"" + regularExpression + "\" is no regular expression: "
                    + wrong.getDescription() + ".");
        }
        if (pattern.matcher("").groupCount() != 1) {
            throw ShipperConfig.refused("keyPattern=\"" + regularExpression
                    + "\" cannot be used: put what is to be the key, and nothing else, between ( and ).");
        }
        return record -> {
            Matcher found = pattern.matcher(UTF_8.decode(record.data()));
            return found.find() && found.group(1) != null ? found.group(1).getBytes(UTF_8) : null;
        };
    }

    private static Set<ShipperConfig.Header> headers(String names) {
        Set<ShipperConfig.Header> headers = EnumSet.noneOf(ShipperConfig.Header.class);
        if (!names.equalsIgnoreCase("none")) {
            for (String name : names.split("\\s*,\\s*")) {
                headers.add(Arrays.stream(ShipperConfig.Header.values())
                        .filter(header -> header.name().equalsIgnoreCase(name))
                        .findFirst()
                        .orElseThrow(() -> ShipperConfig.refused("headers=\"" + names
                                + "\" cannot be used: name some of ring, stream, sequence, time, or none"
                                + ".")));
            }
        }
        return headers;
    }
}
