// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import io.burstlog.ShipperProvider;
import java.time.Duration;

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
        config(request);
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

    static ShipperConfig config(Request request) {
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
            case "keyPattern" -> config.keyPattern(value);
            case "headers" -> config.headers(SettingTexts.headers(value));
            case "transactionBytes" -> config.transactionBytes((int) Math.min(Long.parseLong(value), 1 << 30));
            case "acceptOldBrokers" -> config.acceptOldBrokers(Boolean.parseBoolean(value));
            default -> throw new IllegalArgumentException(name);
        }
    }
}
