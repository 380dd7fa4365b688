// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.List;

/** Copies an archive as docs/archive.md says, while its archiver may be at work. */
final class Copies {

    private static final String DRAFT = Tiles.CHECKPOINT + ".tmp";
    private static final List<String> FOLDERS = List.of(Tiles.PAYLOAD, Tiles.TILE, Tiles.KEYS);

    private Copies() {}

    static void copy(Disk from, Disk to) throws IOException {
        copyAll(from, to, List.of(Tiles.ANCHORS));
        to.write(DRAFT, from.read(Tiles.CHECKPOINT));
        boolean isWhole;
        do {
            isWhole = copyAll(from, to, FOLDERS);
        } while (!isWhole);
        copyAll(from, to, FOLDERS);
        to.rename(DRAFT, Tiles.CHECKPOINT);
    }

    /** {@return whether all files that were listed were there when they were copied} */
    private static boolean copyAll(Disk from, Disk to, List<String> names) throws IOException {
        boolean isWhole = true;
        for (String folder : names) {
            for (String each : from.list(folder)) {
                String name = folder + "/" + each;
                isWhole &= each.endsWith("/")
                        ? copyAll(from, to, List.of(name.substring(0, name.length() - 1)))
                        : copyFile(from, to, name);
            }
        }
        return isWhole;
    }

    private static boolean copyFile(Disk from, Disk to, String name) throws IOException {
        try {
            to.write(name, from.read(name, 0, (int) Math.max(0, from.length(name))));
            return true;
        } catch (NoSuchFileException gone) {
            return false;
        }
    }
}
