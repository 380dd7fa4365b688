// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Follows the keys of an archive from one that the auditor has. Each head in {@code keys} is the first one that a key
 * signed; the key before it signed it as well, and its last leaf names the new one.
 */
final class KeyChain {

    private final Disk disk;
    private final Consumer<Finding> found;
    private final Set<VerifierKey> trusted;
    private VerifierKey newest;

    KeyChain(Disk disk, Set<VerifierKey> trusted, Consumer<Finding> found) {
        this.disk = disk;
        this.trusted = new LinkedHashSet<>(trusted);
        this.found = found;
    }

    /** Follows the keys up to this head. */
    void follow(ArchiveReader archive) throws IOException {
        List<Long> sizes = disk.list(Tiles.KEYS).stream()
                .filter(name -> name.matches("[1-9]\\d{0,18}"))
                .map(Long::valueOf)
                .sorted()
                .toList();
        for (long size : sizes) {
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
        if (trusted.contains(key) || head.isSignedByOneOf(trusted)) {
            trusted.add(key);
            newest = key;
        } else if (newest != null) {
            return "is not signed by the key before, " + newest;
        }
        return null;
    }

    /** {@return the key that has to sign the head; null if none of the auditor's leads to it} */
    VerifierKey newest() {
        return newest;
    }

    boolean isTrusted(Checkpoint head) {
        return head.isSignedByOneOf(trusted);
    }
}
