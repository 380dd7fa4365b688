// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Finds the hashes of which a signed root proves that they are right, from the root down, although tiles may be
 * changed.
 *
 * <p>A hash of a tile has several witnesses: the tile itself, the tile below, and for the two lowest levels the leaves.
 * All of a tile's hashes together must make the hash that the tile above has. So where witnesses differ, the choice
 * that makes that hash is right, and the other witness was changed. Thread-safe.
 */
final class TreeCheck {

    /** The most combinations of differing witnesses that are tried for one tile. */
    private static final int MOST_CHOICES = 1 << 12;

    private final Disk disk;
    private final long size;
    private final Consumer<Finding> found;
    private final Map<String, Proven> proven = new ConcurrentHashMap<>();
    private boolean isRootProven;

    /** @param hashes null if no choice makes the hash above */
    private record Proven(byte[][] hashes) {}

    TreeCheck(Disk disk, long size, Consumer<Finding> found) {
        this.disk = disk;
        this.size = size;
        this.found = found;
    }

    /** Proves the right edge: the partial tiles of all levels, which together make the root. */
    void proveEdge(byte[] root) throws IOException {
        List<List<byte[]>> choices = new ArrayList<>();
        List<String> names = new ArrayList<>();
        List<byte[][]> edges = new ArrayList<>();
        for (int level = 0; size >> (Tiles.WIDTH_BITS * level) > 0; level++) {
            long index = size >> (Tiles.WIDTH_BITS * (level + 1));
            int width = Tiles.width(level, index, size);
            edges.add(new byte[Tiles.WIDTH][]);
            names.add(Tiles.tile(level, index, Math.max(1, width)));
            if (width > 0) {
                choices.addAll(witnesses(level, index, width));
            }
        }
        MerkleTree.Hashes chosen = (level, index) -> {
            int number = level / Tiles.WIDTH_BITS;
            int count = 1 << (level % Tiles.WIDTH_BITS);
            return MerkleTree.fold(edges.get(number), (int) (index * count % Tiles.WIDTH), count);
        };
        byte[][] all = choose(choices, hashes -> {
            int at = 0;
            for (int level = 0; level < edges.size(); level++) {
                int width = Tiles.width(level, size >> (Tiles.WIDTH_BITS * (level + 1)), size);
                System.arraycopy(hashes, at, edges.get(level), 0, width);
                at += width;
            }
            return Arrays.equals(MerkleTree.root(size, chosen), root);
        });
        isRootProven = all != null;
        for (int level = 0; level < edges.size(); level++) {
            long index = size >> (Tiles.WIDTH_BITS * (level + 1));
            int width = Tiles.width(level, index, size);
            if (width > 0) {
                keep(level, index, width, all == null ? null : edges.get(level));
            }
        }
        if (all == null) {
            found.accept(Finding.of(
                    Finding.Kind.HEAD,
                    "no choice of what " + String.join(", ", names)
                            + " and the leaves say makes the root of the head: it is the head of another tree, or several of"
                            + " these were changed"));
        }
    }

    boolean isRootProven() {
        return isRootProven;
    }

    /** Whether proven hashes make the root of this head, which is not larger. */
    boolean goesOnFrom(Checkpoint earlier) throws IOException {
        MerkleTree.Hashes known = (level, index) -> {
            int count = 1 << (level % Tiles.WIDTH_BITS);
            long first = index * count;
            byte[][] tile = hashes(level / Tiles.WIDTH_BITS, first / Tiles.WIDTH);
            // No root follows from zeros.
            return tile == null ? new byte[Sha256.BYTES] : MerkleTree.fold(tile, (int) (first % Tiles.WIDTH), count);
        };
        return Arrays.equals(MerkleTree.root(earlier.size(), known), earlier.root());
    }

    /** {@return the proven hashes of a tile; null if none are} */
    byte[][] hashes(int level, long index) throws IOException {
        Proven known = proven.get(level + "/" + index);
        if (known != null) {
            return known.hashes();
        }
        byte[][] hashes = proven(level, index);
        keep(level, index, Tiles.WIDTH, hashes);
        return hashes;
    }

    /**
     * {@return the proven hashes of a tile of the lowest level, which is not kept; null if none are}
     *
     * @param listener gets what is wrong with that tile
     */
    byte[][] hashesOfLeaves(long bundle, Consumer<Finding> listener) throws IOException {
        Proven known = proven.get("0/" + bundle);
        if (known != null) {
            return known.hashes();
        }
        byte[][] hashes = proven(0, bundle);
        compare(0, bundle, Tiles.WIDTH, hashes, listener);
        return hashes;
    }

    private byte[][] proven(int level, long index) throws IOException {
        byte[][] above = hashes(level + 1, index / Tiles.WIDTH);
        byte[] wanted = above == null ? null : above[(int) (index % Tiles.WIDTH)];
        return wanted == null
                ? null
                : choose(
                        witnesses(level, index, Tiles.WIDTH),
                        each -> Arrays.equals(MerkleTree.fold(each, 0, Tiles.WIDTH), wanted));
    }

    /** Lets go of the tile above the leaves of a payload file. */
    void forget(long file) {
        proven.remove("1/" + file);
    }

    private void keep(int level, long index, int width, byte[][] hashes) throws IOException {
        if (proven.put(level + "/" + index, new Proven(hashes == null ? null : hashes.clone())) == null) {
            compare(level, index, width, hashes, found);
        }
    }

