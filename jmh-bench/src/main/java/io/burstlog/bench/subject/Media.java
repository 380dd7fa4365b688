// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.subject;

import io.burstlog.bench.harness.Options;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * Places for rings and log files. Log files are in the folder {@code --dir}. Rings are on a medium: {@code ssd}, files
 * in that folder; {@code device}, the block devices {@code --devices}, one ring on each; {@code mapped}, files on
 * tmpfs, in the folder {@code --memory}; or the path of a block device that {@code burstlog format} prepared.
 */
public final class Media {

    private final Path directory;
    private final Path memory;
    private final String appendBench;
    private final List<Path> devices;
    private final Deque<Path> freeDevices;
    private final int bytes;
    private final int rollBytes;

    /** A target lacks something here; the message says what. */
    public static final class NotPossible extends Exception {
        private static final long serialVersionUID = 1;

        NotPossible(String message) {
            super(message);
        }

        NotPossible(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /**
     * A place for a ring.
     *
     * @param io how it is written, as in the configuration of a log
     */
    public record Ring(Path path, String io) {}

    public Media(Options options) throws IOException {
        directory =
                Files.createDirectories(options.path("dir", "target/bench/run").toAbsolutePath());
        memory = options.path(
                "memory", "/dev/shm/burstlog-bench-" + ProcessHandle.current().pid());
        appendBench = options.text("append-bench", "");
        devices = options.list("devices", "").stream().map(Path::of).toList();
        freeDevices = new ArrayDeque<>(devices);
        bytes = options.number("bytes", 256);
        rollBytes = options.number("roll-bytes", 1_000_000);
    }

    /** Bytes of a message. */
    public int bytes() {
        return bytes;
    }

    /** The size at which a log file is rolled. */
    int rollBytes() {
        return rollBytes;
    }

    public Path directory() {
        return directory;
    }

    public List<Path> devices() {
        return devices;
    }

    /** The folder on tmpfs; the first ring in it makes it. */
    public Path memory() {
        return memory;
    }

    /** The program that appends in C. */
    Path appendBench() throws IOException, NotPossible {
        return appendBench.isEmpty()
                ? Programs.unpack("append_bench", directory)
                : Path.of(appendBench).toAbsolutePath();
    }

    /** A file on the SSD. */
    public Path file(String name) {
        return directory.resolve(name);
    }

    /** The place for a ring of that name. Each device has one ring. */
    public Ring ring(String medium, String name) throws NotPossible {
        return switch (medium) {
            case "ssd" -> new Ring(file(name + "-ssd.ring"), "auto");
            case "device" -> new Ring(nextDevice(), "auto");
            case "mapped" -> new Ring(inMemory(name + "-mapped.ring"), "mapped");
            default -> {
                if (!medium.startsWith("/")) {
                    throw new IllegalArgumentException("There is no medium \"" + medium
                            + "\"; there are ssd, device, mapped, and paths of block devices.");
                }
                if (!Files.exists(Path.of(medium))) {
                    throw new NotPossible("there is no device " + medium);
                }
                yield new Ring(Path.of(medium), "auto");
            }
        };
    }

    /** Empties a ring: its next log is its first. */
    public void renew(Ring ring) throws IOException, NotPossible {
        if (ring.path().startsWith("/dev")) {
            Zram.format(Programs.unpack("burstlog", directory), ring.path());
        } else {
            Files.deleteIfExists(ring.path());
        }
    }

    private Path nextDevice() throws NotPossible {
        Path device = freeDevices.poll();
        if (device == null) {
            throw new NotPossible(
                    devices.isEmpty()
                            ? "there is no fast device: zram needs root and the kernel's zram, others are given by --devices"
                            : "all devices given by --devices are in use: " + devices);
        }
        return device;
    }

    private Path inMemory(String name) throws NotPossible {
        try {
            return Files.createDirectories(memory).resolve(name);
        } catch (IOException failure) {
            throw new NotPossible("there is no memory for files at " + memory + ": " + failure.getMessage(), failure);
        }
    }

    /** Deletes all files in memory. The folder on the SSD belongs to the user who named it. */
    public void clear() throws IOException {
        RunFolder.delete(memory);
    }
}
