// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import java.util.Map;

/**
 * Figures of one log, taken at one moment. Counters begin at open; sequences go on over reopens.
 *
 * @param state the state of the log
 * @param acceptedSequence highest sequence given out
 * @param durableSequence highest sequence that is durable in the ring together with all before it
 * @param drainedSequence highest sequence that is durable in the log file
 * @param commits group commits
 * @param deviceWrites writes to the ring for these commits
 * @param deviceBytes bytes of these writes
 * @param fullWaits calls that found the ring full
 * @param discarded records dropped with {@link OnFull#DISCARD}
 * @param lostEnqueued enqueued records that a failure of the ring lost. If a thread was stuck in the middle of a
 *     record, the true number may be lower: the figure then counts all records accepted after that one
 * @param capacityBytes bytes of the ring that hold records
 * @param usedBytes bytes of the ring that the drain has not released yet
 * @param maxRecordBytes the longest record allowed, in bytes
 * @param fileBytes length of the current log file as far as it has been written, in bytes
 * @param destinationEmpty whether at open the log file was new or empty and nothing was waiting for it
 * @param epoch the number of this open in the life of the ring
 * @param survives the worst failure that ring and log file together survive
 * @param io the way in which the engine writes the ring
 * @param copy the second copy of the ring; null: the log was opened without one
 * @param stages the times of the stages of records since open; every {@link Stage} has an entry. Unmodifiable
 */
public record BurstStats(
        State state,
        long acceptedSequence,
        long durableSequence,
        long drainedSequence,
        long commits,
        long deviceWrites,
        long deviceBytes,
        long fullWaits,
        long discarded,
        long lostEnqueued,
        long capacityBytes,
        long usedBytes,
        long maxRecordBytes,
        long fileBytes,
        boolean destinationEmpty,
        long epoch,
        Durability survives,
        Io io,
        Copy copy,
        Map<Stage, StageStats> stages) {

    /** The states of a log. */
    public enum State {
        /** Appending and draining. */
        OPEN,
        /** Appending; the log file cannot be written and the drain keeps retrying. */
        STALLED,
        /** The ring has failed; nothing is acknowledged any more. */
        FAILED,
        /** Closed. */
        CLOSED
    }

    /** The states of a second copy. */
    public enum CopyState {
        /** It has not begun since the open, and the ring keeps everything for it. */
        EXPECTED,
        /** It has begun. */
        HERE,
        /** Nothing waits for it. */
        AWAY
    }

    /**
     * The second copy of a ring. Its counts begin at open.
     *
     * @param name the name that the log was opened with
     * @param state whether the copy is there
     * @param copiedSequence highest sequence that the copy has together with all before it, but for those that are
     *     missing. Until it begins, the last sequence that the ring does not keep
     * @param recordsBehind records that are durable in the ring, and not in the copy yet
     * @param recordsMissing records that the copy lacks, and that the ring did not hold any more when the copy began,
     *     or began again, each once; but for those that it had between two gaps, and lost later
     */
    public record Copy(String name, CopyState state, long copiedSequence, long recordsBehind, long recordsMissing) {}
}
