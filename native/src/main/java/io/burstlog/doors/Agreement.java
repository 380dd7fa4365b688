// SPDX-License-Identifier: Apache-2.0
package io.burstlog.doors;

import io.burstlog.BurstException;

/**
 * The one rule of who may write to what is open. What a place leaves out it takes from what is open, and so it does
 * with everything when it is a reconfiguration. A place that says something else is refused; both places are named.
 */
final class Agreement {

    private Agreement() {}

    /**
     * What of a ring and a log file goes on, although a new configuration says something else or nothing.
     *
     * @param stream null if the log file is not open
     * @return empty: nothing
     */
    static String whatStays(OpenRing ring, OpenStream stream, StreamTerms wanted) {
        String ofFile =
                stream == null ? "" : stream.terms().differencesTo(wanted, Differences.WHAT_STAYS, anything -> true);
        String ofRing = ring.terms().differencesTo(wanted.ring(), Differences.WHAT_STAYS, anything -> true);
        return ofFile + (ofFile.isEmpty() || ofRing.isEmpty() ? "" : ", ") + ofRing;
    }

    /**
     * Keeps two from one log file whose doors cannot share it.
     *
     * @throws BurstException if these do not
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
     * Keeps a newcomer from what is open on other terms.
     *
     * @param stream null if the log file is not open
     * @throws BurstException if he says something else of them
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

    private static BurstException otherwise(String what, String there, String here, String differences, String orElse) {
        return new BurstException(
                BurstException.Code.INVALID_ARGUMENT,
                "the " + what + " is open already, as " + there + " says, and " + here + " says something else: "
                        + differences + "; say the same in both places, or " + orElse + ".");
    }
}
