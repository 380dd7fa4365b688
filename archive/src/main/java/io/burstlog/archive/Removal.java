// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import com.github.luben.zstd.ZstdCompressCtx;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Removes the payloads of which the archive's last leaves say that they are erased, or that their time was over. Leaves
 * and tiles stay.
 *
 * <p>DESIGN. The act is under a signed head before anything is removed, and nothing is appended behind it before all is
 * removed. So an unfinished removal has its act among the last leaves, and the next start finds it there. It finds the
 * same acts when they are done, and then changes nothing. An act is about leaves before itself, so of a file that an
 * act expires nothing is left to erase.
 *
 * <p>A payload file is replaced at once: its successor is made durable under the name {@link Tiles#NEXT_PAYLOAD}, and
 * renamed. Frames of earlier heads in the folder of partial ones have the same payloads: they are deleted, durably.
 */
final class Removal {

    private final Disk disk;
    private final ArchiveReader reader;

    private Removal(Disk disk, Checkpoint head) {
        this.disk = disk;
        reader = new ArchiveReader(disk, head);
    }

    /** Does what the acts at the end of the tree say. It is durable on return. */
    static void finish(Disk disk, Checkpoint head) throws IOException {
        new Removal(disk, head).finish();
    }

    private void finish() throws IOException {
        disk.delete(Tiles.NEXT_PAYLOAD);
        Map<Long, Set<Long>> erased = new TreeMap<>();
        Set<Long> expired = new TreeSet<>();
        for (long index = reader.size() - 1; reader.leaf(index).kind().isRemoval(); index--) {
            Leaf act = reader.leaf(index);
            if (act.kind() == Leaf.Kind.EXPIRED) {
                long[] files = Acts.filesOf(act, index);
                for (long file = files[0]; file < files[1]; file++) {
                    expired.add(file);
                }
            } else {
                long gone = Acts.number(act, "leaf");
                erased.computeIfAbsent(gone / Tiles.PAYLOAD_LEAVES, none -> new TreeSet<>())
                        .add(gone);
            }
        }
        erased.keySet().removeAll(expired);
        for (long file : expired) {
            expire(disk, file, file + 1);
        }
        for (Map.Entry<Long, Set<Long>> each : erased.entrySet()) {
            erase(each.getKey(), each.getValue());
        }
    }

    /**
     * Deletes payload files, full ones alone, durably: also if a start finds them gone, the power may bring them back.
     * It may have brought back a frame of when they were not full, which goes with them.
     */
    static void expire(Disk disk, long first, long behind) throws IOException {
        Set<String> folders = new TreeSet<>();
        for (long file = first; file < behind; file++) {
            String name = Tiles.payload(file);
            String edges = Tiles.payloadEdges(file);
            disk.delete(name);
            disk.deleteFolder(edges);
            folders.addAll(List.of(name.substring(0, name.lastIndexOf('/') + 1), edges + "/"));
        }
        disk.sync(folders);
    }

    private void erase(long file, Set<Long> leaves) throws IOException {
        int count = (int) Math.min(Tiles.PAYLOAD_LEAVES, reader.size() - file * Tiles.PAYLOAD_LEAVES);
        int full = count / Tiles.WIDTH;
        if (full > 0) {
            eraseInFrames(Tiles.payload(file), full, leaves);
        }
        String edge = Tiles.payloadEdge(file, count);
        String folder = edge.substring(0, edge.lastIndexOf('/') + 1);
        for (String each : disk.list(folder)) {
            if (!edge.equals(folder + each)) {
                disk.delete(folder + each);
            }
        }
        if (count % Tiles.WIDTH > 0) {
            SeekTable.Frame frame = new SeekTable.Frame(0, (int) Math.max(0, disk.length(edge)), -1);
            byte[] filled = filled(edge, frame, (file * Tiles.WIDTH + full) * Tiles.WIDTH, leaves);
            if (filled != null) {
                disk.write(Tiles.NEXT_PAYLOAD, filled);
                putInPlace(edge);
            }
        }
        // Also if a start finds all done: the power may still take the names back.
        String name = Tiles.payload(file);
        disk.sync(List.of(folder, name.substring(0, name.lastIndexOf('/') + 1)));
    }

    private void putInPlace(String name) throws IOException {
        disk.sync(List.of(Tiles.NEXT_PAYLOAD));
        disk.rename(Tiles.NEXT_PAYLOAD, name);
        disk.sync(List.of(name));
    }

    private void eraseInFrames(String name, int full, Set<Long> leaves) throws IOException {
        List<SeekTable.Frame> frames = SeekTable.walk(disk, name, full, each -> PayloadWriter.MOST_BUNDLE_BYTES);
        if (frames.size() < full) {
            throw damaged(name);
        }
        Map<Integer, byte[]> filled = new TreeMap<>();
        for (long leaf : leaves) {
            int bundle = (int) (leaf % Tiles.PAYLOAD_LEAVES / Tiles.WIDTH);
            if (bundle < full && !filled.containsKey(bundle)) {
                byte[] next = filled(name, frames.get(bundle), leaf - leaf % Tiles.WIDTH, leaves);
                if (next != null) {
                    filled.put(bundle, next);
                }
            }
        }
        if (filled.isEmpty()) {
            return;
        }
        List<SeekTable.Frame> written = new ArrayList<>();
        long offset = 0;
        for (int bundle = 0; bundle < full; bundle++) {
            SeekTable.Frame frame = frames.get(bundle);
            byte[] part = filled.get(bundle);
            if (part == null) {
                part = disk.read(name, frame.offset(), frame.length());
            }
            disk.append(Tiles.NEXT_PAYLOAD, offset, part, part.length);
            written.add(new SeekTable.Frame(offset, part.length, frame.content()));
            offset += part.length;
        }
        if (full == Tiles.WIDTH) {
            byte[] table = SeekTable.of(written);
            disk.append(Tiles.NEXT_PAYLOAD, offset, table, table.length);
        }
        putInPlace(name);
    }

    private static RefusedException damaged(String name) {
        return new RefusedException(
                name + " is missing or damaged, and payloads in it are to be erased: bring it back from a copy");
    }

    /** Fills the payloads of those leaves that are in the bundle. {@return its new frame; null if all are filled} */
    private byte[] filled(String name, SeekTable.Frame frame, long first, Set<Long> leaves) throws IOException {
        long end = Math.min(reader.size(), first + Tiles.WIDTH);
        int bytes = 0;
        for (long index = first; index < end; index++) {
            bytes += reader.leaf(index).length();
        }
        byte[] content = disk.length(name) < 0 ? null : PayloadReader.content(disk, name, frame, bytes);
        if (content == null || content.length != bytes) {
            throw damaged(name);
        }
        boolean isChanged = false;
        int offset = 0;
        for (long index = first; index < end; index++) {
            int length = reader.leaf(index).length();
            if (leaves.contains(index) && !FileCheck.isFilled(content, offset, length)) {
                int last = offset + length - (content[offset + length - 1] == '\n' ? 1 : 0);
                Arrays.fill(content, offset, last, FileCheck.FILLER);
                isChanged = true;
            }
            offset += length;
        }
        return isChanged ? compressed(content) : null;
    }

    private static byte[] compressed(byte[] content) {
        try (ZstdCompressCtx compressor = PayloadWriter.compressor()) {
            return compressor.compress(content);
        }
    }
}
