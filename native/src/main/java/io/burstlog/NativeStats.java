// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import io.burstlog.binding.StatsStruct;

/** The engine's figures as Java sees them. The order of each enum is that of its C counterpart. */
final class NativeStats {

    private static final BurstStats.State[] STATES = BurstStats.State.values();
    private static final Durability[] DURABILITIES = Durability.values();
    private static final Io[] IOS = Io.values();

    private NativeStats() {}

    static BurstStats toStats(StatsStruct struct) {
        return new BurstStats(
                STATES[struct.state],
                struct.acceptedSequence,
                struct.durableSequence,
                struct.drainedSequence,
                struct.commits,
                struct.deviceWrites,
                struct.deviceBytes,
                struct.fullWaits,
                struct.discarded,
                struct.lostEnqueued,
                struct.capacityBytes,
                struct.usedBytes,
                struct.maxRecordBytes,
                struct.fileBytes,
                struct.destinationEmpty != 0,
                Integer.toUnsignedLong(struct.epoch),
                DURABILITIES[struct.survives],
                IOS[struct.io]);
    }
}
