// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bookkeeper;

/**
 * The ids of a ring's ledgers. They follow from the ring's id and the epoch of its copy: so the ledgers of a ring are
 * found without a list of them, and of two writers that begin the same epoch BookKeeper's metadata store lets one do
 * it.
 *
 * <pre>
 * bit 62: 1    bits 61 to 24: the first 38 bits of the ring's id    bits 23 to 0: the epoch, from 1
 * </pre>
 *
 * <p>Ids that BookKeeper gives by itself count from 0 and come nowhere near. Two rings whose ids begin alike have the
 * same ids: the ledgers name the whole id.
 */
final class LedgerId {

    static final int LAST_EPOCH = (1 << 24) - 1;

    private static final int EPOCH_BITS = 24;
    private static final long MARK = 1L << 62;
    private static final int HEX_DIGITS = 16;

    private LedgerId() {}

    static long of(String ringId, int epoch) {
        long begin = Long.parseUnsignedLong(ringId.substring(0, HEX_DIGITS), HEX_DIGITS) >>> 26;
        return MARK | begin << EPOCH_BITS | epoch;
    }

    static int epoch(long ledger) {
        return (int) (ledger & LAST_EPOCH);
    }

    /** Whether the ledger may be one of this ring. */
    static boolean isOf(long ledger, String ringId) {
        return ledger >> EPOCH_BITS == of(ringId, 0) >> EPOCH_BITS;
    }

    /** Whether the ledger may be one of any ring. */
    static boolean isOurs(long ledger) {
        return (ledger & MARK) != 0 && ledger > 0;
    }
}
