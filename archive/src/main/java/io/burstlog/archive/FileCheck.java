// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * Checks the leaves of one payload file, and their payloads. Leaves are compared with proven hashes, payloads with
 * proven leaves; what differs is looked for at other places of the same file.
 */
final class FileCheck {

    /** Stands in place of each byte of an erased payload, but for a line end. */
    static final byte FILLER = ' ';

    /** So many bytes of a frame are hashed in search of payloads that are not where they were. */
    private static final int MOST_SEARCHED = 1 << 26;

    private final Disk disk;
    private final TreeCheck tree;
    private final long size;
    private final long file;
    private final long first;
    private final int count;
    private final Part part = new Part();
    private final Map<String, Long> placesOfHashes = new HashMap<>();
    private final Map<String, Long> placesOfDigests = new HashMap<>();

    /** The proven leaves; null where none is. */
    private final Leaf[] leaves;

    /** Bytes of this frame that the search has hashed. */
    private long searched;

    FileCheck(Disk disk, TreeCheck tree, long size, long file) {
        this.disk = disk;
        this.tree = tree;
        this.size = size;
        this.file = file;
        first = file * Tiles.PAYLOAD_LEAVES;
        count = (int) Math.min(Tiles.PAYLOAD_LEAVES, size - first);
        leaves = new Leaf[count];
    }

    Part check() throws IOException {
        List<List<byte[]>> found = new ArrayList<>();
        List<byte[][]> proven = new ArrayList<>();
        for (int at = 0; at < count; at += Tiles.WIDTH) {
            long bundle = (first + at) / Tiles.WIDTH;
            byte[][] hashes = tree.hashesOfLeaves(bundle, part.findings::add);
            List<byte[]> entries = readBundle(bundle, Math.min(Tiles.WIDTH, count - at), hashes != null);
            proven.add(hashes);
            found.add(entries);
            for (int i = 0; i < Math.min(Tiles.WIDTH, count - at); i++) {
                if (hashes != null
                        && i < entries.size()
                        && Arrays.equals(MerkleTree.leafHash(entries.get(i)), hashes[i])
                        && Leaf.isLeaf(entries.get(i))) {
                    leaves[at + i] = Leaf.of(entries.get(i));
                    part.take(leaves[at + i], first + at + i);
                }
            }
        }
        part.leaves = count;
        part.isAbsent = found.stream().allMatch(List::isEmpty);
        if (count == Tiles.PAYLOAD_LEAVES) {
            tree.forget(file);
        }
        for (int bundle = 0; bundle < proven.size(); bundle++) {
            nameEntries(bundle, proven, found.get(bundle));
        }
        checkPayloads();
        return part;
    }

    private void add(Finding.Kind kind, long from, long to, String sentence) {
        part.findings.add(new Finding(kind, from, to, sentence));
    }

    private List<byte[]> readBundle(long bundle, int width, boolean isProven) throws IOException {
        long from = bundle * Tiles.WIDTH;
        String name = Tiles.entries(bundle, width);
        byte[] bytes;
        try {
            bytes = ArchiveReader.readPartial(disk, name, Tiles.entries(bundle, Tiles.WIDTH));
        } catch (NoSuchFileException none) {
            add(Finding.Kind.REMOVED, from, from + width - 1, name + " is missing");
            return List.of();
        }
        List<byte[]> entries = ArchiveReader.split(bytes);
        long used = entries.stream().mapToLong(each -> 2L + each.length).sum();
        if (entries.size() < width) {
            add(
                    Finding.Kind.CUT,
                    from + entries.size(),
                    from + width - 1,
                    name + " ends behind " + entries.size() + " leaves; it had " + width);
        } else if (disk.length(name) >= 0 && (entries.size() > width || used < bytes.length)) {
            add(Finding.Kind.STRANGE, from, from + width - 1, name + " has bytes behind its last leaf");
        }
        if (!isProven) {
            add(
                    Finding.Kind.CHANGED,
                    from,
                    from + width - 1,
                    "neither " + name + " nor " + Tiles.tile(0, bundle, width)
                            + " makes the hash that the tree above has: leaves of this bundle and their hashes were changed together");
        }
        return entries;
    }

