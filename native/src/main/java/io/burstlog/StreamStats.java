// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import java.time.Instant;

/**
 * Figures of one stream of a log, taken at one moment. Counters begin at the open of the log, {@code discarded} at the
 * open of the stream.
 *
 * @param state the state of the stream; {@link BurstStats.State#STALLED} if its own log file cannot be written
 * @param drainedSequence the sequence up to which every record of the stream is durable in its log file
 * @param drainedRecords records written to the log file; a record that is written again after a failure counts again
 * @param drainedBytes the bytes of these records
 * @param heldBytes the bytes of the ring from the first record that waits for the log file on; no stream can use them
 *     until the file has that record
 * @param fileBytes length of the current log file as far as it has been written, in bytes
 * @param discarded records of the stream dropped with {@link OnFull#DISCARD}
 * @param destinationEmpty whether the log file was new or empty when the stream was opened, and nothing was waiting for
 *     it
 * @param id the number that {@code burstlog dump} shows for the stream; the main stream is 0
 * @param fileNumber the number of the current log file of the stream: 1 for the first, one more after each roll
 * @param fileBorn the time at which that file began, by the roll before it or by its creation; null: not known
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
