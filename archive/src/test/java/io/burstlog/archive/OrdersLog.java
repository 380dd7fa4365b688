// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import io.burstlog.BurstConfig;
import io.burstlog.BurstLog;
import io.burstlog.BurstStream;
import io.burstlog.Durability;
import io.burstlog.Segments;
import io.burstlog.StreamConfig;
import java.nio.file.Path;

/** A log whose stream {@code orders} has a folder of segments, for an archiver. */
record OrdersLog(BurstLog log, BurstStream stream) {

    /** @param folder where ring, log file and segments are */
    static OrdersLog open(Path folder, long ringBytes) {
        BurstLog log = BurstLog.open(BurstConfig.builder()
                .ring(folder.resolve("orders.ring").toString())
                .ringBytes(ringBytes)
                .durability(Durability.PROCESS)
                .build());
        StreamConfig orders = StreamConfig.builder()
                .fileName(folder.resolve("orders.log").toString())
                .segments(Segments.in(segments(folder)))
                .build();
        return new OrdersLog(log, log.stream("orders", orders));
    }

    static String segments(Path folder) {
        return folder.resolve("orders.segments").toString();
    }
}
