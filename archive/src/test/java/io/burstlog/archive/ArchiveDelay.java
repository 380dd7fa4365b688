// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.burstlog.BurstConfig;
import io.burstlog.BurstLog;
import io.burstlog.BurstReader;
import io.burstlog.BurstStream;
import io.burstlog.ReadRecords;
import io.burstlog.RecordBuffer;
import io.burstlog.Segments;
import io.burstlog.StreamConfig;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures how much later than it was durable the archiver takes a record: a program appends to a log at a rate, and
 * its archiver runs in the same process. When each record was durable stands in the index of the log file, when it was
 * taken in its leaf; both are by one clock. scripts/bench/archive-delay runs it.
 *
 * <pre>
 * FOLDER RECORDS-A-SECOND SECONDS
 * </pre>
 */
final class ArchiveDelay {

    private static final Duration LONG_ENOUGH = Duration.ofMinutes(1);
    private static final long SECOND_NANOS = 1_000_000_000;
    private static final long RING_BYTES = 64 << 20;
    private static final int POLL_BYTES = 1 << 20;

    private ArchiveDelay() {}

    public static void main(String[] arguments) throws IOException {
        Path folder = Files.createDirectories(Path.of(arguments[0]));
        int rate = Integer.parseInt(arguments[1]);
        long records = rate * Long.parseLong(arguments[2]);
        Path archive = folder.resolve("archive");
        Path key = folder.resolve("key");
        SigningKey.make("example.com/orders", key);
        Archiver.create(archive, key, null);
        StreamConfig orders = StreamConfig.builder()
                .fileName(folder.resolve("orders.log").toString())
                .index(true)
                .segments(Segments.in(OrdersLog.segments(folder)))
                .build();
        try (BurstLog log = BurstLog.open(BurstConfig.builder()
                        .ring(folder.resolve("orders.ring").toString())
                        .ringBytes(RING_BYTES)
                        .build());
                BurstStream stream = log.stream("orders", orders)) {
            Archiver archiver = Archiver.start(ArchiverConfig.builder()
                    .folder(OrdersLog.segments(folder))
                    .archive(archive.toString())
                    .key(key.toString())
                    .build());
            append(stream, records, rate);
            archiver.close(LONG_ENOUGH);
        }
        report(folder.resolve("orders.log"), archive);
    }

    private static void append(BurstStream stream, long records, int rate) {
        RecordBuffer record = RecordBuffer.allocate(64, 64);
        long begin = System.nanoTime();
        for (long number = 1; number <= records; number++) {
            long due = begin + number * SECOND_NANOS / rate;
            for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
            byte[] line = ("order " + number + " accepted\n").getBytes(UTF_8);
            stream.append(record.clear().put(ByteBuffer.wrap(line)), Clocks.now());
        }
    }

    private static void report(Path file, Path archive) {
        Map<Long, Long> durable = times(file);
        List<Long> delays = new ArrayList<>();
        Map<Long, Long> taken = times(archive);
        taken.forEach((sequence, time) -> {
            if (durable.getOrDefault(sequence, 0L) > 0) {
                delays.add(time - durable.get(sequence));
            }
        });
        Collections.sort(delays);
        System.out.printf(
                "%,d records archived; of %,d the index says when they were durable%n", taken.size(), delays.size());
        System.out.println("| taken behind durable, ms: least | p50 | p99 | p99.9 | most |\n|---|---|---|---|---|");
        System.out.printf(
                Locale.ROOT,
                "| %.2f | %.2f | %.2f | %.2f | %.2f |%n",
                at(delays, 0),
                at(delays, 0.5),
                at(delays, 0.99),
                at(delays, 0.999),
                at(delays, 1));
    }

    private static double at(List<Long> sorted, double share) {
        return sorted.get((int) Math.min(sorted.size() - 1, Math.floor(share * sorted.size()))) / 1e6;
    }

    /** {@return the durable time of each record that a source has, 0 if that is unknown, by its sequence} */
    private static Map<Long, Long> times(Path source) {
        Map<Long, Long> times = new HashMap<>();
        try (BurstReader reader = BurstReader.of(source.toString()).fromOldest().open()) {
            for (ReadRecords read = poll(reader); !read.isEmpty(); read = poll(reader)) {
                while (read.next()) {
                    times.put(read.sequence(), read.durableNanos());
                }
            }
        }
        return times;
    }

    private static ReadRecords poll(BurstReader reader) {
        return reader.poll(POLL_BYTES, Duration.ZERO);
    }
}
