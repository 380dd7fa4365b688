// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Reads an archive as of its head when this was opened: leaves, payloads and proofs. It needs the right to read alone,
 * and may run while an archiver writes.
 *
 * <p>It trusts the files: {@link Verification} is what checks them, and a {@link Proof} is checked by whoever gets it.
 * Not thread-safe.
 */
public final class ArchiveReader implements MerkleTree.Hashes {

    private final Disk disk;
    private final Checkpoint head;

    /** The tile and the bundle that were read last. */
    private String tileName = "";

    private byte[][] tile = new byte[Tiles.WIDTH][];
    private long bundleIndex = -1;
    private List<byte[]> bundle = List.of();

    ArchiveReader(Disk disk, Checkpoint head) {
        this.disk = disk;
        this.head = head;
    }

    /**
     * Opens an archive for reading.
     *
     * @param folder its folder
     * @return the reader
     * @throws IOException if there is no archive, or it cannot be read
     */
    public static ArchiveReader open(Path folder) throws IOException {
        Disk disk = new FolderDisk(folder);
        return new ArchiveReader(disk, head(disk));
    }

    static Checkpoint head(Disk disk) throws IOException {
        try {
            return Checkpoint.of(new String(disk.read(Tiles.CHECKPOINT), UTF_8));
        } catch (NoSuchFileException none) {
            throw new IOException(disk + " is no archive: it has no file " + Tiles.CHECKPOINT, none);
        } catch (IllegalArgumentException wrong) {
            throw new IOException(Tiles.CHECKPOINT + " of " + disk + ": " + wrong.getMessage(), wrong);
        }
    }

    /** {@return the head that this reads} */
    public Checkpoint head() {
        return head;
    }

    /** {@return how many leaves there are} */
    public long size() {
        return head.size();
    }

    /**
     * Reads a leaf.
     *
     * @param index from 0 to below {@link #size()}
     * @return the leaf
     * @throws IOException if its bundle is missing or damaged
     */
    public Leaf leaf(long index) throws IOException {
        long wanted = index / Tiles.WIDTH;
        if (wanted != bundleIndex) {
            bundle = bundle(disk, wanted, head.size());
            bundleIndex = wanted;
        }
        int place = (int) (index % Tiles.WIDTH);
        if (index < 0 || index >= head.size() || place >= bundle.size() || !Leaf.isLeaf(bundle.get(place))) {
            throw new IOException("leaf " + index + " is not in " + disk + ", whose head has " + head.size()
                    + " leaves: name a lower one, or run verify");
        }
        return Leaf.of(bundle.get(place));
    }

    /** Returns the leaves of a bundle as far as they can be read; the full one serves as a partial one. */
    static List<byte[]> bundle(Disk disk, long index, long size) throws IOException {
        int width = Tiles.width(0, index, size);
        if (width == 0) {
            return List.of();
        }
        byte[] bytes = readPartial(disk, Tiles.entries(index, width), Tiles.entries(index, Tiles.WIDTH));
        List<byte[]> leaves = split(bytes);
        return leaves.size() > width ? leaves.subList(0, width) : leaves;
    }

    static byte[] readPartial(Disk disk, String partial, String full) throws IOException {
        try {
            return disk.read(partial);
        } catch (NoSuchFileException none) {
            // An archiver may have filled it meanwhile.
            return disk.read(full);
        }
    }

    static List<byte[]> split(byte[] bytes) {
        List<byte[]> leaves = new ArrayList<>();
        for (int at = 0; at + 2 <= bytes.length; ) {
            int length = (bytes[at] & 0xFF) << 8 | bytes[at + 1] & 0xFF;
            if (at + 2 + length > bytes.length) {
                break;
            }
            leaves.add(Arrays.copyOfRange(bytes, at + 2, at + 2 + length));
            at += 2 + length;
        }
        return leaves;
    }

    /** {@return how many bytes the first leaves of a bundle take; more than it has if it has fewer leaves} */
    static int bytesOf(byte[] bundle, int leaves) {
        int at = 0;
        for (int i = 0; i < leaves && at + 2 <= bundle.length; i++) {
            at += 2 + ((bundle[at] & 0xFF) << 8 | bundle[at + 1] & 0xFF);
        }
        return ArchiveReader.split(bundle).size() < leaves ? bundle.length + 1 : at;
    }

