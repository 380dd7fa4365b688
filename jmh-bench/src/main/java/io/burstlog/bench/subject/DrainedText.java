// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.subject;

import io.burstlog.BurstConfig;
import io.burstlog.BurstException;
import io.burstlog.BurstLog;
import io.burstlog.BurstStream;
import io.burstlog.Durability;
import io.burstlog.Io;
import io.burstlog.RecordBuffer;
import io.burstlog.StreamConfig;
import io.burstlog.log4j.rolling.FileRolling;
import io.burstlog.log4j.rolling.RollingSettings;
import io.burstlog.log4j.rolling.RollingStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.logging.log4j.core.appender.rolling.DefaultRolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.NoOpTriggeringPolicy;
import org.apache.logging.log4j.core.config.DefaultConfiguration;
import org.apache.logging.log4j.core.layout.PatternLayout;

/**
 * The same lines written to the disk in several ways: bare, and by drains whose ring is in memory and holds all of them
 * when they begin.
 */
public final class DrainedText implements AutoCloseable {

    /** Written by hand, a megabyte after the other, and synced. */
    public static final String BARE = "bare";

    private static final String ONE_FILE = "one file";
    private static final String ROLLED = "rolled";
    private static final String COMPRESSED = "rolled and .zst";

    public static final List<String> DRAINS = List.of(ONE_FILE, ROLLED, COMPRESSED);

    public static final List<String> WAYS = List.of(BARE, ONE_FILE, ROLLED, COMPRESSED);

    private static final Duration LONG = Duration.ofMinutes(5);
    private static final Duration IDLE = Duration.ofMinutes(10);

    /** The drain begins by itself when an eighth of the ring is full. */
    private static final int RING_BYTES_PER_BYTE = 10;

    private static final long REST_MILLIS = 50;
    private static final int LINES = 4096;
    private static final int WRITE_BYTES = 1 << 20;
    private static final long LONGEST_BARE_BYTES = 1L << 30;

    private final com.sun.management.OperatingSystemMXBean process =
            (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private final Media media;
    private final int bytes;
    private final byte[][] lines;
    private final FileChannel bare;
    private final Map<String, Log> logs = new LinkedHashMap<>();

    /** What a block took until it was on the disk, and of all processors together. */
    public record Block(double seconds, double processorSeconds) {}

    private record Log(BurstLog ring, BurstStream stream, FileRolling rolling, Path folder) {}

    /** @param bytes of a block */
    public DrainedText(Media media, int bytes) throws IOException, Media.NotPossible {
        this.media = media;
        this.bytes = bytes;
        this.lines = lines(media.bytes());
        this.bare = FileChannel.open(
                media.file("bare.log"), StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND);
        logs.put(ONE_FILE, open("one", null));
        logs.put(ROLLED, open("rolled", ".log"));
        logs.put(COMPRESSED, open("zst", ".log.zst"));
    }

    /** Words that differ from line to line, so that they compress about as logs do. */
    private static byte[][] lines(int bytes) {
        Random random = new Random(7);
        byte[][] lines = new byte[LINES][];
        for (int i = 0; i < LINES; i++) {
            StringBuilder line = new StringBuilder("2026-11-22T12:00:00,").append(1000 + random.nextInt(9000));
            while (line.length() < bytes - 1) {
                line.append(' ').append(Integer.toString(random.nextInt(5000) * 7919, 36));
            }
            line.setLength(bytes - 1);
            lines[i] = line.append('\n').toString().getBytes(StandardCharsets.US_ASCII);
        }
        return lines;
    }

    /** @param end of the names of files that ended; null: none does */
    private Log open(String name, String end) throws Media.NotPossible {
        Media.Ring ring = media.ring("mapped", name);
        Path folder = media.file(name);
        String file = folder.resolve("text.log").toString();
        try {
            BurstLog log = BurstLog.open(BurstConfig.builder()
                    .ring(ring.path().toString())
                    .ringBytes((long) RING_BYTES_PER_BYTE * bytes)
                    .durability(Durability.PROCESS)
                    .io(Io.MAPPED)
                    .drainInterval(IDLE)
                    .build());
            BurstStream stream = log.stream(
                    null,
                    StreamConfig.builder()
                            .fileName(file)
                            .rollsByCaller(end != null)
                            .build());
            if (end == null) {
                return new Log(log, stream, null, folder);
            }
            FileRolling rolling =
                    FileRolling.of(settings(file, folder + "/text-%i" + end), RollingStream.of(stream, log, name));
            rolling.begin(true);
            return new Log(log, stream, rolling, folder);
        } catch (BurstException refused) {
            throw new Media.NotPossible(refused.getMessage(), refused);
        }
    }

    @SuppressWarnings("deprecation") // What replaces the factory is missing in older versions of Log4j.
    private static RollingSettings settings(String file, String pattern) {
        return new RollingSettings(
                "Bench",
                file,
                pattern,
                NoOpTriggeringPolicy.createPolicy(),
                DefaultRolloverStrategy.createStrategy(
                        "100000", null, null, null, null, true, new DefaultConfiguration()),
                PatternLayout.createDefaultLayout(),
                null,
                new RollingSettings.FileAttributes(null, null, null),
                new RollingSettings.Archives(Duration.ZERO, 0, Duration.ZERO),
                false,
                false,
                null);
    }

    /** Writes a block in one of the ways. */
    public Block write(String way) throws IOException, InterruptedException {
        return way.equals(BARE) ? writeBare() : drain(logs.get(way));
    }

    private Block writeBare() throws IOException, InterruptedException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(WRITE_BYTES);
        for (int i = 0; buffer.remaining() >= lines[0].length; i++) {
            buffer.put(lines[i % LINES]);
        }
        buffer.flip();
        letTheDiskRest();
        long processors = process.getProcessCpuTime();
        long begin = System.nanoTime();
        for (int written = 0; written < bytes; ) {
            written += bare.write(buffer.rewind());
        }
        bare.force(false);
        Block block = since(begin, processors);
        if (bare.size() > LONGEST_BARE_BYTES) {
            bare.truncate(0);
        }
        return block;
    }

