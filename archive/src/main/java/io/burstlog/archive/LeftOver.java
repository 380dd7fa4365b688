// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Deletes what a crash left behind the head of an archive. A writer commits after {@link ArchiveWriter#MOST_PENDING}
 * leaves at the latest, so it lies in a few folders.
 */
final class LeftOver {

    private static final int NAMES_A_FOLDER = 1000;
    private static final Pattern NAME = Pattern.compile("(\\d{3})(\\.zst|\\.p/)?");

    private final Disk disk;
    private final long size;

    LeftOver(Disk disk, long size) {
        this.disk = disk;
        this.size = size;
    }

    void delete() throws IOException {
        for (int level = 0; level == 0 || ArchiveWriter.MOST_PENDING >> (Tiles.WIDTH_BITS * level) > 0; level++) {
            long edge = size >> (Tiles.WIDTH_BITS * (level + 1));
            int most = (ArchiveWriter.MOST_PENDING >> (Tiles.WIDTH_BITS * (level + 1))) + 1;
            int width = Tiles.width(level, edge, size);
            behind(Tiles.TILE + "/" + level, edge, most, width, "");
            if (level == 0) {
                behind(Tiles.ENTRIES, edge, most, width, "");
            }
        }
        long file = size / Tiles.PAYLOAD_LEAVES;
        int leaves = (int) (size % Tiles.PAYLOAD_LEAVES);
        if (leaves < Tiles.WIDTH) {
            disk.delete(Tiles.payload(file));
        }
        int mostFiles = ArchiveWriter.MOST_PENDING / Tiles.PAYLOAD_LEAVES;
        for (long full = Math.max(0, file - mostFiles); full < file; full++) {
            disk.deleteFolder(Tiles.payloadEdges(full));
        }
        behind(Tiles.PAYLOAD, file, mostFiles + 1, leaves, Tiles.ZST);
    }

    /** Deletes what is numbered behind the edge, the full file of the edge unless it grows, and wider partial ones. */
    private void behind(String folder, long edge, int most, int width, String suffix) throws IOException {
        boolean grows = !suffix.isEmpty();
        for (long begin = edge - edge % NAMES_A_FOLDER; begin <= edge + most; begin += NAMES_A_FOLDER) {
            String numbered = folder + "/" + Tiles.number(begin);
            String parent = numbered.substring(0, numbered.lastIndexOf('/'));
            for (String each : disk.list(parent)) {
                Matcher name = NAME.matcher(each);
                long number = name.matches() ? begin + Long.parseLong(name.group(1)) : -1;
                if (number < edge) {
                    continue;
                }
                if (each.endsWith("/")) {
                    partial(parent + "/" + each, number == edge ? width : 0, suffix);
                } else if (number > edge || !grows) {
                    disk.delete(parent + "/" + each);
                }
            }
        }
    }

    private void partial(String folder, int width, String suffix) throws IOException {
        boolean isEmpty = true;
        for (String each : disk.list(folder)) {
            FileName name = FileName.of(folder + each);
            int leaves = name == null ? width : name.width();
            // The edge of a payload file is of one head alone.
            if (leaves > width || !suffix.isEmpty() && leaves != width) {
                disk.delete(folder + each);
            } else {
                isEmpty = false;
            }
        }
        if (isEmpty) {
            disk.delete(folder.substring(0, folder.length() - 1));
        }
    }
}
