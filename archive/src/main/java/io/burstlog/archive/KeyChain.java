// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Follows the keys of an archive from one that the auditor has. Each head in {@code keys} is the first one that a key
 * signed; the key before it signed it as well, and its last leaf names the new one. From that size on the new key is in
 * force: a larger head that the key before signed alone counts for nothing, since whoever has a retired key could make
 * one.
 */
final class KeyChain {

    private final Disk disk;
    private final Consumer<Finding> found;
    private final Set<VerifierKey> given;

    /** Each key by the size from which on it is in force. */
    private final TreeMap<Long, VerifierKey> inForce = new TreeMap<>();

    KeyChain(Disk disk, Collection<VerifierKey> given, Consumer<Finding> found) {
        this.disk = disk;
        this.given = new LinkedHashSet<>(given);
        this.found = found;
    }

    /** Follows the keys up to this head. */
    void follow(ArchiveReader archive) throws IOException {
        for (long size : sizes(disk)) {
            String name = Tiles.keyHead(size);
            if (size > archive.size()) {
                found.accept(Finding.of(Finding.Kind.BEHIND, name + " is of a head that is to come"));
                continue;
            }
            String wrong = wrongIn(name, size, archive);
            if (wrong != null) {
                found.accept(Finding.of(Finding.Kind.KEY, name + " " + wrong));
            }
        }
        for (VerifierKey each : given) {
            if (!inForce.containsValue(each)) {
                found.accept(Finding.of(
                        Finding.Kind.KEY,
                        "the given key " + each + " signs no head here: this is an older state than that key, another"
                                + " history, or the key of another archive"));
            }
        }
    }

    /** {@return the sizes of the first heads of all keys, in their order} */
    static long[] sizes(Disk disk) throws IOException {
        return disk.list(Tiles.KEYS).stream()
                .map(each -> FileName.of(Tiles.KEYS + "/" + each))
                .filter(each -> each != null)
                .mapToLong(FileName::index)
                .sorted()
                .toArray();
    }

    private String wrongIn(String name, long size, ArchiveReader archive) throws IOException {
        Checkpoint head;
        try {
            head = Checkpoint.of(new String(disk.read(name), UTF_8));
        } catch (IllegalArgumentException damaged) {
            return "is no signed head";
        }
        if (head.size() != size || !Arrays.equals(head.root(), archive.root(size))) {
            return "is the head of another tree";
        }
        Leaf leaf = archive.leaf(size - 1);
        String text = leaf.kind() == Leaf.Kind.KEY ? leaf.value("key") : null;
        if (text == null) {
            return "has no key as its last leaf";
        }
        VerifierKey key = VerifierKey.of(text);
        if (!head.isSignedBy(key)) {
            return "is not signed by the key that it begins, " + key;
        }
        // Heads before the one that the auditor knows prove nothing to him, and are no fault.
        VerifierKey before = newest();
        boolean follows = before == null ? given.contains(key) || head.isSignedByOneOf(given) : head.isSignedBy(before);
        if (follows) {
            inForce.put(size, key);
        } else if (before != null) {
            return "is not signed by the key before, " + before;
        }
        return null;
    }

    /** {@return the key that has to sign the head; null if none of the auditor's leads to it} */
    VerifierKey newest() {
        return inForce.isEmpty() ? null : inForce.lastEntry().getValue();
    }

    /** {@return what is wrong with the signatures of a head of this archive; null if the key in force signed it} */
    String wrongIn(Checkpoint head) {
        Map.Entry<Long, VerifierKey> key = inForce.floorEntry(head.size());
        if (key == null) {
            return head.isSignedByOneOf(given) ? null : "is not signed by a key that follows from a given one";
        }
        return head.isSignedBy(key.getValue())
                ? null
                : "is not signed by the key in force since leaf " + (key.getKey() - 1) + ", " + key.getValue();
    }
}
