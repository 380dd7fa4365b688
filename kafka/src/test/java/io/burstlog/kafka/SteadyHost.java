// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.burstlog.BurstConsumer;
import io.burstlog.ConsumedRecords;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * The application of {@link SteadyState}: it logs at a steady pace, consumes its own segments, and prints once a minute
 * how it fares. Each minute is a line: number, events, p50, p99, p99.9 and the longest call in nanoseconds, resident
 * memory in KiB, descriptors, threads, and how many records the consumer is behind. The last line has the events and
 * what the consumer took.
 */
final class SteadyHost {

    private static final AtomicLong CONSUMED = new AtomicLong();
    private static volatile long last = Long.MAX_VALUE;

    private SteadyHost() {}

    /**
     * Arguments: the folder of its segments, the number of minutes, how many events a second, and seconds in a minute.
     */
    public static void main(String[] arguments) throws Exception {
        String segments = arguments[0];
        int minutes = Integer.parseInt(arguments[1]);
        int pace = Integer.parseInt(arguments[2]);
        int events = pace * Integer.parseInt(arguments[3]);
        Logger logger = LogManager.getLogger("com.example.Trading");
        Thread consumer = new Thread(() -> consume(segments), "consumer");
        consumer.start();
        long pause = TimeUnit.SECONDS.toNanos(1) / pace;
        long[] took = new long[events];
        long next = System.nanoTime();
        for (int minute = 1; minute <= minutes; minute++) {
            for (int i = 0; i < events; i++, next += pause) {
                for (long left = next - System.nanoTime(); left > 0; left = next - System.nanoTime()) {
                    LockSupport.parkNanos(left);
                }
                long begin = System.nanoTime();
                logger.info("order {} accepted at 101.25, 300 of ESZ6, account 4711", i);
                took[i] = System.nanoTime() - begin;
            }
            report(minute, took, (long) minute * events);
        }
        last = (long) minutes * events;
        consumer.join();
        System.out.println("end " + last + " " + CONSUMED.get());
        LogManager.shutdown();
    }

    private static void consume(String segments) {
        try (BurstConsumer consumer = BurstConsumer.open(segments, "steady")) {
            while (CONSUMED.get() < last) {
                ConsumedRecords records = consumer.poll(1 << 20, Duration.ofMillis(100));
                while (records.next()) {
                    if (records.kind() == ConsumedRecords.Kind.RECORD) {
                        CONSUMED.incrementAndGet();
                    }
                }
                consumer.ack();
            }
        }
    }

    private static void report(int minute, long[] took, long logged) throws IOException {
        long[] sorted = took.clone();
        Arrays.sort(sorted);
        System.out.printf(
                "minute %d %d %d %d %d %d %d %d %d %d%n",
                minute,
                took.length,
                sorted[sorted.length / 2],
                sorted[(int) (sorted.length * 0.99)],
                sorted[(int) (sorted.length * 0.999)],
                sorted[sorted.length - 1],
                fromStatus("VmRSS"),
                descriptors(),
                fromStatus("Threads"),
                logged - CONSUMED.get());
    }

    private static long fromStatus(String name) throws IOException {
        return Files.readAllLines(Path.of("/proc/self/status"), US_ASCII).stream()
                .filter(line -> line.startsWith(name + ":"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .findFirst()
                .orElseThrow();
    }

    private static long descriptors() throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.count();
        }
    }
}