    /**
     * Reads the payload of a leaf.
     *
     * @param index of the leaf
     * @return its bytes; fillers if it was erased
     * @throws IOException if it cannot be read, also because its time was over
     */
    public byte[] payload(long index) throws IOException {
        Leaf leaf = leaf(index);
        long first = index - index % Tiles.WIDTH;
        long offset = 0;
        long all = 0;
        for (long each = first; each < Math.min(size(), first + Tiles.WIDTH); each++) {
            offset += each < index ? leaf(each).length() : 0;
            all += leaf(each).length();
        }
        PayloadReader.Found found = new PayloadReader(disk, size()).bundle(index / Tiles.WIDTH, all);
        byte[] payload = found == null ? null : PayloadReader.payload(found.content(), offset, leaf.length());
        if (payload == null) {
            String file = Tiles.payload(index / Tiles.PAYLOAD_LEAVES);
            throw new IOException("the payload of leaf " + index + " is not in " + disk + ": "
                    + (disk.length(file) < 0
                            ? file + " is not there; if verify finds nothing, its time was over"
                            : "its file is damaged; run verify"));
        }
        return payload;
    }

    @Override
    public byte[] perfect(int level, long index) throws IOException {
        int number = level / Tiles.WIDTH_BITS;
        int count = 1 << (level % Tiles.WIDTH_BITS);
        long first = index * count;
        long wanted = first / Tiles.WIDTH;
        String name = Tiles.tile(number, wanted, Tiles.width(number, wanted, head.size()));
        if (!name.equals(tileName)) {
            TreeEdge.split(readPartial(disk, name, Tiles.tile(number, wanted, Tiles.WIDTH)), tile);
            tileName = name;
        }
        return MerkleTree.fold(tile, (int) (first % Tiles.WIDTH), count);
    }

    /**
     * Proves that a leaf is in the tree.
     *
     * @param index of the leaf
     * @return the proof, under the head of this reader
     * @throws IOException if tiles are missing
     */
    public Proof prove(long index) throws IOException {
        return new Proof(leaf(index), index, MerkleTree.inclusion(index, size(), this), head);
    }

    /**
     * Proves that an earlier tree is the beginning of this one.
     *
     * @param size of the earlier tree
     * @return hashes as RFC 6962 lists them
     * @throws IOException if tiles are missing
     */
    public List<byte[]> proveConsistency(long size) throws IOException {
        if (size < 0 || size > size()) {
            throw new IOException("the head of " + disk + " has " + size() + " leaves, and not yet " + size
                    + ": take an archive that is as new as that head");
        }
        return MerkleTree.consistency(size, size(), this);
    }

    /**
     * Finds a record by its sequence, in some 30 looks.
     *
     * @param sequence one of the ring that wrote last
     * @return the index of its leaf; -1 if there is none
     * @throws IOException if a bundle is missing
     */
    public long find(long sequence) throws IOException {
        Leaf newest = lastOfStream();
        long low = 0;
        long high = newest == null ? 0 : size();
        while (low < high) {
            long middle = (low + high) / 2;
            long at = middle;
            // Acts of the archive have no sequence: the leaf of a stream before them decides.
            while (at >= low && leaf(at).sequence() == 0) {
                at--;
            }
            boolean isBefore = at < low || !leaf(at).ring().equals(newest.ring()) || leaf(at).sequence() < sequence;
            if (isBefore) {
                low = middle + 1;
            } else {
                high = at;
            }
        }
        boolean isFound = newest != null
                && low < size()
                && leaf(low).sequence() == sequence
                && leaf(low).ring().equals(newest.ring());
        return isFound ? low : -1;
    }

    /** {@return the root of the first leaves} */
    byte[] root(long size) throws IOException {
        return MerkleTree.root(size, this);
    }

    /** {@return the newest leaf of a stream; null if there is none} */
    Leaf lastOfStream() throws IOException {
        for (long index = size() - 1; index >= 0; index--) {
            Leaf leaf = leaf(index);
            if (leaf.kind().isOfStream()) {
                return leaf;
            }
        }
        return null;
    }

    /** {@return the leaf with the key that signs now} */
    Leaf keyInForce() throws IOException {
        long newest = Arrays.stream(KeyChain.sizes(disk))
                .filter(each -> each <= size())
                .max()
                .orElse(0);
        if (newest == 0) {
            throw new RefusedException(
                    "the folder " + Tiles.KEYS + " of " + disk + " has no head: bring it back from a copy");
        }
        return leaf(newest - 1);
    }

    @Override
    public String toString() {
        return "ArchiveReader[" + disk + "]";
    }
}
