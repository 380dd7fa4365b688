// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import io.burstlog.BurstConfig;
import io.burstlog.BurstLog;
import io.burstlog.BurstStats;
import java.time.Duration;

/**
 * A child process whose log file cannot grow. So one thread waits for space in the ring, and another for the log file.
 * Meanwhile the process collects garbage, for which the JVM stops all threads that run Java. Arguments: ring, its size,
 * log file.
 */
final class WaitsForSpace {
    private static final int RECORD_BYTES = 100_000;

    private WaitsForSpace() {}

    public static void main(String[] arguments) throws InterruptedException {
        long ringBytes = Long.parseLong(arguments[1]);
        BurstLog log = BurstLog.open(BurstConfig.builder()
                .ring(arguments[0])
                .ringBytes(ringBytes)
                .fileName(arguments[2])
                .build());
        // more than fits into ring and log file together
        long records = 3 * ringBytes / RECORD_BYTES;
        Thread writer = new Thread(() -> {
            for (long i = 0; i < records; i++) {
                log.append(new byte[RECORD_BYTES]);
            }
        });
        Thread other = new Thread(() -> log.awaitDrained(Duration.ofDays(1)));
        writer.start();
        while (!nothingMoves(log.stats())) {
            Thread.sleep(1);
        }
        other.start();
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        System.out.println(writer.isAlive() && other.isAlive() ? "collected while they wait" : "nobody waits");
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }

    /**
     * When the ring is full for the first time, a slow log file may still take records. When it takes no more, the free
     * space is less than the sum of these: one record; the end of the lap, which is too short for one; and two blocks
     * for markers. That sum is 45 blocks of 4096 bytes for this ring and these records; two records need 48. So there
     * is little to spare. Larger blocks, which no known disk has, could leave more space free, and this would wait for
     * ever.
     */
    private static boolean nothingMoves(BurstStats stats) {
        return stats.state() == BurstStats.State.STALLED
                && stats.usedBytes() > stats.capacityBytes() - 2 * RECORD_BYTES;
    }
}
