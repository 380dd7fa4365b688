// SPDX-License-Identifier: Apache-2.0
package examples.plain;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.burstlog.BurstConfig;
import io.burstlog.BurstLog;
import java.time.Duration;

/** The first calls that a program needs, and what each has made durable, and where, when it returns. */
public final class Calls {
    private Calls() {}

    public static void main(String[] arguments) {
        // doc: calls
        BurstConfig config =
                BurstConfig.builder().ring("orders.ring").fileName("orders.log").build();
        try (BurstLog log = BurstLog.open(config)) {
            log.append("order 1\n".getBytes(UTF_8)); // durable when it returns

            long sequence = log.enqueue("order 2\n".getBytes(UTF_8)); // made durable in the background
            System.out.println("durable: " + log.awaitDurable(sequence, Duration.ofSeconds(1)));
            System.out.println("in orders.log: " + log.awaitDrained(Duration.ofSeconds(1)));
        }
        // end
    }
}
