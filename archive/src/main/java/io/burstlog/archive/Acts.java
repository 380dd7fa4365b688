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

    /** Payload files whose time was over, and the last record that says so. */
    private final Map<Long, Long> expired = new TreeMap<>();

    private final Set<Long> gone = new HashSet<>();
    private final Set<Long> removals = new HashSet<>();

    void add(Part.Act act) {
        if (act.leaf().kind().isRemoval()) {
            removals.add(act.index());
        }
        switch (act.leaf().kind()) {
            case ERASED -> erased.put(number(act.leaf(), "leaf"), act.index());
            case EXPIRED -> {
                long[] files = filesOf(act.leaf(), act.index());
                for (long file = files[0]; file < files[1]; file++) {
                    expired.put(file, act.index());
                }
            }
            default -> {
                // The others say nothing of payloads.
            }
        }
    }

    /**
     * Adds an act behind the head, that payloads' time was over: it counts for files alone that were judged to be gone.
     */
    void addLater(Part.Act act) {
        long[] files = filesOf(act.leaf(), act.index());
        for (long file : gone) {
            if (files[0] <= file && file < files[1]) {
                expired.put(file, act.index());
            }
        }
    }

    /** {@return the first payload file of which all leaves are in the act's range, and the one behind the last} */
    static long[] filesOf(Leaf act, long index) {
        long first = number(act, "first");
        long last = Math.min(number(act, "last"), index - 1);
        return first < 0
                ? new long[] {0, 0}
                : new long[] {
                    (first + Tiles.PAYLOAD_LEAVES - 1) / Tiles.PAYLOAD_LEAVES, (last + 1) / Tiles.PAYLOAD_LEAVES
                };
    }

    /** {@return the number that an act has under this name; -1 if it has none} */
    static long number(Leaf act, String name) {
        String value = act.value(name);
        return value != null && value.matches("\\d{1,18}") ? Long.parseLong(value) : -1;
    }

    /** {@return what is wrong with a payload file that is not there, as was found; null if its time was over} */
    Finding judgeGone(Finding found) {
        long file = found.first() / Tiles.PAYLOAD_LEAVES;
        gone.add(file);
        return expired.containsKey(file) ? null : found;
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

    /**
     * {@return the removals that are not done} An archiver appends nothing behind an act that payloads' time was over
     * before they are deleted: as long as nothing is there, it is at work, or the next start goes on with it.
     *
     * @param size how many leaves the archive has
     */
    List<Finding> unfinished(long size) {
        List<Finding> findings = new ArrayList<>();
        erased.forEach((leaf, act) -> {
            if (!filled.contains(leaf) && !isGone(leaf / Tiles.PAYLOAD_LEAVES)) {
                findings.add(
                        Finding.at(
                                Finding.Kind.KEPT,
                                leaf,
                                "record " + act
                                        + " says that its payload was erased, and it was not: start an archiver, or erase it again"));
            }
        });
        long atWork = size;
        while (removals.contains(atWork - 1)) {
            atWork--;
        }
        for (Map.Entry<Long, Long> each : expired.entrySet()) {
            long file = each.getKey();
            if (!gone.contains(file)) {
                findings.add(new Finding(
                        each.getValue() >= atWork ? Finding.Kind.BEHIND : Finding.Kind.KEPT,
                        file * Tiles.PAYLOAD_LEAVES,
                        (file + 1) * Tiles.PAYLOAD_LEAVES - 1,
                        "record " + each.getValue() + " says that their time was over, and " + Tiles.payload(file)
                                + " is still there" + (each.getValue() >= atWork ? "" : ": delete it")));
            }
        }
        return findings;
    }

    private boolean isGone(long file) {
        return gone.contains(file) && expired.containsKey(file);
    }

    long erased() {
        return filled.stream().filter(erased::containsKey).count();
    }

    long expired() {
        return gone.stream().filter(expired::containsKey).count() * Tiles.PAYLOAD_LEAVES;
    }
}
