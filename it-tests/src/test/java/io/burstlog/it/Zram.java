// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A block device in memory, made for one test and removed after it. */
final class Zram implements AutoCloseable {
    private static final Path CONTROL = Path.of("/sys/class/zram-control");

    private final String number;
    private final Path device;
    private final boolean nodeMade;

    private Zram(String number, Path device, boolean nodeMade) {
        this.number = number;
        this.device = device;
        this.nodeMade = nodeMade;
    }

    /** The reason why there is none here; empty if there is one. */
    static String unavailable() {
        if (!Files.exists(CONTROL)) {
            return "this kernel has no zram (no " + CONTROL + ")";
        }
        return Files.isReadable(CONTROL.resolve("hot_add")) ? "" : "making a zram device needs root";
    }

    static Zram make(String size) throws IOException, InterruptedException {
        String number = Files.readString(CONTROL.resolve("hot_add")).strip();
        Path settings = Path.of("/sys/block/zram" + number);
        Files.writeString(settings.resolve("disksize"), size);
        Path device = Path.of("/dev/zram" + number);
        boolean nodeMade = !Files.exists(device);
        if (nodeMade) {
            String[] majorMinor =
                    Files.readString(settings.resolve("dev")).strip().split(":");
            Command.run("mknod", device.toString(), "b", majorMinor[0], majorMinor[1]);
        }
        return new Zram(number, device, nodeMade);
    }

    Path device() {
        return device;
    }

    @Override
    public void close() throws IOException {
        Files.writeString(Path.of("/sys/block/zram" + number, "reset"), "1");
        Files.writeString(CONTROL.resolve("hot_remove"), number);
        if (nodeMade) {
            Files.deleteIfExists(device);
        }
    }
}
