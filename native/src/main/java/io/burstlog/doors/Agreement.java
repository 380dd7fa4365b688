// SPDX-License-Identifier: Apache-2.0
package io.burstlog.doors;

import io.burstlog.BurstException;

/**
 * The rule that decides which places of a configuration may use an open ring and log file. A place takes each value
 * that it leaves out from what is open. A reconfiguration takes all values from there. A place that says something else
 * is refused by a sentence that names both places.
 */
final class Agreement {

    private Agreement() {}

    /**
     * Names the values of an open ring and log file that stay, although a new configuration says something else or
     * nothing.
     *
     * @param stream null if the log file is not open
     * @return the values; empty if none differs
     */
    static String whatStays(OpenRing ring, OpenStream stream, StreamTerms wanted) {
        String ofFile =
                stream == null ? "" : stream.terms().differencesTo(wanted, Differences.WHAT_STAYS, anything -> true);
        String ofRing = ring.terms().differencesTo(wanted.ring(), Differences.WHAT_STAYS, anything -> true);
        return ofFile + (ofFile.isEmpty() || ofRing.isEmpty() ? "" : ", ") + ofRing;
    }

    /**
     * Keeps two holders from one log file if their doors cannot share it.
     *
     * @throws BurstException if these two cannot share it
     */
    static void requireShared(Holder first, Holder holder, StreamTerms wanted) {
        if (!holder.sharesFileWith(first)) {
            throw new BurstException(
                    BurstException.Code.BUSY,
                    "the log file " + wanted.location().file() + " is open already, by " + first.place() + ", and "
                            + holder.place() + " cannot write it, too: refer to one of them twice, or give each a file"
                            + " of its own; they may share the ring.");
        }
    }

    /**
     * Keeps a newcomer from an open ring or log file if it wants other terms.
     *
     * @param stream null if the log file is not open
     * @throws BurstException if the newcomer says something else about ring or log file
     */
    static void require(OpenRing ring, OpenStream stream, Holder holder, StreamTerms wanted) {
        String ofFile = stream == null
                ? ""
                : stream.terms().differencesTo(wanted, Differences.BETWEEN_TWO, value -> !Differences.isNothing(value));
        if (!ofFile.isEmpty()) {
            throw otherwise(
                    "log file " + wanted.location().file(),
                    stream.place(),
                    holder.place(),
                    ofFile,
                    "give each a file of its own");
        }
        String ofRing = ring.terms()
                .differencesTo(
                        wanted.ring(), Differences.BETWEEN_TWO, wanted.ring().own()::contains);
        if (!ofRing.isEmpty()) {
            throw otherwise("ring " + ring.name(), ring.place(), holder.place(), ofRing, "leave it out in the second");
        }
    }

    /**
     * Keeps a holder whose calls are to wait for a copy from a ring that has none.
     *
     * @param ring the settings of the ring, as it is open or is to be opened
     * @throws BurstException if nobody keeps the copy
     */
    static void requireCopy(RingTerms ring, StreamTerms wanted) {
        if (wanted.ack() == Ack.COPIED && ring.copy() == null) {
            throw new BurstException(
                    BurstException.Code.INVALID_ARGUMENT,
                    "ack=\"copied\" cannot be used, because nothing keeps a copy of the ring " + ring.ring()
                            + ": put <BookKeeper> or <KafkaCopy> into an element <Burst> of Log4j that opens this ring,"
                            + " or use ack=\"durable\".");
        }
    }

    private static BurstException otherwise(String what, String there, String here, String differences, String orElse) {
        return new BurstException(
                BurstException.Code.INVALID_ARGUMENT,
                "the " + what + " is open already, as " + there + " says, and " + here + " says something else: "
                        + differences + "; say the same in both places, or " + orElse + ".");
    }
}