    /** Names the leaves of a bundle that are not what they were. */
    private void nameEntries(int bundle, List<byte[][]> proven, List<byte[]> entries) {
        byte[][] hashes = proven.get(bundle);
        int width = Math.min(Tiles.WIDTH, count - bundle * Tiles.WIDTH);
        if (hashes == null || entries.isEmpty()) {
            return;
        }
        long from = first + (long) bundle * Tiles.WIDTH;
        for (int i = 0; i < Math.min(width, entries.size()); i++) {
            if (leaves[bundle * Tiles.WIDTH + i] != null) {
                continue;
            }
            byte[] hash = MerkleTree.leafHash(entries.get(i));
            if (Arrays.equals(hash, hashes[i])) {
                add(
                        Finding.Kind.STRANGE,
                        from + i,
                        from + i,
                        "it is a leaf of a version that this program does not know");
                continue;
            }
            Long place = placeOf(hash, proven);
            add(
                    place == null ? Finding.Kind.CHANGED : moved(proven, place, from + i),
                    from + i,
                    from + i,
                    Tiles.entries(from / Tiles.WIDTH, width) + " has another leaf there: "
                            + (place == null ? described(entries.get(i)) : "that of place " + place));
        }
    }

    private Finding.Kind moved(List<byte[][]> proven, long place, long here) {
        return leaves[(int) (place - first)] == null ? Finding.Kind.SWAPPED : Finding.Kind.REPEATED;
    }

