// SPDX-License-Identifier: Apache-2.0
package examples.plain;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.burstlog.BurstConfig;
import io.burstlog.BurstLog;
import io.burstlog.Rolling;
import io.burstlog.StreamConfig;
import java.time.Duration;

/** Logs thirty orders to files of ten. Kill it at any time and start it again: each order is in one of them. */
public final class RolledOrders {
    private RolledOrders() {}

    public static void main(String[] arguments) {
        // doc: rolling
        Rolling rolling = Rolling.to("old/orders-%Y-%m-%d-%i.log")
                .size(90) // a file ends before it gets longer,
                .interval(Duration.ofDays(1)) // and at midnight
                .compress(true)
                .keepFiles(30);
        StreamConfig orders =
                StreamConfig.builder().fileName("orders.log").rolling(rolling).build();
        BurstConfig config =
                BurstConfig.builder().ring("orders.ring").main(orders).build();
        // end
        try (BurstLog log = BurstLog.open(config)) {
            for (int order = 1; order <= 30; order++) {
                log.append("order %02d\n".formatted(order).getBytes(UTF_8));
            }
        }
    }
}
