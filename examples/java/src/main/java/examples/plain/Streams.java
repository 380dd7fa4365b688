// SPDX-License-Identifier: Apache-2.0
package examples.plain;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.burstlog.BurstConfig;
import io.burstlog.BurstLog;
import io.burstlog.BurstStream;
import io.burstlog.Durability;
import io.burstlog.OnFull;
import io.burstlog.StreamConfig;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;

/**
 * Logs ten orders. An audit and a trace go to two more log files of the same ring. When an order's append returns the
 * order is durable, and so is the audit line before it. A trace line may be dropped when the ring is full.
 */
public final class Streams {
    private Streams() {}

    public static void main(String[] arguments) {
        // doc: streams
        StreamConfig ofOrders = StreamConfig.builder()
                .fileName("orders.log")
                .blockTimeout(Duration.ofSeconds(5))
                .build();
        BurstConfig config = BurstConfig.builder()
                .ring("orders.ring")
                .ringBytes(8 << 20)
                .main(ofOrders)
                .durability(Durability.POWER)
                .build();
        StreamConfig ofAudit = StreamConfig.builder()
                .fileName("audit.log")
                .filePermissions(PosixFilePermissions.fromString("rw-r-----"))
                .build();
        StreamConfig ofTrace = StreamConfig.builder()
                .fileName("trace.log")
                .onFull(OnFull.DISCARD)
                .build();
        try (BurstLog log = BurstLog.open(config);
                BurstStream audit = log.stream("audit", ofAudit);
                BurstStream trace = log.stream("trace", ofTrace)) {
            for (int order = 1; order <= 10; order++) {
                trace.enqueue(("order " + order + " is read\n").getBytes(UTF_8));
                audit.enqueue(("order " + order + " comes from alice\n").getBytes(UTF_8));
                log.append(("order " + order + "\n").getBytes(UTF_8));
                System.out.println("order " + order + " is durable");
            }
        }
        // end
    }
}
