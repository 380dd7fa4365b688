// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.jmx;

import io.burstlog.BurstStats;
import io.burstlog.Stage;

/**
 * An open ring as a management client sees it, under {@code io.burstlog:type=Ring,name="<ring>"}. Each attribute is
 * read when it is asked for. {@link StreamMXBean} shows its log files.
 */
public interface RingMXBean {

    /** {@return the file or device that holds the ring} */
    String getRing();

    /** {@return what the log is doing} */
    BurstStats.State getState();

    /** {@return the highest sequence given out} */
    long getAcceptedSequence();

    /** {@return the highest sequence that is durable in the ring together with all before it} */
    long getDurableSequence();

    /** {@return the highest sequence that is durable, together with all before it, in the log file that it is for} */
    long getDrainedSequence();

    /** {@return bytes of the ring that hold records} */
    long getCapacityBytes();

    /** {@return bytes of the ring that the drain has not released yet} */
    long getUsedBytes();

    /** {@return calls that found the ring full} */
    long getFullWaits();

    /** {@return events dropped because the ring was full} */
    long getDiscarded();

    /** {@return enqueued events that a failure of the ring lost} */
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
}
