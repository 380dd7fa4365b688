// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Appends leaves and payloads to an archive, and signs its heads.
 *
 * <p>DESIGN. The head is the commit point. A commit makes payloads, leaves and tiles durable; then it signs the head,
 * makes {@code checkpoint.next} durable, and gives it the name {@code checkpoint}. So a head that anybody has seen
 * survives each crash, under one of the two names, and the disk has all that it covers. Files beyond the head are of no
 * tree: the next open deletes them. No file that a head covers is written again: partial tiles carry their width in
 * their names.
 *
 * <p>After an exception the writer is of no use: the next open cuts what was under way. One thread uses it.
 */
final class ArchiveWriter implements AutoCloseable {

    /** A commit comes by itself behind so many leaves, which bounds what the next open looks for behind the head. */
    static final int MOST_PENDING = 4 * Tiles.PAYLOAD_LEAVES;

    private final Disk disk;
    private final Fence fence;
    private final LongSupplier clock;
    private final Set<String> dirty = new HashSet<>();
    private final TreeEdge tree;
    private final PayloadWriter payloads;
    private final ByteArrayOutputStream bundle = new ByteArrayOutputStream();
    private List<SigningKey> keys;
    private Checkpoint head;
    private Leaf lastOfStream;
    private Leaf.Kind lastKind;

    /** Keeps an archiver from signing that is not the owner any more. */
    interface Fence {

        /** @throws RefusedException if another archiver has begun */
        void check() throws IOException;
    }

    private ArchiveWriter(Disk disk, SigningKey key, Fence fence, LongSupplier clock) {
        this.disk = disk;
        this.fence = fence;
        this.clock = clock;
        keys = List.of(key);
        tree = new TreeEdge(disk, dirty);
        payloads = new PayloadWriter(disk, dirty);
    }

    /**
     * Takes up the archive, or makes a new one in an empty folder.
     *
     * @param clock nanoseconds since 1970
     * @throws RefusedException if what is there does not match its head, or if another key signs it
     */
    static ArchiveWriter open(Disk disk, SigningKey key, Fence fence, LongSupplier clock) throws IOException {
        ArchiveWriter writer = new ArchiveWriter(disk, key, fence, clock);
        try {
            writer.takeUp(key);
            return writer;
        } catch (Throwable failed) {
            writer.close();
            throw failed;
        }
    }

    private void takeUp(SigningKey key) throws IOException {
        head = readHead(key.verifier());
        if (head == null) {
            if (!disk.list(Tiles.ENTRIES).isEmpty() && !disk.list(Tiles.KEYS).isEmpty()) {
                throw new RefusedException("there is no " + Tiles.CHECKPOINT + " beside the tree of " + disk
                        + ": bring it back from a copy or from an anchor; a new archive needs an empty folder");
            }
            new LeftOver(disk, 0).delete();
            act(Leaf.Kind.KEY, "key: " + key.verifier() + "\n");
            commit();
            return;
        }
        tree.open(head.size());
        if (!Arrays.equals(tree.root(), head.root())) {
            throw new RefusedException("the tiles of " + disk + " do not make the root that its head of " + head.size()
                    + " leaves has: something changed them; run verify, and bring them back from a copy");
        }
        ArchiveReader reader = new ArchiveReader(disk, head);
        finishHead(reader);
        requireKeyInForce(reader, key.verifier());
        openBundle(reader);
        payloads.open(head.size());
        lastOfStream = reader.lastOfStream();
        new LeftOver(disk, head.size()).delete();
    }

    /** Returns the head; one that a crash left under its first name counts, since somebody may have seen it. */
    private Checkpoint readHead(VerifierKey key) throws IOException {
        disk.delete(Tiles.NEXT_CHECKPOINT + ".tmp");
        Checkpoint next = read(Tiles.NEXT_CHECKPOINT);
        Checkpoint now = read(Tiles.CHECKPOINT);
        if (next != null && (now == null || next.size() > now.size()) && next.isSignedBy(key)) {
            return next;
        }
        disk.delete(Tiles.NEXT_CHECKPOINT);
        if (now == null && disk.length(Tiles.CHECKPOINT) >= 0) {
            throw new RefusedException(Tiles.CHECKPOINT + " of " + disk
                    + " is no signed head: something changed it; bring it back from a copy or from an anchor");
        }
        return now;
    }

    private Checkpoint read(String name) throws IOException {
        try {
            return Checkpoint.of(new String(disk.read(name), UTF_8));
        } catch (NoSuchFileException | IllegalArgumentException none) {
            return null;
        }
    }

    /**
     * Ends what a crash interrupted. A sync of the folder is due in any case: nobody knows whether the last one was
     * done.
     */
    private void finishHead(ArchiveReader reader) throws IOException {
        publish(reader.leaf(head.size() - 1).kind() == Leaf.Kind.KEY);
    }

    private void requireKeyInForce(ArchiveReader reader, VerifierKey key) throws IOException {
        Leaf inForce = reader.keyInForce();
        if (!head.origin().equals(key.name())
                || !key.toString().equals(inForce.value("key"))
                || !head.isSignedBy(key)) {
            throw new RefusedException(
                    "the archive " + disk + " of " + head.origin() + " is signed by the key " + inForce.value("key")
                            + ", and not by " + key + ": name the file of that key, or rotate to this one");
        }
    }

