// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

/**
 * The stages in which records spend their time. Only one {@code append} in n and one write in n are timed, to stay
 * cheap: n is 1 where writes take 24 us and more, some 8 where they take 4 us, and 512 where they take less than 1 us
 * (memory). Their number alone decides which ones are timed. So the distribution is that of all records, but the
 * longest time of all may be missing.
 */
public enum Stage {
    /**
     * The wait for space in a full ring. Every call that waited is timed and counted; the calls that did not wait are
     * the records accepted since open, less this count.
     */
    CLAIM_WAIT,

    /**
     * From the claim of a record's place to its publication: copy and checksum. Timed for one {@code append} in n, and
     * for one in 64 of {@code enqueue} and {@code offer}.
     */
    COPY,

    /** From the publication until {@code append} knows that the record is durable. Timed for one record in n. */
    COMMIT_WAIT,

    /** A write of a commit, from its submission to its completion. Timed for one write in n. */
    DEVICE_WRITE,

    /**
     * From durable in the ring to durable in the log file. Timed for the oldest record of each sync of the log file; a
     * drain that catches up gives one figure for several syncs in a row.
     */
    DRAIN_LAG,

    /**
     * From the claim of the place of a record of {@code enqueue} or {@code offer} until it is durable in the ring.
     * Timed for one such record in 64.
     */
    ENQUEUE_LAG,

    /**
     * The wait for the second copy, once the record is durable in the ring. Every call that waited is timed and
     * counted.
     */
    COPY_WAIT
}
