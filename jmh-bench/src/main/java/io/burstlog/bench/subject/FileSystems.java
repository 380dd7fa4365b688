// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.subject;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;

/**
 * File systems made for a run, each in a file of the run folder on a loop device, or in memory. Only root can make
 * them.
 */
public final class FileSystems {

    private static final long IMAGE_BYTES = 640L << 20; // xfs wants 300 MB

    private FileSystems() {}

    /** Mounts an empty one in the folder. It stays until the run's folder is removed. */
    public static Path mount(String type, Path folder) throws IOException, Media.NotPossible {
        Path at = Files.createDirectories(folder.resolve("on-" + type));
        if (type.equals("tmpfs") || type.equals("ramfs")) {
            Programs.run("mount", "-t", type, "-o", "size=256m", type, at.toString());
            return at;
        }
        Path image = folder.resolve(type + ".img");
        try (FileChannel channel = FileChannel.open(image, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.allocate(1), IMAGE_BYTES - 1);
        }
        String force = type.startsWith("ext") ? "-F" : "-f";
        Programs.run("mkfs." + type, "-q", force, image.toString());
        Programs.run("mount", "-t", type, "-o", "loop", image.toString(), at.toString());
        return at;
    }

    /** Unmounts all file systems below the folder; their loop devices go with them. */
    static void unmountAll(Path folder) throws IOException, Media.NotPossible {
        List<String> places;
        try (Stream<String> mounts = Files.lines(Path.of("/proc/mounts"))) {
            places = mounts.map(line -> line.split(" ")[1])
                    .filter(place -> place.startsWith(folder + "/"))
                    .toList();
        }
        for (String place : places) {
            Programs.run("umount", place);
        }
    }
}
