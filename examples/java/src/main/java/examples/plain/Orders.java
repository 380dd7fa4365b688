// SPDX-License-Identifier: Apache-2.0
package examples.plain;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.burstlog.BurstConfig;
import io.burstlog.BurstLog;

/** Logs ten orders; each is durable when its append returns. Kill it at any time and start it again. */
public final class Orders {
    private Orders() {}

    public static void main(String[] arguments) {
        BurstConfig config =
                BurstConfig.builder().ring("orders.ring").fileName("orders.log").build();
        try (BurstLog log = BurstLog.open(config)) {
            for (int order = 1; order <= 10; order++) {
                long sequence = log.append(("order " + order + "\n").getBytes(UTF_8));
                System.out.println("order " + order + " is durable as record " + sequence);
            }
        }
    }
}
