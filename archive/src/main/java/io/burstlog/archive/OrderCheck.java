// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Checks that each folder's numbers are there once, without a gap, and that each ring's sequences rise. It gets the
 * runs of an archive in their order.
 */
final class OrderCheck {

    private final Consumer<Finding> found;
    private final Map<String, Long> numbers = new HashMap<>();
    private final Map<String, Long> sequences = new HashMap<>();

    OrderCheck(Consumer<Finding> found) {
        this.found = found;
    }

    void add(Part.Run run) {
        Leaf first = run.first;
        Long before = numbers.put(first.folder(), run.last.number());
        boolean isMissing = first.kind() == Leaf.Kind.MISSING;
        if (before != null && first.number() != before + (isMissing ? first.count() : 1)) {
            found.accept(Finding.at(
                    Finding.Kind.ORDER,
                    run.index,
                    "number " + first.number() + " of folder " + first.folder() + " stands behind number " + before));
        }
        if (isMissing && run.first == run.last) {
            return;
        }
        Long sequence = sequences.put(run.last.ring(), run.last.sequence());
        if (!isMissing && sequence != null && first.sequence() <= sequence) {
            found.accept(Finding.at(
                    Finding.Kind.ORDER,
                    run.index,
                    "sequence " + first.sequence() + " of ring " + first.ring() + " stands behind sequence "
                            + sequence));
        }
    }
}
