// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The results of the leaves of one payload file. The parts of an archive are joined in their order. */
final class Part {

    final List<Finding> findings = new ArrayList<>();

    /** The payload file is missing; null if it is there. */
    Finding gone;

    /** Leaves whose payload is filled. */
    final List<Long> filled = new ArrayList<>();

    /** Acts of the archive in proven leaves, but for those that fill a bundle. */
    final List<Act> acts = new ArrayList<>();

    /** A new run begins with each folder and each ring, and where numbers do not follow each other. */
    final List<Run> runs = new ArrayList<>();

    /** When the oldest leaf of each bundle was taken, as it says; Long.MAX_VALUE where no leaf is proven. */
    final long[] oldest = new long[Tiles.WIDTH];

    /** No leaf is there. */
    boolean isAbsent;

    long leaves;
    long records;
    long bytes;

    Part() {
        Arrays.fill(oldest, Long.MAX_VALUE);
    }

    /** An act, and its place. */
    record Act(long index, Leaf leaf) {}

    /** Leaves of one folder and one ring whose numbers follow each other, and whose sequences rise. */
    static final class Run {

        final Leaf first;
        final long index;
        Leaf last;

        Run(Leaf first, long index) {
            this.first = first;
            this.index = index;
            last = first;
        }

        boolean goesOnWith(Leaf leaf) {
            return leaf.isOfStreamOf(last)
                    && leaf.kind() != Leaf.Kind.MISSING
                    && leaf.number() == last.number() + 1
                    && leaf.sequence() > last.sequence();
        }
    }

    void take(Leaf leaf, long index) {
        int bundle = (int) (index / Tiles.WIDTH % Tiles.WIDTH);
        oldest[bundle] = Math.min(oldest[bundle], leaf.takenNanos());
        if (leaf.kind() == Leaf.Kind.PADDING) {
            return; // it says nothing, and there may be many
        }
        if (!leaf.kind().isOfStream()) {
            acts.add(new Act(index, leaf));
            return;
        }
        records += leaf.kind() == Leaf.Kind.RECORD ? 1 : 0;
        Run last = runs.isEmpty() ? null : runs.get(runs.size() - 1);
        if (last != null && last.goesOnWith(leaf)) {
            last.last = leaf;
        } else {
            runs.add(new Run(leaf, index));
        }
    }
}
