// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.subject;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/**
 * zram devices with an empty ring each, in place of a fast device. A file in the run folder lists them, so that another
 * process can remove them.
 */
public final class Zram {

    private static final Path CONTROL = Path.of("/sys/class/zram-control");
    private static final String MARK = ".zram";
    private static final int MEGABYTE = 1 << 20;
    private static final int RING_MEGABYTES = 64;

    /** The size of each ring. */
    public static final long RING_BYTES = (long) RING_MEGABYTES * MEGABYTE;

    private static final int REMOVALS = 50;
    private static final long PAUSE_MILLIS = 100;

    private Zram() {}

    /** Makes so many. */
    public static List<Path> make(int count, Path folder) throws IOException, Media.NotPossible {
        List<Path> devices = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            devices.add(make(folder));
        }
        return devices;
    }

    private static Path make(Path folder) throws IOException, Media.NotPossible {
        if (!Files.isReadable(CONTROL.resolve("hot_add"))) {
            throw new Media.NotPossible(
                    Files.exists(CONTROL)
                            ? "only root can make a zram device; give another ring, or run it as root"
                            : "the kernel has no zram; `modprobe zram` loads it where it is a module");
        }
        Path burstlog = Programs.unpack("burstlog", folder);
        String number = Files.readString(CONTROL.resolve("hot_add")).strip();
        Files.createFile(folder.resolve(number + MARK));
        Path sys = Path.of("/sys/block/zram" + number);
        Files.writeString(sys.resolve("disksize"), 4 * RING_MEGABYTES + "M");
        Path device = Path.of("/dev/zram" + number);
        if (!Files.exists(device)) {
            String[] major = Files.readString(sys.resolve("dev")).strip().split(":");
            Programs.run("mknod", device.toString(), "b", major[0], major[1]);
        }
        format(burstlog, device);
        fill(device);
        return device;
    }

    /** Makes an empty ring, whatever the device holds. */
    static void format(Path burstlog, Path device) throws IOException, Media.NotPossible {
        Programs.run(burstlog.toString(), "format", "--force", "--size=" + RING_MEGABYTES + "M", device.toString());
    }

    /** zram takes a short cut for zeros. When it is filled with random bytes all blocks cost the same. */
    private static void fill(Path device) throws IOException {
        byte[] bytes = new byte[MEGABYTE];
        Random random = new Random(1);
        try (var channel = Files.newByteChannel(device, StandardOpenOption.WRITE)) {
            channel.position(MEGABYTE);
            try (OutputStream out = java.nio.channels.Channels.newOutputStream(channel)) {
                for (int i = 1; i < RING_MEGABYTES; i++) {
                    random.nextBytes(bytes);
                    out.write(bytes);
                }
                ((java.nio.channels.FileChannel) channel).force(true);
            }
        }
    }

    /** Removes the devices of a run folder. It waits for a device that a dying process still holds. */
    static void removeAll(Path folder) throws IOException {
        List<Path> marks;
        try (Stream<Path> files = Files.list(folder)) {
            marks = files.filter(file -> file.toString().endsWith(MARK)).toList();
        } catch (NoSuchFileException gone) {
            return;
        }
        for (Path mark : marks) {
            String number = mark.getFileName().toString().replace(MARK, "");
            remove(number);
            Files.deleteIfExists(Path.of("/dev/zram" + number));
            Files.deleteIfExists(mark);
        }
    }

    private static void remove(String number) throws IOException {
        for (int i = 1; ; i++) {
            try {
                Files.writeString(CONTROL.resolve("hot_remove"), number, StandardOpenOption.WRITE);
                return;
            } catch (IOException busy) {
                if (i == REMOVALS) {
                    throw busy;
                }
            }
            try {
                Thread.sleep(PAUSE_MILLIS);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