    private Block since(long begin, long processors) {
        double seconds = (System.nanoTime() - begin) / 1e9;
        return new Block(seconds, (process.getProcessCpuTime() - processors) / 1e9);
    }

    private Block drain(Log log) throws IOException, InterruptedException {
        RecordBuffer record = RecordBuffer.allocate(media.bytes(), media.bytes());
        int lineCount = bytes / media.bytes();
        long drained = log.stream().stats().drainedBytes();
        for (int i = 0; i < lineCount; i++) {
            record.clear();
            record.ensureRemaining(media.bytes()).put(lines[i % LINES]);
            log.stream().enqueue(record, 0);
            if (log.rolling() != null && i + 1 == lineCount / 2) {
                log.rolling().manager().rollover(); // compressed while the other half is written
            }
        }
        log.ring().flush();
        if (log.stream().stats().drainedBytes() - drained > bytes / 10) {
            throw new IllegalStateException("The drain did not wait until the ring held its block.");
        }
        letTheDiskRest();
        long processors = process.getProcessCpuTime();
        long begin = System.nanoTime();
        if (!log.stream().awaitDrained(LONG)) {
            throw new IllegalStateException("The ring is not drained after " + LONG + ".");
        }
        Block block = since(begin, processors);
        settle(log.folder());
        return block;
    }

    private static void letTheDiskRest() throws InterruptedException {
        Thread.sleep(REST_MILLIS);
    }

    /** So that nobody pays for the files of another. */
    private static void settle(Path folder) throws IOException, InterruptedException {
        while (isCompressing(folder)) {
            Thread.sleep(5);
        }
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file :
                    files.filter(each -> each.toString().contains("text-")).toList()) {
                Files.delete(file);
            }
        }
    }

    private static boolean isCompressing(Path folder) throws IOException {
        if (!folder.endsWith("zst")) {
            return false;
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.anyMatch(
                    file -> !file.endsWith("text.log") && !file.toString().endsWith(".zst"));
        }
    }

    @Override
    public void close() throws IOException {
        bare.close();
        for (Log log : logs.values()) {
            log.ring().close();
            if (log.rolling() != null) {
                log.rolling().end(LONG);
            }
        }
    }
}
