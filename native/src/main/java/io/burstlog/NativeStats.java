// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import com.sun.jna.Native;
import io.burstlog.binding.StatsStruct;
import io.burstlog.binding.StreamStatsStruct;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/** The engine's figures as Java sees them. The order of each enum is that of its C counterpart. */
final class NativeStats {

    private static final BurstStats.State[] STATES = BurstStats.State.values();
    private static final Durability[] DURABILITIES = Durability.values();
    private static final Stage[] STAGES = Stage.values();
    private static final BurstStats.CopyState[] COPY_STATES = BurstStats.CopyState.values();
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
                IOS[struct.io],
                copy(struct),
                stages(struct.stages));
    }

    /** The first C value says that there is no copy. */
    private static BurstStats.Copy copy(StatsStruct struct) {
        return struct.copyState == 0
                ? null
                : new BurstStats.Copy(
                        Native.toString(struct.copyName, StandardCharsets.UTF_8),
                        COPY_STATES[struct.copyState - 1],
                        struct.copiedSequence,
                        struct.copyRecordsBehind,
                        struct.copyRecordsMissing);
    }

    static StreamStats toStats(StreamStatsStruct struct) {
        return new StreamStats(
                STATES[struct.state],
                struct.drainedSequence,
                struct.drainedRecords,
                struct.drainedBytes,
                struct.heldBytes,
                struct.fileBytes,
                struct.discarded,
                struct.destinationEmpty != 0,
                struct.id,
                struct.fileNumber,
                struct.fileBornNanos == 0 ? null : Instant.ofEpochSecond(0, struct.fileBornNanos));
    }

    private static Map<Stage, StageStats> stages(long[] words) {
        Map<Stage, StageStats> stages = new EnumMap<>(Stage.class);
        for (int i = 0, at = 0; i < STAGES.length; i++, at += StatsStruct.STAGE_WORDS) {
            stages.put(
                    STAGES[i],
                    new StageStats(
                            words[at],
                            words[at + 1],
                            words[at + 2],
                            words[at + 3],
                            words[at + 4],
                            words[at + 5],
                            words[at + 6]));
        }
        return Collections.unmodifiableMap(stages);
    }
}
