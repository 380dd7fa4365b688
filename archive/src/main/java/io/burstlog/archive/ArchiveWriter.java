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
 * <p>DESIGN. The kept head is the commit point. A commit makes payloads, leaves and tiles durable; then it signs the
 * head, and keeps it outside of the archive ({@link KeptHead}); then it gives it to readers as {@code checkpoint}. So a
 * head that anybody has seen is kept, and the disk has all that it covers. An archive may be behind its kept head by
 * what a crash left undone, and has the tiles of that head then; if it has not, it is an older state, and a writer that
 * went on from there would sign a second history. Files beyond the kept head are of no tree: the next open deletes
 * them. No file that a head covers is written again: partial tiles carry their width in their names.
 *
 * <p>Payloads are compressed, and everything is written, synced and signed, by one thread behind the one that appends:
 * in the order in which it came. So a head is signed behind all that it covers, and the next leaves are hashed
 * meanwhile.
 *
 * <p>After an exception the writer is of no use: the next open cuts what was under way. One thread uses it.
 */
final class ArchiveWriter implements AutoCloseable {

    /** A commit comes by itself behind so many leaves, which bounds what the next open looks for behind the head. */
    static final int MOST_PENDING = 4 * Tiles.PAYLOAD_LEAVES;

    private final Disk disk;
    private final Fence fence;
    private final LongSupplier clock;
    private final WriteBehind compressing = new WriteBehind("burstlog-archive zstd");
    private final WriteBehind writing = new WriteBehind("burstlog-archive write");

    /** Names that are not durable yet; the thread that writes knows them alone. */
    private final Set<String> dirty = new HashSet<>();

    private final TreeEdge tree;
    private final PayloadWriter payloads;
    private final ByteArrayOutputStream bundle = new ByteArrayOutputStream();
    private List<SigningKey> keys;
    private KeptHead kept;
    private volatile Checkpoint head;
    private volatile Signed signed;
    private long begun;
    private Leaf lastOfStream;
    private Leaf.Kind lastKind;
    private long records;
    private long payloadBytes;

    /**
     * A signed head.
     *
     * @param head durable
     * @param lastOfStream the last leaf of a stream that it covers; null if there is none
     * @param records those that this writer appended and it covers
     * @param bytes of their payloads
     */
    record Signed(Checkpoint head, Leaf lastOfStream, long records, long bytes) {}

    /** Keeps an archiver from signing that is not the owner any more. */
    interface Fence {

        /** @throws RefusedException if another archiver has begun */
        void check() throws IOException;
    }

    private ArchiveWriter(Disk disk, SigningKey key, KeptHead kept, Fence fence, LongSupplier clock) {
        this.disk = disk;
        this.kept = kept;
        this.fence = fence;
        this.clock = clock;
        keys = List.of(key);
        tree = new TreeEdge(disk, this::write);
        payloads = new PayloadWriter(disk, compressing, this::appendBehind);
    }

    /**
     * Takes up an archive.
     *
     * @param kept where the newest head is kept that the key has signed
     * @param clock nanoseconds since 1970
     * @throws RefusedException if what is there does not match its head, if that is older than the kept one, or if
     *     another key signs it
     */
    static ArchiveWriter open(Disk disk, SigningKey key, KeptHead kept, Fence fence, LongSupplier clock)
            throws IOException {
        return begin(new ArchiveWriter(disk, key, kept, fence, clock), writer -> writer.takeUp(key.verifier()));
    }

    /**
     * Makes a new archive, with one leaf.
     *
     * @param kept where the newest head will be kept that the key has signed
     * @param clock nanoseconds since 1970
     * @throws RefusedException if there is one, or if the key has signed a head of one
     */
    static ArchiveWriter create(Disk disk, SigningKey key, KeptHead kept, Fence fence, LongSupplier clock)
            throws IOException {
        return begin(new ArchiveWriter(disk, key, kept, fence, clock), writer -> writer.makeNew(key.verifier()));
    }

    private interface Step {
        void of(ArchiveWriter writer) throws IOException;
    }

    private static ArchiveWriter begin(ArchiveWriter writer, Step step) throws IOException {
        try {
            step.of(writer);
            return writer;
        } catch (Throwable failed) {
            writer.close();
            throw failed;
        }
    }

    private void makeNew(VerifierKey key) throws IOException {
        Checkpoint last = kept.read();
        if (last != null) {
            throw new RefusedException("the key has signed a head of " + last.size() + " leaves already, which " + kept
                    + " has: start an archiver to go on with that archive, or make another key for a new one");
        }
        if (disk.length(Tiles.CHECKPOINT) >= 0 || !disk.list(Tiles.KEYS).isEmpty()) {
            throw new RefusedException(disk + " has an archive already: name an empty folder");
        }
        new LeftOver(disk, 0).delete();
        act(Leaf.Kind.KEY, "key: " + key + "\n");
        commit();
    }

