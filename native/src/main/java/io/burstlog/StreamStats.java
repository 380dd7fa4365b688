// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import java.time.Instant;

/**
 * Figures of one stream of a log, taken at one moment. Counters begin when the log was opened, {@code discarded} when
 * the stream was.
 *
 * @param state what the stream is doing; {@link BurstStats.State#STALLED} if its own log file cannot be written
 * @param drainedSequence every record of the stream up to it is durable in its log file
 * @param drainedRecords records written to the log file, those written again after a failure among them
 * @param drainedBytes bytes of these
 * @param heldBytes bytes of the ring from the first record that waits for the log file: no stream gets them back until
 *     it is there
 * @param fileBytes length of the current log file as far as it has been written, in bytes
 * @param discarded records of the stream dropped with {@link OnFull#DISCARD}
 * @param destinationEmpty whether the log file was new or empty when the stream was opened, and nothing was waiting for
 *     it
 * @param id what {@code burstlog dump} calls the stream; the main stream is 0
 * @param fileNumber which log file of the stream is written now: 1 for the first, one more after each roll
 * @param fileBorn when that file began: the time of the roll before it, or when it was created; null: not known
 */
public record StreamStats(
        BurstStats.State state,
        long drainedSequence,
        long drainedRecords,
        long drainedBytes,
        long heldBytes,
        long fileBytes,
        long discarded,
        boolean destinationEmpty,
        int id,
        long fileNumber,
        Instant fileBorn) {}
