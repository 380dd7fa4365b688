// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.subject;

import io.burstlog.BurstConfig;
import io.burstlog.BurstException;
import io.burstlog.BurstLog;
import io.burstlog.BurstStream;
import io.burstlog.Durability;
import io.burstlog.Io;
import io.burstlog.RecordBuffer;
import io.burstlog.Segments;
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
 * The same lines are written to the disk in several ways: bare, and by drains whose ring is in memory and holds all
 * lines when they begin.
 */
public final class DrainedText implements AutoCloseable {

    /** Plain writes of a megabyte each, and a sync. */
    public static final String BARE = "bare";

    /** As {@link #BARE}, while the text goes to a file in memory. */
    public static final String BARE_AND_TEXT = "bare, with text in memory";

    private static final String ONE_FILE = "one file";
    private static final String ROLLED = "rolled";
    private static final String COMPRESSED = "rolled and .zst";

    /** Its log file is in memory. */
    private static final String SEGMENTS = "segments";

    public static final List<String> DRAINS = List.of(ONE_FILE, ROLLED, COMPRESSED, SEGMENTS);

    public static final List<String> WAYS = List.of(BARE, BARE_AND_TEXT, ONE_FILE, ROLLED, COMPRESSED, SEGMENTS);

    private static final Duration LONG = Duration.ofMinutes(5);
    private static final Duration IDLE = Duration.ofMinutes(10);

    /** The drain begins by itself when an eighth of the ring is full. */
    private static final int RING_BYTES_PER_BYTE = 10;

    private static final long REST_MILLIS = 50;
    private static final int LINES = 4096;

    /** Each record in a segment has one. */
    private static final int HEADER_BYTES = 64;

    private static final int WRITE_BYTES = 1 << 20;
    private static final long LONGEST_BARE_BYTES = 1L << 30;