    private void takeUp(VerifierKey key) throws IOException {
        Checkpoint last = requireKept(key);
        Checkpoint seen = readSeen();
        boolean isAhead = seen != null && seen.size() > last.size();
        head = isAhead ? seen : last;
        openTree(seen, last);
        ArchiveReader reader = new ArchiveReader(disk, head);
        if (isAhead && !Arrays.equals(reader.root(last.size()), last.root())) {
            throw new RefusedException("the archive " + disk + " does not go on from the head of " + last.size()
                    + " leaves that " + kept + " has: it is another history; bring the right one back");
        }
        if (head.isSignedBy(key)) {
            finishHead(reader, seen);
        }
        requireKeyInForce(reader, key);
        Removal.finish(disk, head);
        openBundle(reader);
        payloads.open(head.size());
        lastOfStream = reader.lastOfStream();
        new LeftOver(disk, head.size()).delete();
        signed = new Signed(head, lastOfStream, 0, 0);
        begun = head.size();
    }

    private Checkpoint requireKept(VerifierKey key) throws IOException {
        Checkpoint last = kept.read();
        if (last == null) {
            throw new RefusedException("the file " + kept + " is missing, which has the newest head that the key has"
                    + " signed: bring it back, or put the newest head there that an auditor or an anchor has");
        }
        if (!last.origin().equals(key.name())) {
            throw new RefusedException("the file " + kept + " has a head of " + last.origin()
                    + ", and the key is one of " + key.name() + ": name the key and the head of one archive");
        }
        return last;
    }

    /** Returns the head that readers see; null if there is none. */
    private Checkpoint readSeen() throws IOException {
        try {
            return Checkpoint.of(new String(disk.read(Tiles.CHECKPOINT), UTF_8));
        } catch (NoSuchFileException none) {
            return null;
        } catch (IllegalArgumentException damaged) {
            throw new RefusedException(Tiles.CHECKPOINT + " of " + disk
                    + " is no signed head: something changed it; bring it back from a copy or from an anchor");
        }
    }

    private void openTree(Checkpoint seen, Checkpoint last) throws IOException {
        boolean isBehind = seen == null || seen.size() < last.size();
        try {
            tree.open(head.size());
            if (Arrays.equals(tree.root(), head.root())) {
                return;
            }
        } catch (RefusedException damaged) {
            if (!isBehind) {
                throw damaged;
            }
        }
        throw new RefusedException(
                isBehind
                        ? "the archive " + disk + " is older than its key: " + kept + " has a head of " + last.size()
                                + " leaves, and it has " + (seen == null ? "none" : "one of " + seen.size())
                                + ". Bring back the archive with all of them: to go on from here would make a second"
                                + " history"
                        : "the tiles of " + disk + " do not make the root that its head of " + head.size()
                                + " leaves has: something changed them; run verify, and bring them back from a copy");
    }

