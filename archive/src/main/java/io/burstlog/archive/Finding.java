// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

/**
 * A result of {@link Verification} about a range of leaves.
 *
 * @param kind the kind
 * @param first the first leaf that it is about; -1 if it is about none
 * @param last the last one
 * @param sentence what it is, with names of files and values
 */
public record Finding(Kind kind, long first, long last, String sentence) {

    /** The kinds of findings. */
    public enum Kind {
        /** The head is missing, damaged, not signed, or no continuation of a known one. */
        HEAD,
        /** A key signs that no key before it vouches for. */
        KEY,
        /** A hash tile, or the table of a payload file, is not what follows from the leaves. */
        TREE,
        /** Leaf or payload is another one. */
        CHANGED,
        /** It stands at another place. */
        SWAPPED,
        /** It stands at a second place. */
        REPEATED,
        /** It is gone. */
        REMOVED,
        /** The file ends before it. */
        CUT,
        /** The archiver took a number twice, or left one out. */
        ORDER,
        /** An anchor's answer does not hold, or it confirms another tree. */
        ANCHOR,
        /** No anchor has confirmed it in time, as the archive promised. */
        UNSEALED,
        /** It was to be erased or deleted, and is still there. */
        KEPT,
        /** A file that no archive has. */
        STRANGE,
        /** It lies behind the head: an archiver is at work, or was killed. No fault. */
        BEHIND
    }

    /** {@return whether something is wrong} */
    public boolean isFault() {
        return kind != Kind.BEHIND;
    }

    static Finding of(Kind kind, String sentence) {
        return new Finding(kind, -1, -1, sentence);
    }

    static Finding at(Kind kind, long leaf, String sentence) {
        return new Finding(kind, leaf, leaf, sentence);
    }

    @Override
    public String toString() {
        String range = first < 0 ? "" : first == last ? " leaf " + first : " leaves " + first + " to " + last;
        return kind + range + ": " + sentence;
    }
}
