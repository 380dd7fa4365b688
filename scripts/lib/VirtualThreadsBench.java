// SPDX-License-Identifier: Apache-2.0

import io.burstlog.BurstConfig;
import io.burstlog.BurstLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

/**
 * Threads that append durably to one log as fast as they can. Prints a line: kind, threads, batch delay, events a second,
 * p50, p99 and the maximum in us, the resident memory of the process at its peak, and how often threads of the process went
 * to sleep for an event. Needs JDK 21 or later.
 *
 * <p>Arguments: folder of the ring; virtual or platform; threads; seconds; batch delay in us.
 */
public final class VirtualThreadsBench {

    /** Buckets of 1/16 of a power of two, from 1 us on. */
    private static final int PER_DOUBLING = 16;

    private static final AtomicLongArray BUCKETS = new AtomicLongArray(PER_DOUBLING * 40);
    private static final LongAdder EVENTS = new LongAdder();
    private static volatile boolean isMeasuring;
    private static volatile boolean isOver;

    public static void main(String[] arguments) throws Exception {
        String ring = arguments[0] + "/bench.ring";
        String file = arguments[0] + "/bench.log";
        int threads = Integer.parseInt(arguments[2]);
        double seconds = Double.parseDouble(arguments[3]);
        long batchDelayMicros = Long.parseLong(arguments[4]);
        Files.deleteIfExists(Path.of(ring));
        Files.deleteIfExists(Path.of(file));
        BurstConfig config = BurstConfig.builder()
                .ring(ring)
                .fileName(file)
                .ringBytes(256 << 20)
                .batchDelay(Duration.ofNanos(batchDelayMicros * 1000))
                .build();
        try (BurstLog log = BurstLog.open(config)) {
            List<Thread> all = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                Runnable task = () -> append(log);
                all.add(arguments[1].equals("virtual")
                        ? Thread.ofVirtual().start(task)
                        : Thread.ofPlatform().start(task));
            }
            Thread.sleep(2000);
            isMeasuring = true;
            long sleptBefore = sleeps();
            long begin = System.nanoTime();
            Thread.sleep((long) (seconds * 1000));
            long events = EVENTS.sum();
            long slept = sleeps();
            double took = (System.nanoTime() - begin) / 1e9;
            isOver = true;
            for (Thread thread : all) {
                thread.join();
            }
            System.out.printf(
                    "%-8s %6d threads, batchDelay %5d us: %8.0f events/s, p50 %8.0f us, p99 %8.0f us, max %8.0f us, %5d MB,"
                            + " %.2f sleeps an event%n",
                    arguments[1],
                    threads,
                    batchDelayMicros,
                    events / took,
                    percentile(0.5),
                    percentile(0.99),
                    percentile(1),
                    peakMegabytes(),
                    (double) (slept - sleptBefore) / events);
        }
    }

    private static void append(BurstLog log) {
        byte[] record = ("an audit record of a usual length, made by one request of many: " + "x".repeat(91) + "\n")
                .getBytes();
        while (!isOver) {
            long begin = System.nanoTime();
            log.append(record);
            if (isMeasuring) {
                BUCKETS.incrementAndGet(bucketOf(System.nanoTime() - begin));
                EVENTS.increment();
            }
        }
    }

    private static int bucketOf(long nanos) {
        double micros = Math.max(1, nanos / 1000.0);
        return (int) Math.min(BUCKETS.length() - 1, Math.log(micros) / Math.log(2) * PER_DOUBLING);
    }

    private static double percentile(double share) {
        long all = 0;
        for (int i = 0; i < BUCKETS.length(); i++) {
            all += BUCKETS.get(i);
        }
        long seen = 0;
        int at = 0;
        for (; at < BUCKETS.length() && seen < all * share; at++) {
            seen += BUCKETS.get(at);
        }
        return Math.pow(2, (double) at / PER_DOUBLING);
    }

    /** How often a thread of this process has gone to sleep: each is woken once, by the medium or by another thread. */
    private static long sleeps() throws IOException {
        long sum = 0;
        try (Stream<Path> tasks = Files.list(Path.of("/proc/self/task"))) {
            for (Path task : tasks.toList()) {
                try {
                    sum += figure(task.resolve("status"), "voluntary_ctxt_switches:");
                } catch (NoSuchFileException ended) {
                    // No thread of the log ends meanwhile.
                }
            }
        }
        return sum;
    }

    private static long figure(Path status, String name) throws IOException {
        return Files.readAllLines(status).stream()
                .filter(line -> line.startsWith(name))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .sum();
    }

    private static long peakMegabytes() throws Exception {
        return figure(Path.of("/proc/self/status"), "VmHWM:") / 1024;
    }
}