    private final com.sun.management.OperatingSystemMXBean process =
            (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private final Media media;
    private final int bytes;
    private final byte[][] lines;
    private final FileChannel bare;
    private final Map<String, Log> logs = new LinkedHashMap<>();

    /**
     * A block's time until it was on the disk, and the time of all processors together.
     *
     * @param bytes that it has on the disk
     */
    public record Block(long bytes, double seconds, double processorSeconds) {}

    private record Log(BurstLog ring, BurstStream stream, FileRolling rolling, Path folder, Path segments) {}

    /** @param bytes of a block */
    public DrainedText(Media media, int bytes) throws IOException, Media.NotPossible {
        this.media = media;
        this.bytes = bytes;
        this.lines = lines(media.bytes());
        this.bare = FileChannel.open(
                media.file("bare.log"), StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND);
        logs.put(ONE_FILE, open("one", media.file("one"), null, null));
        logs.put(ROLLED, open("rolled", media.file("rolled"), ".log", null));
        logs.put(COMPRESSED, open("zst", media.file("zst"), ".log.zst", null));
        logs.put(SEGMENTS, open(SEGMENTS, media.memory().resolve("text"), ".log", media.file(SEGMENTS)));
    }

    /** Lines of words that differ from line to line, so that they compress about as logs do. */
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

    /**
     * @param folder of the text
     * @param end of the names of rolled files; null: nothing is rolled
     * @param segments their folder; null: there are none
     */
    private Log open(String name, Path folder, String end, Path segments) throws Media.NotPossible {
        Media.Ring ring = media.ring("mapped", name);
        String file = folder.resolve("text.log").toString();
        try {
            BurstLog log = BurstLog.open(config(ring));
            BurstStream stream = log.stream(
                    null,
                    StreamConfig.builder()
                            .fileName(file)
                            .segments(segments == null ? null : Segments.in(segments.toString()))
                            .rollsByCaller(end != null)
                            .build());
            if (end == null) {
                return new Log(log, stream, null, folder, segments);
            }
            FileRolling rolling =
                    FileRolling.of(settings(file, folder + "/text-%i" + end), RollingStream.of(stream, log, name));
            rolling.begin(true);
            return new Log(log, stream, rolling, folder, segments);
        } catch (BurstException refused) {
            throw new Media.NotPossible(refused.getMessage(), refused);
        }
    }

    private BurstConfig config(Media.Ring ring) {
        return BurstConfig.builder()
                .ring(ring.path().toString())
                .ringBytes((long) RING_BYTES_PER_BYTE * bytes)
                .durability(Durability.PROCESS)
                .io(Io.MAPPED)
                .drainInterval(IDLE)
                .build();
    }

    @SuppressWarnings("deprecation") // Older versions of Log4j do not have the factory's replacement.
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

    /** The name of the bare way that writes this way's bytes to the same places. */
    public static String bareOf(String way) {
        return way.equals(SEGMENTS) ? BARE_AND_TEXT : BARE;
    }

    /** Writes a block in one of the ways. */
    public Block write(String way) throws IOException, InterruptedException {
        return way.equals(BARE) || way.equals(BARE_AND_TEXT)
                ? writeBare(way.equals(BARE_AND_TEXT))
                : drain(logs.get(way));
    }

    private Block writeBare(boolean withText) throws IOException, InterruptedException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(WRITE_BYTES / lines[0].length * lines[0].length);
        for (int i = 0; buffer.hasRemaining(); i++) {
            buffer.put(lines[i % LINES]);
        }
        Path text = media.memory().resolve("bare.text");
        prepare();
        Block block;
        try (FileChannel memory = FileChannel.open(text, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            long processors = process.getProcessCpuTime();
            long begin = System.nanoTime();
            for (int written = 0; written < bytes; ) {
                int piece = bare.write(buffer.clear());
                written += piece;
                if (withText) {
                    memory.write(buffer.clear().limit(textOf(piece)));
                }
            }
            bare.force(false);
            block = since(begin, processors, bytes);
        }
        Files.delete(text);
        if (bare.size() > LONGEST_BARE_BYTES) {
            bare.truncate(0);
        }
        return block;
    }

    /** The text's length in so many bytes of segments. */
    private int textOf(int bytesOfSegments) {
        return (int) ((long) bytesOfSegments * media.bytes() / (media.bytes() + HEADER_BYTES));
    }

    private Block since(long begin, long processors, long written) {
        double seconds = (System.nanoTime() - begin) / 1e9;
        return new Block(written, seconds, (process.getProcessCpuTime() - processors) / 1e9);
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
        prepare();
        long before = bytesOfSegments(log.segments());
        long processors = process.getProcessCpuTime();
        long begin = System.nanoTime();
        if (!log.stream().awaitDrained(LONG)) {
            throw new IllegalStateException("The ring is not drained after " + LONG + ".");
        }
        Block block = since(begin, processors, 0);
        long more = bytesOfSegments(log.segments()) - before;
        settle(log);
        return new Block(more > 0 ? more : bytes, block.seconds(), block.processorSeconds());
    }

    private static long bytesOfSegments(Path folder) throws IOException {
        long sum = 0;
        for (Path segment : segments(folder)) {
            sum += Files.size(segment);
        }
        return sum;
    }

    private static List<Path> segments(Path folder) throws IOException {
        if (folder == null || !Files.exists(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".seg"))
                    .sorted()
                    .toList();
        }
    }

    /**
     * Lets the disk rest, and makes sure that recently used memory is free. A virtual machine's host may have taken
     * idle memory back: each page of that takes ten times as long.
     */
    private void prepare() throws IOException, InterruptedException {
        Path file = media.file("used");
        Thread.sleep(REST_MILLIS);
        ByteBuffer buffer = ByteBuffer.allocateDirect(WRITE_BYTES);
        try (FileChannel used = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            for (long written = 0; written < 3L * bytes; ) {
                written += used.write(buffer.rewind());
            }
        }
        Files.delete(file);
    }

    /** So each way pays only for its own files. */
    private static void settle(Log log) throws IOException, InterruptedException {
        Path folder = log.folder();
        while (isCompressing(folder)) {
            Thread.sleep(5);
        }
        List<Path> segments = segments(log.segments());
        for (Path ended : segments.subList(0, Math.max(0, segments.size() - 1))) {
            Files.delete(ended);
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
