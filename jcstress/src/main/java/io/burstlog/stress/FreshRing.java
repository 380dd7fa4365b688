// SPDX-License-Identifier: Apache-2.0
package io.burstlog.stress;

import io.burstlog.BurstConfig;
import io.burstlog.BurstLog;
import io.burstlog.Durability;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The rings of this JVM's tests. They are opened one after the other; each is used by one pair of actors, closed and
 * opened again. {@link #forAllTests()} stays open as long as the JVM lives.
 */
public final class FreshRing {

    /** {@link RaceRunner} sets it, and removes the directory at the end. */
    static final String DIRECTORY_PROPERTY = "stress.directory";

    private static final long SMALLEST_RING_BYTES = 2 << 20;
    private static final long LARGE_RING_BYTES = 64 << 20;
    private static final Path DIRECTORY = create();
    private static final AtomicInteger USES = new AtomicInteger();

    private static final class Lasting {
        private static final BurstLog LOG =
                BurstLog.open(config("lasting", LARGE_RING_BYTES).build());
    }

    private FreshRing() {}

    private static Path create() {
        try {
            Path directory = Files.createTempDirectory(Path.of(System.getProperty(DIRECTORY_PROPERTY)), "jvm");
            Runtime.getRuntime().addShutdownHook(new Thread(() -> removeRings(directory)));
            return directory;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** The JVMs follow each other; the rings of all would need more memory than there is. */
    private static void removeRings(Path directory) {
        File[] rings = directory.toFile().listFiles((where, name) -> name.endsWith(".ring"));
        for (File ring : rings == null ? new File[0] : rings) {
            ring.delete();
        }
    }

    /** A log for all tests of this JVM at once. No test closes it. */
    public static BurstLog forAllTests() {
        return Lasting.LOG;
    }

    /** For a ring that is open only while one pair of actors uses it. */
    public static BurstConfig.Builder config() {
        USES.incrementAndGet();
        return config("fresh", SMALLEST_RING_BYTES);
    }

    /** The number of calls of {@link #config()}: no more such rings were opened. */
    static int uses() {
        return USES.get();
    }

    /** For a ring of any other use. Each name is a ring of its own. */
    public static BurstConfig.Builder config(String name, long bytes) {
        return BurstConfig.builder()
                .ring(path(name + ".ring").toString())
                .fileName(path(name + ".log").toString())
                .ringBytes(bytes)
                // The directory may be memory.
                .durability(Durability.PROCESS)
                // Or it may be a slow disk: the file must have everything after a close.
                .shutdownTimeout(Duration.ofMinutes(5));
    }

    public static Path path(String name) {
        return DIRECTORY.resolve(name);
    }

    /** The length of the log file of {@link #config()}; 0 if there is none yet. */
    public static long fileLength() {
        return path("fresh.log").toFile().length();
    }

    /** Counts how often the line is in that file from the offset on. */
    public static int count(String line, long offset) {
        byte[] tail;
        try (RandomAccessFile file = new RandomAccessFile(path("fresh.log").toFile(), "r")) {
            tail = new byte[(int) (file.length() - offset)];
            file.seek(offset);
            file.readFully(tail);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        return (int) new String(tail, StandardCharsets.UTF_8)
                .lines()
                .filter(line::equals)
                .count();
    }
}
