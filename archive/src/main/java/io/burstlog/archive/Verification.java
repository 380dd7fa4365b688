// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Checks a whole archive with nothing but public keys: each hash of the tree, each leaf, each payload, the numbers and
 * sequences, and the keys. It needs the right to read alone, and may run while an archiver writes.
 *
 * <pre>{@code
 * Verification.Report report = Verification.of(Path.of("/archive/orders")).key(key).run();
 * report.findings().forEach(System.out::println);
 * }</pre>
 *
 * <p>It cannot see one thing: an older state of the whole archive, put back by somebody with the right to write, has a
 * head that was signed. A head that the auditor kept ({@link #known}) or that an anchor has shows that.
 *
 * <p>Not thread-safe; the work is done by threads of its own.
 */
public final class Verification {

    private final Disk disk;
    private final Set<VerifierKey> keys = new LinkedHashSet<>();
    private final List<Checkpoint> known = new ArrayList<>();
    private final Map<String, AnswerCheck> anchors = new TreeMap<>();
    private int threads = Runtime.getRuntime().availableProcessors();
    private Path state;
    private LongConsumer progress = leaves -> {};

    /**
     * The results of a verification.
     *
     * @param head the signed head; null if there is none that counts
     * @param key the key that signs now; null if none of the given keys leads to it
     * @param leaves how many leaves were checked
     * @param records how many of them are records of the stream
     * @param bytes the bytes of their payloads
     * @param erased how many payloads were erased, as records of the archive say
     * @param expired how many leaves have lost their payloads since their time was over, as records of the archive say
     * @param anchors each anchor that has confirmed heads, or of which something was given
     * @param findings all that was found, in the order of the leaves
     */
    public record Report(
            Checkpoint head,
            VerifierKey key,
            long leaves,
            long records,
            long bytes,
            long erased,
            long expired,
            List<Anchored> anchors,
            List<Finding> findings) {

        /** {@return whether nothing is wrong} */
        public boolean isIntact() {
            return findings.stream().noneMatch(Finding::isFault);
        }
    }

    /**
     * The results for an anchor.
     *
     * @param name its name
     * @param isChecked whether its answers were checked; else nothing was given for that
     * @param answers how many of them hold, or fit the tree if they were not checked
     * @param size of the last head that it confirms; 0 if there is none
     * @param behind how many leaves lie behind that head
     * @param time when it confirmed that head, by its own clock; null if it does not say
     * @param longest the longest time from a leaf, as the archive says, to the head that confirms it, by the anchor's
     *     clock; null if the anchor does not say. Leaves that were made later than they say show here
     */
    public record Anchored(
            String name, boolean isChecked, long answers, long size, long behind, Instant time, Duration longest) {}

    private Verification(Disk disk) {
        this.disk = disk;
    }

    /**
     * Begins to say what is to be verified.
     *
     * @param folder the archive
     * @return a verification without keys
     */
    public static Verification of(Path folder) {
        return of(new FolderDisk(folder));
    }

    static Verification of(Disk disk) {
        return new Verification(disk);
    }

    /**
     * Adds a public key of this archive that the auditor has from elsewhere; at least one is required. Keys that follow
     * it are found. Each given key must have come into force: name the newest one that you know, since whoever has one
     * that was retired can make an older state of the archive, or another history up to there.
     */
    public Verification key(VerifierKey key) {
        keys.add(key);
        return this;
    }

    /** Adds a head that was seen before: the archive must go on from it. */
    public Verification known(Checkpoint head) {
        known.add(head);
        return this;
    }

    /**
     * Checks the answers of an anchor; those of others are listed as not checked.
     *
     * @param name of the anchor, that of its folder in {@code anchors}
     * @param check as the kinds of anchors have it, such as {@link WitnessAnchor#check}
     */
    public Verification anchor(String name, AnswerCheck check) {
        anchors.put(name, check);
        return this;
    }

    /** How many threads check; by default as many as there are processors. */
    public Verification threads(int count) {
        threads = Math.max(1, count);
        return this;
    }

    /**
     * A file that notes what is checked, so that the next verification goes on there if this one is interrupted; by
     * default none. It is deleted when the verification has ended. Payload files that were changed meanwhile are
     * checked again. Keep it where nobody else can write.
     */
    public Verification state(Path file) {
        state = file;
        return this;
    }

    /** Gets the number of leaves that are checked, in the calling thread; by default nobody does. */
    public Verification progress(LongConsumer listener) {
        progress = listener;
        return this;
    }

    /**
     * Verifies.
     *
     * @return what was found
     * @throws IOException if something cannot be read, or the state cannot be written
     */
    public Report run() throws IOException {
        if (keys.isEmpty()) {
            throw new IllegalArgumentException(
                    "No public key is given: take the one that the archive's owner published.");
        }
        List<Finding> findings = new ArrayList<>();
        VerificationState done = VerificationState.open(state, disk);
        Checkpoint head;
        try {
            head = ArchiveReader.head(disk);
        } catch (IOException none) {
            findings.add(Finding.of(Finding.Kind.HEAD, none.getMessage()));
            return new Report(null, null, 0, 0, 0, 0, 0, List.of(), findings);
        }
        List<Checkpoint> seen = new ArrayList<>(known);
        if (done.head() == null) {
            done.begin(head);
        } else {
            seen.add(done.head());
        }
        KeyChain chain = new KeyChain(disk, keys, findings::add);
        VerifierKey key = checkHead(head, chain, seen, findings);
        List<Finding> ofTree = Collections.synchronizedList(findings);
        TreeCheck tree = new TreeCheck(disk, head.size(), ofTree::add);
        tree.proveEdge(head.root());
        if (chain.wrongIn(head) != null && !tree.isRootProven()) {
            // Anybody can write such a head. It proves nothing, and its size may be anything.
            done.end();
            return new Report(head, key, 0, 0, 0, 0, 0, List.of(), List.copyOf(findings));
        }
        List<Part> parts = checkFiles(head, chain.wrongIn(head) == null, tree, done);
        new StrangeFiles(disk, head.size(), findings::add).check();
        Predicate<Checkpoint> isTrusted = each -> chain.wrongIn(each) == null;
        AnchorCheck ofAnchors = new AnchorCheck(disk, head, isTrusted, anchors, parts, findings::add);
        List<Anchored> anchored = ofAnchors.check();
        checkSealing(new SealingCheck(new ArchiveReader(disk, head), ofAnchors.confirmed(), findings::add), parts);
        Report report = joined(head, key, parts, acts(head, parts, isTrusted), anchored, findings);
        done.end();
        return report;
    }

    private static void checkSealing(SealingCheck check, List<Part> parts) throws IOException {
        for (Part part : parts) {
            part.acts.forEach(check::add);
        }
        check.check();
    }

    private VerifierKey checkHead(Checkpoint head, KeyChain chain, List<Checkpoint> seen, List<Finding> findings)
            throws IOException {
        try {
            chain.follow(new ArchiveReader(disk, head));
        } catch (IOException | IllegalArgumentException | IndexOutOfBoundsException | NullPointerException damaged) {
            findings.add(Finding.of(
                    Finding.Kind.KEY, "the keys cannot be followed, since tiles or leaves are damaged: " + damaged));
        }
        String wrongHead = chain.wrongIn(head);
        if (wrongHead != null) {
            findings.add(Finding.of(
                    Finding.Kind.HEAD,
                    "the head of " + head.origin() + " with " + head.size() + " leaves " + wrongHead));
        }
        for (Checkpoint each : seen) {
            String wrong = wrongOf(each, head, chain);
            if (wrong != null) {
                findings.add(Finding.of(Finding.Kind.HEAD, "the known head of " + each.size() + " leaves " + wrong));
            }
        }
        return chain.newest();
    }

    private String wrongOf(Checkpoint each, Checkpoint head, KeyChain chain) {
        String wrong = chain.wrongIn(each);
        if (wrong != null) {
            return wrong;
        }
        if (each.size() > head.size()) {
            return "is newer than the archive, which has " + head.size() + ": leaves were taken from its end";
        }
        try {
            return Arrays.equals(each.root(), new ArchiveReader(disk, head).root(each.size()))
                    ? null
                    : "is not the beginning of this archive: it was changed since";
        } catch (IOException | RuntimeException damaged) {
            return "cannot be compared with the tree, which is damaged: " + damaged;
        }
    }

    private List<Part> checkFiles(Checkpoint head, boolean isSigned, TreeCheck tree, VerificationState done)
            throws IOException {
        long files = (head.size() + Tiles.PAYLOAD_LEAVES - 1) / Tiles.PAYLOAD_LEAVES;
        ExecutorService workers = Executors.newFixedThreadPool(threads);
        try {
            Queue<Future<Checked>> running = new ArrayDeque<>();
            List<Part> parts = new ArrayList<>();
            long leaves = 0;
            long next = 0;
            for (long file = 0; file < files; file++) {
                for (; next < Math.min(files, file + 2L * threads); next++) {
                    long each = next;
                    running.add(workers.submit(() -> checkFile(each, head, tree, done)));
                }
                Checked checked = running.remove().get();
                Part part = checked.part();
                parts.add(part);
                done.add(file, checked.stamp(), part);
                leaves += part.leaves;
                progress.accept(leaves);
                if (!isSigned && part.isAbsent) {
                    // Anybody can say that there are more.
                    break;
                }
            }
            return parts;
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof IOException cause ? cause : new IOException(failed.getCause());
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new IOException("the verification was interrupted", stopped);
        } finally {
            workers.shutdownNow();
        }
    }

    private record Checked(Part part, String stamp) {}

    /** Checks a payload file; one that is as it was when it was checked before only has its hashes proven. */
    private Checked checkFile(long file, Checkpoint head, TreeCheck tree, VerificationState done) throws IOException {
        String stamp = done.stamp(file, head.size());
        Part known = done.part(file, stamp);
        if (known != null && tree.hashes(1, file) != null) {
            tree.forget(file);
            return new Checked(known, stamp);
        }
        return new Checked(new FileCheck(disk, tree, head.size(), file).check(), stamp);
    }

    /** {@return the acts under the head, and what later ones say of payload files that are gone} */
    private Acts acts(Checkpoint head, List<Part> parts, Predicate<Checkpoint> isTrusted) throws IOException {
        Acts acts = new Acts();
        parts.forEach(part -> part.acts.forEach(acts::add));
        boolean isUntold = false;
        for (Part part : parts) {
            isUntold |= part.gone != null && acts.judgeGone(part.gone) != null;
        }
        if (isUntold) {
            laterActs(head, isTrusted).forEach(acts::addLater);
        }
        return acts;
    }

    /** A later head may excuse something. One that cannot be read excuses nothing, and hides nothing that was found. */
    private List<Part.Act> laterActs(Checkpoint head, Predicate<Checkpoint> isTrusted) {
        try {
            return LaterActs.of(disk, head, isTrusted);
        } catch (IOException unproven) {
            return List.of();
        }
    }

    private Report joined(
            Checkpoint head,
            VerifierKey key,
            List<Part> parts,
            Acts acts,
            List<Anchored> anchored,
            List<Finding> findings)
            throws IOException {
        OrderCheck order = new OrderCheck(findings::add);
        for (Part part : parts) {
            for (Part.Act each : part.acts) {
                String first = Tiles.keyHead(each.index() + 1);
                if (each.leaf().kind() == Leaf.Kind.KEY && disk.length(first) < 0) {
                    findings.add(Finding.at(Finding.Kind.KEY, each.index(), first + " is missing"));
                }
            }
        }
        long leaves = 0;
        long records = 0;
        long bytes = 0;
        for (Part part : parts) {
            leaves += part.leaves;
            records += part.records;
            bytes += part.bytes;
            part.runs.forEach(order::add);
            findings.addAll(part.findings);
            Stream.concat(
                            part.filled.stream().map(acts::judgeFilled),
                            Stream.ofNullable(part.gone).map(acts::judgeGone))
                    .filter(Objects::nonNull)
                    .forEach(findings::add);
        }
        findings.addAll(acts.unfinished(head.size()));
        findings.sort(Comparator.comparingLong(Finding::first));
        return new Report(
                head,
                key,
                leaves,
                records,
                bytes,
                acts.erased(),
                acts.expired(),
                List.copyOf(anchored),
                List.copyOf(findings));
    }
}
