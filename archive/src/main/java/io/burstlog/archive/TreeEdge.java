// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The right edge of a growing tree: the partial tile of each level. It writes each tile when that is full, and the
 * partial ones on demand. One thread uses it.
 */
final class TreeEdge implements MerkleTree.Hashes {

    private final Disk disk;
    private final Output output;

    private final List<Level> levels = new ArrayList<>();
    private long size;

    /** The partial tile of a level. */
    private static final class Level {
        private final byte[][] hashes = new byte[Tiles.WIDTH][];
        private int count;
        private int written;
        private long index;
    }

    /** Where tiles are written to. */
    interface Output {

        /** Writes a file at some later time; nobody changes the bytes any more. */
        void write(String name, byte[] bytes) throws IOException;
    }

    TreeEdge(Disk disk, Output output) {
        this.disk = disk;
        this.output = output;
    }

    /** Reads the edge of a tree of that size. */
    void open(long wanted) throws IOException {
        size = wanted;
        for (int level = 0; wanted >> (Tiles.WIDTH_BITS * level) > 0; level++) {
            Level edge = level(level);
            edge.index = wanted >> (Tiles.WIDTH_BITS * (level + 1));
            edge.count = Tiles.width(level, edge.index, wanted);
            edge.written = edge.count;
            if (edge.count > 0) {
                split(read(disk, level, edge.index, edge.count), edge.hashes);
            }
        }
    }

    /** {@return a partial tile; the full one has the same hashes first} */
    static byte[] read(Disk disk, int level, long index, int width) throws IOException {
        String name = Tiles.tile(level, index, width);
        byte[] bytes;
        try {
            bytes = disk.read(name);
        } catch (NoSuchFileException none) {
            throw new RefusedException(name + " is missing, and the head covers it: bring it back from a copy");
        }
        if (bytes.length != width * Sha256.BYTES) {
            throw new RefusedException(name + " has " + bytes.length + " bytes instead of " + width * Sha256.BYTES
                    + ": bring it back from a copy");
        }
        return bytes;
    }

    static void split(byte[] tile, byte[][] hashes) {
        for (int i = 0; i < tile.length / Sha256.BYTES; i++) {
            hashes[i] = Arrays.copyOfRange(tile, i * Sha256.BYTES, (i + 1) * Sha256.BYTES);
        }
    }

    private Level level(int level) {
        while (levels.size() <= level) {
            levels.add(new Level());
        }
        return levels.get(level);
    }

    void add(byte[] leafHash) throws IOException {
        add(0, leafHash);
        size++;
    }

    private void add(int number, byte[] hash) throws IOException {
        Level edge = level(number);
        edge.hashes[edge.count++] = hash;
        if (edge.count == Tiles.WIDTH) {
            write(number, edge);
            byte[] parent = MerkleTree.fold(edge.hashes, 0, Tiles.WIDTH);
            edge.count = 0;
            edge.written = 0;
            edge.index++;
            add(number + 1, parent);
        }
    }

    private void write(int number, Level edge) throws IOException {
        byte[] tile = new byte[edge.count * Sha256.BYTES];
        for (int i = 0; i < edge.count; i++) {
            System.arraycopy(edge.hashes[i], 0, tile, i * Sha256.BYTES, Sha256.BYTES);
        }
        output.write(Tiles.tile(number, edge.index, edge.count), tile);
        edge.written = edge.count;
    }

    /** Writes the partial tiles that a head of this size needs. */
    void writeEdge() throws IOException {
        for (int number = 0; number < levels.size(); number++) {
            Level edge = levels.get(number);
            if (edge.count > edge.written) {
                write(number, edge);
            }
        }
    }

    byte[] root() throws IOException {
        return MerkleTree.root(size, this);
    }

    long size() {
        return size;
    }

    @Override
    public byte[] perfect(int level, long index) {
        Level edge = levels.get(level / Tiles.WIDTH_BITS);
        int count = 1 << (level % Tiles.WIDTH_BITS);
        return MerkleTree.fold(edge.hashes, (int) (index * count - edge.index * Tiles.WIDTH), count);
    }
}
