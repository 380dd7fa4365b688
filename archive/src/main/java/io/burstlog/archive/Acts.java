// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Payloads that are not there any more, as records of the archive say: some were erased, and others had expired. */
final class Acts {

    /** Erased leaves, and the record that says so. */
    private final Map<Long, Long> erased = new TreeMap<>();

    private final Set<Long> filled = new HashSet<>();
    private final List<Range> expired = new ArrayList<>();

    private static final class Range {
        private final long first;
        private final long last;
        private final long act;
        private boolean isGone;

        Range(long first, long last, long act) {
            this.first = first;
            this.last = last;
            this.act = act;
        }

        boolean covers(long from, long to) {
            return first <= from && to <= last;
        }
    }

    void add(Part.Act act) {
        switch (act.leaf().kind()) {
            case ERASED -> erased.put(number(act.leaf(), "leaf"), act.index());
            case EXPIRED ->
                expired.add(new Range(number(act.leaf(), "first"), number(act.leaf(), "last"), act.index()));
            default -> {
                // The others say nothing of payloads.
            }
        }
    }

    /** {@return the number that an act has under this name; -1 if it has none} */
    static long number(Leaf act, String name) {
        String value = act.value(name);
        return value != null && value.matches("\\d{1,18}") ? Long.parseLong(value) : -1;
    }

    /** Whether a record of the archive says of what was found that it is to be so. */
    boolean explains(Finding finding) {
        if (finding.kind() != Finding.Kind.REMOVED) {
            return false;
        }
        for (Range each : expired) {
            if (each.covers(finding.first(), finding.last())
                    && finding.sentence().startsWith(Tiles.PAYLOAD)) {
                each.isGone = true;
                return true;
            }
        }
        return false;
    }

    /** {@return what is wrong with a payload that is filled; null if it was erased} */
    Finding judgeFilled(long leaf) {
        filled.add(leaf);
        return erased.containsKey(leaf)
                ? null
                : Finding.at(
                        Finding.Kind.CHANGED,
                        leaf,
                        "its payload was filled, and no record of the archive says that it was erased");
    }

    List<Finding> unfinished() {
        List<Finding> findings = new ArrayList<>();
        erased.forEach((leaf, act) -> {
            if (!filled.contains(leaf) && expired.stream().noneMatch(each -> each.isGone && each.covers(leaf, leaf))) {
                findings.add(
                        Finding.at(
                                Finding.Kind.KEPT,
                                leaf,
                                "record " + act
                                        + " says that its payload was erased, and it was not: start an archiver, or erase it again"));
            }
        });
        for (Range each : expired) {
            if (!each.isGone) {
                findings.add(new Finding(
                        Finding.Kind.KEPT,
                        each.first,
                        each.last,
                        "record " + each.act
                                + " says that their time was over, and the payloads are still there: expire again"));
            }
        }
        return findings;
    }

    long erased() {
        return filled.stream().filter(erased::containsKey).count();
    }

    long expired() {
        return expired.stream()
                .filter(each -> each.isGone)
                .mapToLong(each -> each.last - each.first + 1)
                .sum();
    }
}
