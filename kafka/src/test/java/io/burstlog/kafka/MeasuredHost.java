// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * The application of {@link KafkaComparison}: it logs "order N" at a steady pace, and notes each call's result in a
 * mapped file, which a SIGKILL leaves as it is. At its end it writes how long the calls took.
 */
final class MeasuredHost {

    /** The call returned. */
    static final byte RETURNED = 1;
    /** It threw. */
    static final byte THREW = 2;

    private MeasuredHost() {}

    /** Arguments: the folder of its files, the number of events, and how many events a second. */
    public static void main(String[] arguments) throws IOException {
        Path folder = Path.of(arguments[0]);
        int count = Integer.parseInt(arguments[1]);
        long pause = 1_000_000_000L / Integer.parseInt(arguments[2]);
        Logger logger = LogManager.getLogger("com.example.Trading");
        long[] took = new long[count];
        try (FileChannel file = FileChannel.open(
                folder.resolve("calls"),
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
            MappedByteBuffer calls = file.map(FileChannel.MapMode.READ_WRITE, 0, count);
            long next = System.nanoTime();
            for (int i = 0; i < count; i++, next += pause) {
                for (long left = next - System.nanoTime(); left > 0; left = next - System.nanoTime()) {
                    LockSupport.parkNanos(left);
                }
                long begin = System.nanoTime();
                byte came = RETURNED;
                try {
                    logger.info("order {}", i);
                } catch (RuntimeException notLogged) {
                    came = THREW;
                }
                took[i] = System.nanoTime() - begin;
                calls.put(i, came);
            }
        }
        LogManager.shutdown();
        if (count > 0) {
            Files.writeString(folder.resolve("took"), lineOf(took));
        }
    }

    /** Without the first tenth: p50, p99, p99.9 and the longest, in nanoseconds. */
    private static String lineOf(long[] took) {
        long[] counted = Arrays.copyOfRange(took, took.length / 10, took.length);
        Arrays.sort(counted);
        StringBuilder line = new StringBuilder();
        for (double share : new double[] {0.5, 0.99, 0.999}) {
            line.append(counted[(int) (counted.length * share)]).append(' ');
        }
        return line.append(counted[counted.length - 1]).toString();
    }
}
