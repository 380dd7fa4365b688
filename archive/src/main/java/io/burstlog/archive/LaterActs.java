// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

/**
 * Acts behind the head that is verified. An archiver at work may delete a payload file while others are checked, and
 * says so under a later head first. That head counts if a key in force has signed it and its tree goes on from this
 * one; a leaf counts if its tree has it.
 */
final class LaterActs {

    private LaterActs() {}

    /** {@return those which say that the time of payloads was over} */
    static List<Part.Act> of(Disk disk, Checkpoint head, Predicate<Checkpoint> isTrusted) throws IOException {
        List<Part.Act> acts = new ArrayList<>();
        Checkpoint later = ArchiveReader.head(disk);
        if (later.size() <= head.size() || !isTrusted.test(later)) {
            return acts;
        }
        TreeCheck tree = new TreeCheck(disk, later.size(), unsaid -> {});
        tree.proveEdge(later.root());
        if (!tree.isRootProven() || !tree.goesOnFrom(head)) {
            return acts;
        }
        for (long bundle = head.size() / Tiles.WIDTH; bundle * Tiles.WIDTH < later.size(); bundle++) {
            byte[][] hashes = tree.hashesOfLeaves(bundle, unsaid -> {});
            List<byte[]> leaves = hashes == null ? List.of() : ArchiveReader.bundle(disk, bundle, later.size());
            for (int i = 0; i < leaves.size(); i++) {
                long index = bundle * Tiles.WIDTH + i;
                byte[] leaf = leaves.get(i);
                if (index >= head.size()
                        && Arrays.equals(MerkleTree.leafHash(leaf), hashes[i])
                        && Leaf.isLeaf(leaf)
                        && Leaf.of(leaf).kind() == Leaf.Kind.EXPIRED) {
                    acts.add(new Part.Act(index, Leaf.of(leaf)));
                }
            }
        }
        return acts;
    }
}
