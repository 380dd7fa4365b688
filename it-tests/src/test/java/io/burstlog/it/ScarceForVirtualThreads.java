// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import io.burstlog.BurstConfig;
import io.burstlog.BurstLog;
import io.burstlog.Durability;
import io.burstlog.RecordBuffer;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A child process with little memory outside its heap. It takes all of that, logs by a virtual thread, gives the memory
 * back, and logs by another one. It says what became of both.
 */
final class ScarceForVirtualThreads {

    private ScarceForVirtualThreads() {}

    /** The arguments are the paths of ring and log file. */
    public static void main(String[] arguments) throws Exception {
        BurstConfig config = BurstConfig.builder()
                .ring(arguments[0])
                .ringBytes(4 << 20)
                .fileName(arguments[1])
                .durability(Durability.PROCESS)
                .build();
        try (BurstLog log = BurstLog.open(config)) {
            RecordBuffer record = RecordBuffer.allocate(64, 64);
            record.clear().put(StandardCharsets.US_ASCII.encode("order\n"));
            List<ByteBuffer> taken = ScarceDirectMemory.takeAllMemory();
            append(log, record);
            taken.clear();
            append(log, record);
        }
    }

    private static void append(BurstLog log, RecordBuffer record) throws Exception {
        VirtualThreads.start(() -> {
                    try {
                        log.append(record, 0);
                        System.out.println("durable");
                    } catch (OutOfMemoryError refused) {
                        System.out.println("refused");
                    }
                    return null;
                })
                .join();
    }
}
