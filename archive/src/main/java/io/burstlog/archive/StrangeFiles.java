// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Goes through the names of an archive, and finds what is not one of its files, or an old partial tile that was
 * changed.
 */
final class StrangeFiles {

    private final Disk disk;
    private final long size;
    private final Consumer<Finding> found;

    StrangeFiles(Disk disk, long size, Consumer<Finding> found) {
        this.disk = disk;
        this.size = size;
        this.found = found;
    }

    void check() throws IOException {
        check("");
    }

    private void check(String folder) throws IOException {
        for (String each : disk.list(folder)) {
            String name = folder + each;
            FileName parts = FileName.of(name);
            if (each.endsWith("/")) {
                check(name);
            } else if (parts == null) {
                found.accept(Finding.of(Finding.Kind.STRANGE, name + " is no file of an archive"));
            } else {
                check(name, parts);
            }
        }
    }

    private void check(String name, FileName parts) throws IOException {
        switch (parts.kind()) {
            case TILE, ENTRIES -> checkTile(name, parts);
            case PAYLOAD -> requireOfHead(name, parts.index() <= (size - 1) / Tiles.PAYLOAD_LEAVES);
            case PAYLOAD_EDGE ->
                requireOfHead(
                        name,
                        parts.index() == size / Tiles.PAYLOAD_LEAVES && parts.width() == size % Tiles.PAYLOAD_LEAVES);
            default -> {
                // Others check what stands in these.
            }
        }
    }

    private void requireOfHead(String name, boolean isOfHead) {
        if (!isOfHead) {
            found.accept(Finding.of(Finding.Kind.BEHIND, name + " is of another head"));
        }
    }

    private void checkTile(String name, FileName parts) throws IOException {
        int width = parts.width() == 0 ? Tiles.WIDTH : parts.width();
        int current = Tiles.width(parts.level(), parts.index(), size);
        if (width > current) {
            found.accept(Finding.of(Finding.Kind.BEHIND, name + " lies behind the head"));
        } else if (width < current) {
            boolean isEntries = parts.kind() == FileName.Kind.ENTRIES;
            try {
                checkOld(name, parts, width, current, isEntries);
            } catch (NoSuchFileException gone) {
                // An archiver deletes these, and verify tells of the current one if that is missing.
            }
        }
    }

    private void checkOld(String name, FileName parts, int width, int current, boolean isEntries) throws IOException {
        String now =
                isEntries ? Tiles.entries(parts.index(), current) : Tiles.tile(parts.level(), parts.index(), current);
        String full = isEntries
                ? Tiles.entries(parts.index(), Tiles.WIDTH)
                : Tiles.tile(parts.level(), parts.index(), Tiles.WIDTH);
        byte[] old = disk.read(name);
        byte[] whole = ArchiveReader.readPartial(disk, now, full);
        int length = isEntries ? ArchiveReader.bytesOf(whole, width) : width * Sha256.BYTES;
        // Another one is told of where the current tile is checked.
        if (length <= whole.length && !Arrays.equals(old, Arrays.copyOf(whole, length))) {
            found.accept(Finding.of(Finding.Kind.TREE, name + ", of an earlier head, is no beginning of " + now));
        }
    }
}
