// SPDX-License-Identifier: Apache-2.0
package io.burstlog.binding;

import com.sun.jna.Structure;

/** {@code burst_stats_t}. */
@Structure.FieldOrder({
    "structBytes",
    "state",
    "acceptedSequence",
    "durableSequence",
    "drainedSequence",
    "commits",
    "deviceWrites",
    "deviceBytes",
    "fullWaits",
    "discarded",
    "lostEnqueued",
    "capacityBytes",
    "usedBytes",
    "maxRecordBytes",
    "fileBytes",
    "destinationEmpty",
    "epoch",
    "survives",
    "io",
    "copyState",
    "copyName",
    "copiedSequence",
    "copyRecordsBehind",
    "copyRecordsMissing",
    "stages"
})
public final class StatsStruct extends Structure {

    /** Each stage has seven words: count, mean, p50, p99, p99.9, p99.99, max. */
    public static final int STAGE_WORDS = 7;

    private static final int STAGES = 7;
    private static final int COPY_NAME_BYTES = 124;

    public int structBytes;
    public int state;
    public long acceptedSequence;
    public long durableSequence;
    public long drainedSequence;
    public long commits;
    public long deviceWrites;
    public long deviceBytes;
    public long fullWaits;
    public long discarded;
    public long lostEnqueued;
    public long capacityBytes;
    public long usedBytes;
    public long maxRecordBytes;
    public long fileBytes;
    public int destinationEmpty;
    public int epoch;
    public int survives;
    public int io;
    public int copyState;
    public byte[] copyName = new byte[COPY_NAME_BYTES];
    public long copiedSequence;
    public long copyRecordsBehind;
    public long copyRecordsMissing;
    public long[] stages = new long[STAGES * STAGE_WORDS];

    public StatsStruct() {
        structBytes = size();
    }
}
