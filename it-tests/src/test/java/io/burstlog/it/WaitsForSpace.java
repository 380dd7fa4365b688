// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import io.burstlog.BurstConfig;
import io.burstlog.BurstLog;
import io.burstlog.BurstStats;
import java.time.Duration;

/**
 * A child process whose log file cannot grow, so that one thread waits for space in the ring and another for the log
 * file; meanwhile it collects garbage, for which the JVM stops all threads that run Java. Arguments: ring, its size,
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
        // More than ring and log file have room for together.
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
     * Not yet so when the ring is full for the first time: a slow log file may still take what waits in it. When it
     * takes no more, less is free than one record, the end of the lap that is too short for one, and the two blocks for
     * markers: 45 blocks of 4096 bytes with this ring and these records, and those of two records are 48. That is
     * little to spare: blocks larger than a file on any known disk has could leave more free, and this would wait for
     * ever.
     */
    private static boolean nothingMoves(BurstStats stats) {
        return stats.state() == BurstStats.State.STALLED
                && stats.usedBytes() > stats.capacityBytes() - 2 * RECORD_BYTES;
    }
}
