// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

/**
 * A reader's knowledge of itself.
 *
 * @param place where the next record will be read
 * @param nextSequence the next record has this sequence or a higher one; 0 if it is unknown
 * @param durableSequence the last record that the reader knows to be durable; 0 if it is unknown
 * @param records the records and lines that the reader has given
 * @param missed the records that it was told as missed
 * @param lost the records that it was told as lost
 * @param how one sentence: how it reads the ring, and why not better
 */
public record ReaderState(
        ReadRecords.Place place,
        long nextSequence,
        long durableSequence,
        long records,
        long missed,
        long lost,
        String how) {}