    /** Tells how a tile differs from the proven one. */
    private void compare(int level, long index, int width, byte[][] hashes, Consumer<Finding> listener)
            throws IOException {
        String name = Tiles.tile(level, index, width);
        byte[] tile = read(level, index, width);
        if (tile == null) {
            listener.accept(Finding.of(Finding.Kind.TREE, name + " is missing"));
        } else if (hashes != null) {
            byte[] right = new byte[width * Sha256.BYTES];
            for (int i = 0; i < width; i++) {
                System.arraycopy(hashes[i], 0, right, i * Sha256.BYTES, Sha256.BYTES);
            }
            int place = Arrays.mismatch(tile, right);
            if (place >= 0) {
                listener.accept(Finding.of(
                        Finding.Kind.TREE,
                        name + " was changed from its byte " + place + " on; the signed root proves what stood there"));
            }
        }
    }

    private byte[] read(int level, long index, int width) throws IOException {
        try {
            return disk.read(Tiles.tile(level, index, width));
        } catch (NoSuchFileException none) {
            try {
                byte[] full = disk.read(Tiles.tile(level, index, Tiles.WIDTH));
                return Arrays.copyOf(full, Math.min(full.length, width * Sha256.BYTES));
            } catch (NoSuchFileException neither) {
                return null;
            }
        }
    }

    /** Returns what each hash of a tile may be: as the tile has it, and as it follows from below. */
    private List<List<byte[]>> witnesses(int level, long index, int width) throws IOException {
        byte[] tile = read(level, index, width);
        List<byte[]> leaves = level == 0 ? leaves(index) : null;
        List<List<byte[]>> choices = new ArrayList<>();
        for (int i = 0; i < width; i++) {
            List<byte[]> each = new ArrayList<>();
            if (tile != null && (i + 1) * Sha256.BYTES <= tile.length) {
                add(each, Arrays.copyOfRange(tile, i * Sha256.BYTES, (i + 1) * Sha256.BYTES));
            }
            if (leaves != null) {
                add(each, i < leaves.size() ? MerkleTree.leafHash(leaves.get(i)) : null);
            } else {
                long child = index * Tiles.WIDTH + i;
                add(each, folded(read(level - 1, child, Tiles.WIDTH)));
                // Only a tile that is not its own witness is worth the way down to the leaves.
                add(each, level == 1 && each.size() != 1 ? folded(leaves(child)) : null);
            }
            choices.add(each);
        }
        return choices;
    }

    private static void add(List<byte[]> choices, byte[] hash) {
        if (hash != null && choices.stream().noneMatch(each -> Arrays.equals(each, hash))) {
            choices.add(hash);
        }
    }

    private List<byte[]> leaves(long bundle) throws IOException {
        try {
            return ArchiveReader.bundle(disk, bundle, size);
        } catch (NoSuchFileException none) {
            return List.of();
        }
    }

    private static byte[] folded(byte[] tile) {
        if (tile == null || tile.length != Tiles.WIDTH * Sha256.BYTES) {
            return null;
        }
        byte[][] hashes = new byte[Tiles.WIDTH][];
        TreeEdge.split(tile, hashes);
        return MerkleTree.fold(hashes, 0, Tiles.WIDTH);
    }

    private static byte[] folded(List<byte[]> leaves) {
        return leaves.size() != Tiles.WIDTH
                ? null
                : MerkleTree.fold(leaves.stream().map(MerkleTree::leafHash).toArray(byte[][]::new), 0, Tiles.WIDTH);
    }

    /** Tells whether a choice of hashes is the right one. */
    private interface Right {
        boolean is(byte[][] hashes) throws IOException;
    }

    /**
     * Returns the choice that is right; null if none was found. One witness is believed for all hashes, then for all
     * but one; few differences are tried in all ways.
     */
    private static byte[][] choose(List<List<byte[]>> choices, Right right) throws IOException {
        byte[][] hashes = new byte[Math.max(choices.size(), Tiles.WIDTH)][];
        int most = choices.stream().mapToInt(List::size).max().orElse(0);
        if (choices.stream().anyMatch(List::isEmpty)) {
            return null;
        }
        for (int witness = 0; witness < most; witness++) {
            if (isRightWithOneChange(choices, hashes, witness, right)) {
                return hashes;
            }
        }
        long combinations = 1;
        for (List<byte[]> each : choices) {
            combinations = Math.min(MOST_CHOICES + 1L, combinations * each.size());
        }
        for (long combination = 0; combinations <= MOST_CHOICES && combination < combinations; combination++) {
            long rest = combination;
            for (int i = 0; i < choices.size(); i++) {
                List<byte[]> each = choices.get(i);
                hashes[i] = each.get((int) (rest % each.size()));
                rest /= each.size();
            }
            if (right.is(hashes)) {
                return hashes;
            }
        }
        return null;
    }

    private static boolean isRightWithOneChange(List<List<byte[]>> choices, byte[][] hashes, int witness, Right right)
            throws IOException {
        for (int i = 0; i < choices.size(); i++) {
            hashes[i] = choices.get(i).get(Math.min(witness, choices.get(i).size() - 1));
        }
        if (right.is(hashes)) {
            return true;
        }
        for (int i = 0; i < choices.size(); i++) {
            byte[] usual = hashes[i];
            for (byte[] other : choices.get(i)) {
                hashes[i] = other;
                if (other != usual && right.is(hashes)) {
                    return true;
                }
            }
            hashes[i] = usual;
        }
        return false;
    }
}
