// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import java.io.IOException;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Goes through the names of an archive, and finds what is not one of its files, or an old partial tile that was
 * changed.
 */
final class StrangeFiles {

    private static final Pattern TILE =
            Pattern.compile("tile/(entries|\\d{1,2})/((?:x\\d{3}/)*)(\\d{3})(?:\\.p/(\\d{1,3}))?");
    private static final Pattern PAYLOAD = Pattern.compile("payload/((?:x\\d{3}/)*)(\\d{3})(?:\\.p/(\\d{1,5}))?\\.zst");
    private static final Pattern OTHERS =
            Pattern.compile("checkpoint(\\.next(\\.tmp)?)?|owner|keys/[1-9]\\d*|anchors/.*");

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
            if (each.endsWith("/")) {
                check(name);
                continue;
            }
            Matcher tile = TILE.matcher(name);
            Matcher payload = PAYLOAD.matcher(name);
            if (tile.matches()) {
                checkTile(name, tile);
            } else if (payload.matches()) {
                checkPayload(name, payload);
            } else if (!OTHERS.matcher(name).matches()) {
                found.accept(Finding.of(Finding.Kind.STRANGE, name + " is no file of an archive"));
            }
        }
    }

    private static long number(String groups, String last) {
        return Long.parseLong((groups + last).replaceAll("[x/]", ""));
    }

    private void checkTile(String name, Matcher parts) throws IOException {
        boolean isEntries = parts.group(1).equals("entries");
        int level = isEntries ? 0 : Integer.parseInt(parts.group(1));
        long index = number(parts.group(2), parts.group(3));
        int width = parts.group(4) == null ? Tiles.WIDTH : Integer.parseInt(parts.group(4));
        int current = Tiles.width(level, index, size);
        if (width > current) {
            found.accept(Finding.of(Finding.Kind.BEHIND, name + " lies behind the head"));
        } else if (width < current) {
            String now = isEntries ? Tiles.entries(index, current) : Tiles.tile(level, index, current);
            byte[] old = disk.read(name);
            byte[] whole = disk.length(now) < 0 ? new byte[0] : disk.read(now);
            int length = isEntries ? ArchiveReader.bytesOf(whole, width) : width * Sha256.BYTES;
            // Another one is told of where the current tile is checked.
            if (length <= whole.length && !Arrays.equals(old, Arrays.copyOf(whole, length))) {
                found.accept(Finding.of(Finding.Kind.TREE, name + ", of an earlier head, is no beginning of " + now));
            }
        }
    }

    private void checkPayload(String name, Matcher parts) {
        long file = number(parts.group(1), parts.group(2));
        int leaves = parts.group(3) == null ? 0 : Integer.parseInt(parts.group(3));
        boolean isOfHead = parts.group(3) == null
                ? file <= (size - 1) / Tiles.PAYLOAD_LEAVES
                : file == size / Tiles.PAYLOAD_LEAVES && leaves == size % Tiles.PAYLOAD_LEAVES;
        if (!isOfHead) {
            found.accept(Finding.of(Finding.Kind.BEHIND, name + " is of another head"));
        }
    }
}
