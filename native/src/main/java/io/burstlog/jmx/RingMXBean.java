// SPDX-License-Identifier: Apache-2.0
package io.burstlog.jmx;

import io.burstlog.BurstStats;
import io.burstlog.Stage;

/**
 * The view of a management client on an open ring, under {@code io.burstlog:type=Ring,name="<ring>"}. An attribute has
 * the value of the moment at which a client reads it. {@link StreamMXBean} shows its log files.
 */
public interface RingMXBean {

    /** {@return the file or device that holds the ring} */
    String getRing();

    /** {@return the state of the log} */
    BurstStats.State getState();

    /** {@return the highest sequence given out} */
    long getAcceptedSequence();

    /** {@return the highest sequence that is durable in the ring together with all before it} */
    long getDurableSequence();

    /** {@return the sequence up to which every record is durable in its log file} */
    long getDrainedSequence();

    /** {@return the state of the second copy; null if the ring has none} */
    BurstStats.CopyState getCopyState();

    /**
     * {@return where the second copy is, as "disk of 2 of 3 bookies"; null if nobody knows: no element of an appender
     * keeps it, or its store was not reached yet}
     */
    String getCopyPlace();

    /** {@return the sequence up to which the second copy has every record; 0 if the ring has none} */
    long getCopiedSequence();

    /** {@return records that are durable in the ring, and not in the second copy yet} */
    long getCopyRecordsBehind();

    /** {@return records that the second copy lacks, and that the ring does not hold any more} */
    long getCopyRecordsMissing();

    /** {@return bytes of the ring that hold records} */
    long getCapacityBytes();

    /** {@return bytes of the ring that the drain has not released yet} */
    long getUsedBytes();

    /** {@return group commits since the ring was opened} */
    long getCommits();

    /** {@return writes to the ring for these commits} */
    long getDeviceWrites();

    /** {@return bytes of these writes} */
    long getDeviceBytes();

    /** {@return calls that found the ring full} */
    long getFullWaits();

    /** {@return records dropped because the ring was full} */
    long getDiscarded();

    /** {@return enqueued records that a failure of the ring lost} */
    long getLostEnqueued();

    /** {@return the figures of {@link Stage#CLAIM_WAIT}} */
    StageFigures getClaimWait();

    /** {@return the figures of {@link Stage#COPY}} */
    StageFigures getCopy();

    /** {@return the figures of {@link Stage#COMMIT_WAIT}} */
    StageFigures getCommitWait();

    /** {@return the figures of {@link Stage#DEVICE_WRITE}} */
    StageFigures getDeviceWrite();

    /** {@return the figures of {@link Stage#DRAIN_LAG}} */
    StageFigures getDrainLag();

    /** {@return the figures of {@link Stage#ENQUEUE_LAG}} */
    StageFigures getEnqueueLag();

    /** {@return the figures of {@link Stage#COPY_WAIT}} */
    StageFigures getCopyWait();

    /**
     * Counts the times of a stage that do not exceed the given limits, since the ring was opened: a histogram with
     * limits of one's choice.
     *
     * @param stage the stage
     * @param nanos the limits, in nanoseconds
     * @return a count for each limit; the count may be that of a limit that is lower, by less than 1%
     */
    long[] countsAtMost(Stage stage, long[] nanos);

    /**
     * Adds up the times of a stage since the ring was opened.
     *
     * @param stage the stage
     * @return their sum in nanoseconds, to 1%; it never falls while the ring is open
     */
    double totalNanos(Stage stage);
}
