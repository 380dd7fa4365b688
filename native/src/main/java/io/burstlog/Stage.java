// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

/**
 * Where the time of records goes. To stay cheap not every record is timed: which ones depends on nothing but their
 * sequence, so that the distribution is that of all.
 */
public enum Stage {
    /**
     * Waiting for space in a full ring: every call that waited. All others waited for nothing and are not counted: they are
     * the records accepted since open, less this count.
     */
    CLAIM_WAIT,

    /**
     * From the claim of its place to the publication of the record: copy and checksum. Of {@code append} one call in 4, or
     * one in 256 where the ring is mapped memory; one in 64 of {@code enqueue} and {@code offer}.
     */
    COPY,

    /** From the publication until {@code append} knows that the record is durable; of the same calls. */
    COMMIT_WAIT,

    /**
     * A write of a commit, from its submission to its completion: every one, or one in 256 where the ring is mapped
     * memory.
     */
    DEVICE_WRITE,

    /**
     * From durable in the ring to durable in the log file: of the oldest record of each sync of the log file. A drain that
     * catches up gives one figure for several syncs in a row.
     */
    DRAIN_LAG
}
