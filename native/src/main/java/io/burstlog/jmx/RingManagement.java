// SPDX-License-Identifier: Apache-2.0
package io.burstlog.jmx;

import io.burstlog.BurstLog;
import io.burstlog.BurstStats;
import io.burstlog.Stage;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Shows an open ring to management clients. */
final class RingManagement implements RingMXBean {

    private final String ring;
    private final BurstLog log;
    private final LongSupplier fullWaitsOfNoRecord;
    private final Supplier<String> copyPlace;

    RingManagement(String ring, BurstLog log, LongSupplier fullWaitsOfNoRecord, Supplier<String> copyPlace) {
        this.ring = ring;
        this.log = log;
        this.fullWaitsOfNoRecord = fullWaitsOfNoRecord;
        this.copyPlace = copyPlace;
    }

    private BurstStats stats() {
        return log.stats();
    }

    private StageFigures figures(Stage stage) {
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

    private <T> T ofCopy(Function<BurstStats.Copy, T> figure, T none) {
        BurstStats.Copy copy = stats().copy();
        return copy == null ? none : figure.apply(copy);
    }

    @Override
    public BurstStats.CopyState getCopyState() {
        return ofCopy(BurstStats.Copy::state, null);
    }

    @Override
    public String getCopyPlace() {
        return copyPlace.get();
    }

    @Override
    public long getCopiedSequence() {
        return ofCopy(BurstStats.Copy::copiedSequence, 0L);
    }

    @Override
    public long getCopyRecordsBehind() {
        return ofCopy(BurstStats.Copy::recordsBehind, 0L);
    }

    @Override
    public long getCopyRecordsMissing() {
        return ofCopy(BurstStats.Copy::recordsMissing, 0L);
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
    public long getCommits() {
        return stats().commits();
    }

    @Override
    public long getDeviceWrites() {
        return stats().deviceWrites();
    }

    @Override
    public long getDeviceBytes() {
        return stats().deviceBytes();
    }

    @Override
    public long getFullWaits() {
        // Read before the engine's figures, which then count each of these calls already, so that no difference is
        // negative.
        long ofNoRecord = fullWaitsOfNoRecord.getAsLong();
        return stats().fullWaits() - ofNoRecord;
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

    @Override
    public StageFigures getEnqueueLag() {
        return figures(Stage.ENQUEUE_LAG);
    }

    @Override
    public StageFigures getCopyWait() {
        return figures(Stage.COPY_WAIT);
    }

    @Override
    public long[] countsAtMost(Stage stage, long[] nanos) {
        long[] counts = new long[nanos.length];
        log.histogram(stage).forEachBucket((highestNanos, count) -> {
            for (int i = 0; i < counts.length; i++) {
                counts[i] += highestNanos <= nanos[i] ? count : 0;
            }
        });
        return counts;
    }

    @Override
    public double totalNanos(Stage stage) {
        return log.histogram(stage).totalNanos();
    }
}