    private void openBundle(ArchiveReader reader) throws IOException {
        int width = (int) (head.size() % Tiles.WIDTH);
        long first = head.size() - width;
        for (int i = 0; i < width; i++) {
            addToBundle(reader.leaf(first + i).raw());
        }
    }

    private void addToBundle(byte[] leaf) {
        bundle.write(leaf.length >> 8);
        bundle.write(leaf.length);
        bundle.write(leaf, 0, leaf.length);
    }

    long size() {
        return tree.size();
    }

    /** {@return the last signed head} */
    Checkpoint head() {
        return head;
    }

    /** {@return the last leaf of a stream; null if there is none} */
    Leaf lastOfStream() {
        return lastOfStream;
    }

    /** {@return the leaf's index} */
    long append(Leaf leaf, byte[] payload) throws IOException {
        if (payloads.isTooMuch(payload.length)) {
            throw new RefusedException("the payloads of the " + tree.size() % Tiles.WIDTH + " leaves before leaf "
                    + tree.size() + " have " + payloads.bundleBytes() + " bytes, and its own has " + payload.length
                    + ": a frame has room for " + PayloadWriter.MOST_BUNDLE_BYTES + "; set a smaller maxRecordSize");
        }
        payloads.add(payload);
        addToBundle(leaf.raw());
        long index = tree.size();
        tree.add(leaf.hash());
        lastKind = leaf.kind();
        if (leaf.kind().isOfStream()) {
            lastOfStream = leaf;
        }
        if (tree.size() % Tiles.WIDTH == 0) {
            payloads.endBundle();
            writeEntries(Tiles.WIDTH);
            bundle.reset();
        }
        if (head != null && tree.size() - head.size() >= MOST_PENDING) {
            commit();
        }
        return index;
    }

    /** Appends an act of the archive. */
    long act(Leaf.Kind kind, String text) throws IOException {
        return append(Leaf.ofArchive(kind, clock.getAsLong(), text), new byte[0]);
    }

    private void writeEntries(int width) throws IOException {
        String name = Tiles.entries((tree.size() - 1) / Tiles.WIDTH, width);
        disk.write(name, bundle.toByteArray());
        dirty.add(name);
    }

    /**
     * Makes durable what was appended, and signs a head of it.
     *
     * @return the head; the one before if nothing was appended
     */
    Checkpoint commit() throws IOException {
        if (head != null && tree.size() == head.size()) {
            return head;
        }
        payloads.writeEdge(tree.size());
        if (tree.size() % Tiles.WIDTH > 0) {
            writeEntries((int) (tree.size() % Tiles.WIDTH));
        }
        tree.writeEdge();
        disk.sync(dirty);
        dirty.clear();
        fence.check();
        long before = head == null ? 0 : head.size();
        Checkpoint next = Checkpoint.sign(keys.get(0).verifier().name(), tree.size(), tree.root(), keys);
        String draft = Tiles.NEXT_CHECKPOINT + ".tmp";
        disk.write(draft, next.toString().getBytes(UTF_8));
        disk.sync(List.of(draft));
        disk.rename(draft, Tiles.NEXT_CHECKPOINT);
        disk.sync(List.of(Tiles.NEXT_CHECKPOINT));
        head = next;
        publish(lastKind == Leaf.Kind.KEY);
        deletePartial(before);
        return head;
    }

    /** Gives the durable head its name; the first head of a key is kept for good. */
    private void publish(boolean isFirstOfKey) throws IOException {
        if (isFirstOfKey) {
            String kept = Tiles.keyHead(head.size());
            disk.write(kept, head.toString().getBytes(UTF_8));
            disk.sync(List.of(kept));
        }
        if (disk.length(Tiles.NEXT_CHECKPOINT) >= 0) {
            disk.rename(Tiles.NEXT_CHECKPOINT, Tiles.CHECKPOINT);
        }
        disk.sync(List.of(Tiles.CHECKPOINT));
    }

    /** Deletes partial tiles that are full now. Readers may still want those of this size, and find the full ones. */
    private void deletePartial(long before) throws IOException {
        if (before == 0) {
            return;
        }
        for (int level = 0; before >> (Tiles.WIDTH_BITS * level) > 0; level++) {
            long index = before >> (Tiles.WIDTH_BITS * (level + 1));
            if (Tiles.width(level, index, head.size()) == Tiles.WIDTH) {
                disk.deleteFolder(Tiles.tile(level, index, Tiles.WIDTH) + ".p");
                if (level == 0) {
                    disk.deleteFolder(Tiles.entries(index, Tiles.WIDTH) + ".p");
                }
            }
        }
        if (before % Tiles.WIDTH > 0) {
            disk.delete(Tiles.payloadEdge(before / Tiles.PAYLOAD_LEAVES, (int) (before % Tiles.PAYLOAD_LEAVES)));
        }
    }

    /**
     * Lets another key sign from here on. The head of this commit has the signatures of both.
     *
     * @param next the key that signs alone from the next head on
     */
    Checkpoint rotate(SigningKey next) throws IOException {
        if (!next.verifier().name().equals(keys.get(0).verifier().name())) {
            throw new RefusedException("the new key is named " + next.verifier().name() + ", and the archive "
                    + keys.get(0).verifier().name() + ": make a key of that name");
        }
        commit();
        act(Leaf.Kind.KEY, "key: " + next.verifier() + "\n");
        keys = List.of(keys.get(0), next);
        Checkpoint both = commit();
        keys = List.of(next);
        return both;
    }

    @Override
    public void close() {
        payloads.close();
    }
}
