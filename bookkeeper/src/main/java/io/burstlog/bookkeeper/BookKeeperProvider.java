// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bookkeeper;

import io.burstlog.ShipperProvider;
import java.time.Duration;

/**
 * Makes a copier from the element {@code <BookKeeper>} of a configuration. {@link java.util.ServiceLoader} finds it.
 */
public final class BookKeeperProvider implements ShipperProvider {

    /** Called by {@link java.util.ServiceLoader}. */
    public BookKeeperProvider() {}

    @Override
    public String element() {
        return "BookKeeper";
    }

    @Override
    public void check(Request request) {
        Cluster.configuration(config(request).properties());
    }

    @Override
    public Shipper start(Request request) {
        Copier copier = Copier.start(config(request));
        return new Shipper() {
            @Override
            public boolean hasEnded() {
                return copier.failure() != null;
            }

            @Override
            public void close(Duration limit) {
                if (limit.isZero()) {
                    copier.close();
                } else {
                    copier.close(limit);
                }
            }
        };
    }

    static CopierConfig config(Request request) {
        CopierConfig.Builder config =
                CopierConfig.builder().folder(request.folder()).listener(request.listener());
        request.settings().forEach((name, value) -> set(config, name, value));
        request.properties().forEach(config::property);
        return config.build();
    }

    private static void set(CopierConfig.Builder config, String name, String value) {
        switch (name) {
            case "consumer" -> config.consumer(value);
            case "blockBytes" -> config.blockBytes((int) Math.min(Long.parseLong(value), Integer.MAX_VALUE));
            default -> throw new IllegalArgumentException(name);
        }
    }
}
