// SPDX-License-Identifier: Apache-2.0
package io.burstlog.binding;

import com.sun.jna.Structure;

/** {@code burst_stream_stats_t}. */
@Structure.FieldOrder({
    "structBytes",
    "state",
    "drainedSequence",
    "drainedRecords",
    "drainedBytes",
    "heldBytes",
    "fileBytes",
    "discarded",
    "destinationEmpty",
    "id",
    "fileNumber",
    "fileBornNanos"
})
public final class StreamStatsStruct extends Structure {

    public int structBytes;
    public int state;
    public long drainedSequence;
    public long drainedRecords;
    public long drainedBytes;
    public long heldBytes;
    public long fileBytes;
    public long discarded;
    public int destinationEmpty;
    public int id;
    public long fileNumber;
    public long fileBornNanos;

    public StreamStatsStruct() {
        structBytes = size();
    }
}
