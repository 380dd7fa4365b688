// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.jmx;

import io.burstlog.BurstLog;
import io.burstlog.BurstStats;
import io.burstlog.Stage;
import java.util.function.LongSupplier;
import javax.management.ObjectName;

/**
 * What an open ring shows to management clients. Nothing that goes wrong here keeps a log from being opened or closed.
 */
public final class RingManagement implements RingMXBean {

    private final String ring;
    private final BurstLog log;
    private final LongSupplier fullWaitsOfNoEvent;

    private RingManagement(final String ring, final BurstLog log, final LongSupplier fullWaitsOfNoEvent) {
        this.ring = ring;
        this.log = log;
        this.fullWaitsOfNoEvent = fullWaitsOfNoEvent;
    }

    /**
     * Registers an open ring; if that fails a warning says so.
     *
     * @param ring the file or device that holds the ring
     * @param log what is open
     * @param fullWaitsOfNoEvent how many of the calls that found the ring full were for no event
     * @return what ends that
     */
    public static Registration register(final String ring, final BurstLog log, final LongSupplier fullWaitsOfNoEvent) {
        return Registration.of(
                new RingManagement(ring, log, fullWaitsOfNoEvent),
                "type=Ring,name=" + ObjectName.quote(ring),
                "the ring " + ring);
    }

    private BurstStats stats() {
        return log.stats();
    }

    private StageFigures figures(final Stage stage) {
        return StageFigures.of(stats().stages().get(stage));
    }

    @Override
    public String getRing() {
        return ring;
    }

    @Override
    public BurstStats.State getState() {
        return stats().state();
    }

    @Override
    public long getAcceptedSequence() {
        return stats().acceptedSequence();
    }

    @Override
    public long getDurableSequence() {
        return stats().durableSequence();
    }

    @Override
    public long getDrainedSequence() {
        return stats().drainedSequence();
    }

    @Override
    public long getCapacityBytes() {
        return stats().capacityBytes();
    }

    @Override
    public long getUsedBytes() {
        return stats().usedBytes();
    }

    @Override
    public long getFullWaits() {
        // In this order: the engine counts a call first.
        final long ofNoEvent = fullWaitsOfNoEvent.getAsLong();
        return stats().fullWaits() - ofNoEvent;
    }

    @Override
    public long getDiscarded() {
        return stats().discarded();
    }

    @Override
    public long getLostEnqueued() {
        return stats().lostEnqueued();
    }

    @Override
    public StageFigures getClaimWait() {
        return figures(Stage.CLAIM_WAIT);
    }

    @Override
    public StageFigures getCopy() {
        return figures(Stage.COPY);
    }

    @Override
    public StageFigures getCommitWait() {
        return figures(Stage.COMMIT_WAIT);
    }

    @Override
    public StageFigures getDeviceWrite() {
        return figures(Stage.DEVICE_WRITE);
    }

    @Override
    public StageFigures getDrainLag() {
        return figures(Stage.DRAIN_LAG);
    }
}