    private Long placeOf(byte[] hash, List<byte[][]> proven) {
        if (placesOfHashes.isEmpty()) {
            for (int at = 0; at < count; at++) {
                byte[][] hashes = proven.get(at / Tiles.WIDTH);
                if (hashes != null) {
                    placesOfHashes.put(hex(hashes[at % Tiles.WIDTH]), first + at);
                }
            }
        }
        return placesOfHashes.get(hex(hash));
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    private static String described(byte[] entry) {
        return Leaf.isLeaf(entry) ? Leaf.of(entry).toString() : entry.length + " bytes that are no leaf";
    }

    // ------------------------------------------------------------------------------------------------------ payloads

    private void checkPayloads() throws IOException {
        String name = Tiles.payload(file);
        int full = count / Tiles.WIDTH;
        boolean isClosed = count == Tiles.PAYLOAD_LEAVES;
        long length = disk.length(name);
        List<SeekTable.Frame> frames = List.of();
        if (full > 0 && length < 0) {
            part.gone = new Finding(
                    Finding.Kind.REMOVED, first, first + (long) full * Tiles.WIDTH - 1, name + " is missing");
        } else if (full > 0) {
            frames = isClosed ? SeekTable.read(disk, name, full) : null;
            if (frames == null) {
                frames = SeekTable.walk(disk, name, full, this::bytesOf);
                if (isClosed) {
                    addWrongTable(name);
                }
            }
            long end = frames.isEmpty() ? 0 : frames.get(frames.size() - 1).end();
            if (!isClosed && frames.size() == full && length > end) {
                add(Finding.Kind.BEHIND, -1, -1, name + " has " + (length - end) + " bytes behind the head");
            }
        }
        boolean isTableRight = true;
        for (int bundle = 0; bundle < full && length >= 0; bundle++) {
            byte[] content = bundle < frames.size()
                    ? PayloadReader.content(disk, name, frames.get(bundle), bytesOf(bundle))
                    : null;
            isTableRight &= content == null || frames.get(bundle).content() == content.length;
            checkFrame(name, bundle, Tiles.WIDTH, content, bundle < frames.size() || !isCut(name, length, frames));
        }
        if (!isTableRight) {
            addWrongTable(name);
        }
        if (count % Tiles.WIDTH > 0) {
            checkEdge(full, count % Tiles.WIDTH);
        }
    }

    private void addWrongTable(String name) {
        add(Finding.Kind.TREE, -1, -1, "the table at the end of " + name + " was changed");
    }

    private boolean isCut(String name, long length, List<SeekTable.Frame> frames) {
        long end = frames.isEmpty() ? 0 : frames.get(frames.size() - 1).end();
        return end >= length;
    }

    private void checkEdge(int bundle, int width) throws IOException {
        PayloadReader.Found found = new PayloadReader(disk, size).edge(file, count, bytesOf(bundle));
        if (found == null) {
            long from = first + (long) bundle * Tiles.WIDTH;
            String name = Tiles.payloadEdge(file, count);
            add(Finding.Kind.REMOVED, from, from + width - 1, name + " is missing");
        } else {
            checkFrame(found.name(), bundle, width, found.content(), true);
        }
    }

    /** The bytes of the payloads of a bundle, as its leaves say. Nobody knows those of a leaf that was changed. */
    private long bytesOf(int bundle) {
        long bytes = 0;
        for (int at = bundle * Tiles.WIDTH; at < Math.min(count, (bundle + 1) * Tiles.WIDTH); at++) {
            bytes += leaves[at] == null ? 0 : leaves[at].length();
        }
        return bytes;
    }

    private void checkFrame(String name, int bundle, int width, byte[] content, boolean isThere) {
        int at = bundle * Tiles.WIDTH;
        long from = first + at;
        if (content == null) {
            add(
                    isThere ? Finding.Kind.CHANGED : Finding.Kind.CUT,
                    from,
                    from + width - 1,
                    isThere
                            ? "frame " + bundle + " of " + name + " is damaged, or longer than its leaves say"
                            : name + " ends before frame " + bundle);
            return;
        }
        part.bytes += content.length;
        searched = 0;
        int offset = 0;
        for (int i = 0; i < width; i++) {
            Leaf leaf = leaves[at + i];
            if (leaf == null) {
                // The lengths of those behind it are known, but not where they begin.
                offset = fromEnd(at + i + 1, at + width, content.length);
                continue;
            }
            boolean fits = offset >= 0 && offset + leaf.length() <= content.length;
            if (fits && !leaf.isDigestOf(content, offset) && isFilled(content, offset, leaf.length())) {
                part.filled.add(from + i);
            } else if (!fits || !leaf.isDigestOf(content, offset)) {
                int next = offset < 0 ? -1 : resumed(at + i + 1, at + width, content, offset);
                namePayload(name, from + i, leaf, fits ? content : null, offset, next);
                if (next >= 0) {
                    offset = next;
                    continue;
                }
            }
            offset += leaf.length();
        }
        if (offset >= 0 && offset < content.length) {
            add(
                    Finding.Kind.STRANGE,
                    from,
                    from + width - 1,
                    "frame " + bundle + " of " + name + " has " + (content.length - offset)
                            + " bytes behind its last payload");
        }
    }

    /** Returns where the payload of a leaf begins, if all behind the unknown one are known; else -1. */
    private int fromEnd(int at, int end, int length) {
        int offset = length;
        for (int i = at; i < end; i++) {
            if (leaves[i] == null) {
                return Integer.MIN_VALUE / 2;
            }
            offset -= leaves[i].length();
        }
        return offset;
    }

    /**
     * Returns the place of the next payload, behind one that was changed or removed; -1 if it is not found. If nothing
     * behind it was changed, the end of the frame says where it is. Else it is looked for from here on.
     */
    private int resumed(int at, int end, byte[] content, int offset) {
        int next = at;
        while (next < end && leaves[next] != null && leaves[next].length() == 0) {
            next++;
        }
        if (next == end || leaves[next] == null) {
            return -1;
        }
        Leaf leaf = leaves[next];
        int likely = fromEnd(next, end, content.length);
        if (likely >= offset && leaf.isDigestOf(content, likely)) {
            return likely;
        }
        for (int place = offset; place + leaf.length() <= content.length && searched < MOST_SEARCHED; place++) {
            searched += leaf.length();
            if (leaf.isDigestOf(content, place)) {
                return place;
            }
        }
        return -1;
    }

    private void namePayload(String name, long index, Leaf leaf, byte[] content, int offset, int next) {
        if (content == null) {
            add(Finding.Kind.CUT, index, index, "its frame in " + name + " ends before its payload");
            return;
        }
        if (next == offset) {
            add(Finding.Kind.REMOVED, index, index, "its payload is gone from " + name);
            return;
        }
        if (placesOfDigests.isEmpty()) {
            for (int i = 0; i < count; i++) {
                if (leaves[i] != null && leaves[i].length() > 0) {
                    placesOfDigests.putIfAbsent(hex(leaves[i].digest()), first + i);
                }
            }
        }
        int length = next > offset ? next - offset : leaf.length();
        Long place = placesOfDigests.get(hex(Sha256.of(content, offset, length)));
        add(
                place == null ? Finding.Kind.CHANGED : Finding.Kind.SWAPPED,
                index,
                index,
                place == null
                        ? "its payload in " + name + " has another SHA-256 than when it was archived"
                        : name + " has the payload of leaf " + place + " at its place");
    }

    /** Whether these bytes are what an erasure leaves. */
    static boolean isFilled(byte[] content, int offset, int length) {
        for (int i = 0; i < length; i++) {
            if (content[offset + i] != FILLER && !(i == length - 1 && content[offset + i] == '\n')) {
                return false;
            }
        }
        return length > 0;
    }
}