    /** Ends what a crash interrupted. A sync is due in any case: nobody knows whether the last one was done. */
    private void finishHead(ArchiveReader reader, Checkpoint seen) throws IOException {
        if (head == seen) {
            kept.write(head);
        }
        if (head.toString().equals(String.valueOf(seen))) {
            disk.sync(List.of(Tiles.CHECKPOINT));
        } else {
            publish(reader.leaf(head.size() - 1).kind() == Leaf.Kind.KEY);
        }
        disk.delete(Tiles.CHECKPOINT + ".tmp");
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

    /** Fills the bundle first if the payload does not belong into its frame. {@return the leaf's index} */
    long append(Leaf leaf, byte[] payload) throws IOException {
        while (!payloads.hasRoom(payload.length)) {
            act(Leaf.Kind.PADDING, "");
        }
        payloads.add(payload);
        addToBundle(leaf.raw());
        long index = tree.size();
        tree.add(leaf.hash());
        lastKind = leaf.kind();
        records += lastKind == Leaf.Kind.RECORD ? 1 : 0;
        payloadBytes += payload.length;
        if (leaf.kind().isOfStream()) {
            lastOfStream = leaf;
        }
        if (tree.size() % Tiles.WIDTH == 0) {
            payloads.endBundle();
            writeEntries(Tiles.WIDTH);
            bundle.reset();
        }
        if (tree.size() - begun >= MOST_PENDING) {
            beginCommit();
        }
        return index;
    }

    /** Appends an act of the archive. */
    long act(Leaf.Kind kind, String text) throws IOException {
        return append(Leaf.ofArchive(kind, clock.getAsLong(), text), new byte[0]);
    }

    private void writeEntries(int width) throws IOException {
        write(Tiles.entries((tree.size() - 1) / Tiles.WIDTH, width), bundle.toByteArray());
    }

    private void write(String name, byte[] bytes) throws IOException {
        compressing.add(bytes.length, () -> appendBehind(name, 0, bytes));
    }

    private void appendBehind(String name, long offset, byte[] bytes) throws IOException {
        writing.add(bytes.length, () -> {
            disk.append(name, offset, bytes, bytes.length);
            dirty.add(name);
        });
    }

    /**
     * Makes durable what was appended, and signs a head of it.
     *
     * @return the head; the one before if nothing was appended
     */
    Checkpoint commit() throws IOException {
        beginCommit();
        compressing.await();
        writing.await();
        return head;
    }

    /** Begins to make durable what was appended, and to sign a head of it, while the next leaves are appended. */
    void beginCommit() throws IOException {
        long size = tree.size();
        if (size == begun) {
            return;
        }
        payloads.writeEdge(size);
        if (size % Tiles.WIDTH > 0) {
            writeEntries((int) (size % Tiles.WIDTH));
        }
        tree.writeEdge();
        Work work = new Work(size, tree.root(), keys, kept, lastKind, lastOfStream, records, payloadBytes);
        compressing.add(0, () -> writing.add(0, () -> sign(work)));
        begun = size;
    }

    /** A head is signed of this, once that is durable. */
    private record Work(
            long size,
            byte[] root,
            List<SigningKey> keys,
            KeptHead kept,
            Leaf.Kind lastKind,
            Leaf lastOfStream,
            long records,
            long bytes) {}

    private void sign(Work of) throws IOException {
        disk.sync(dirty);
        dirty.clear();
        fence.check();
        long before = head == null ? 0 : head.size();
        Checkpoint next = Checkpoint.sign(of.keys.get(0).verifier().name(), of.size, of.root, of.keys);
        of.kept.write(next);
        head = next;
        publish(of.lastKind == Leaf.Kind.KEY);
        deletePartial(before);
        signed = new Signed(next, of.lastOfStream, of.records, of.bytes);
    }

    /** {@return the last signed head, with what it covers; throws what the other threads have met} */
    Signed signed() throws IOException {
        compressing.check();
        writing.check();
        return signed;
    }

    /** Lets readers see the head; the first head of a key is kept for good. */
    private void publish(boolean isFirstOfKey) throws IOException {
        byte[] note = head.toString().getBytes(UTF_8);
        if (isFirstOfKey) {
            String first = Tiles.keyHead(head.size());
            disk.write(first, note);
            disk.sync(List.of(first));
        }
        disk.replace(Tiles.CHECKPOINT, note);
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
        long file = before / Tiles.PAYLOAD_LEAVES;
        if (file < head.size() / Tiles.PAYLOAD_LEAVES) {
            disk.deleteFolder(Tiles.payloadEdges(file));
        } else if (before % Tiles.WIDTH > 0) {
            disk.delete(Tiles.payloadEdge(file, (int) (before % Tiles.PAYLOAD_LEAVES)));
        }
    }

    /**
     * Lets another key sign from here on. The head of this commit has the signatures of both.
     *
     * @param next the key that signs alone from the next head on
     * @param ofNext where the newest head is kept that this key has signed
     * @throws RefusedException if that is a head of another archive or history: the key would sign a second one
     */
    Checkpoint rotate(SigningKey next, KeptHead ofNext) throws IOException {
        if (!next.verifier().name().equals(keys.get(0).verifier().name())) {
            throw new RefusedException("the new key is named " + next.verifier().name() + ", and the archive "
                    + keys.get(0).verifier().name() + ": make a key of that name");
        }
        commit();
        requireOfHere(ofNext);
        ofNext.write(head);
        act(Leaf.Kind.KEY, "key: " + next.verifier() + "\n");
        keys = List.of(keys.get(0), next);
        Checkpoint both = commit();
        ofNext.write(both);
        keys = List.of(next);
        kept = ofNext;
        return both;
    }

    private void requireOfHere(KeptHead ofNext) throws IOException {
        Checkpoint last = ofNext.read();
        if (last != null
                && (last.size() > head.size()
                        || !Arrays.equals(new ArchiveReader(disk, head).root(last.size()), last.root()))) {
            throw new RefusedException("the new key has signed a head of " + last.size() + " leaves, which " + ofNext
                    + " has, and this archive does not have that: it would have two histories; make another key");
        }
    }

    /** Forgets what was appended and is under no head yet. */
    @Override
    public void close() {
        compressing.close();
        writing.close();
        payloads.close();
    }
}
