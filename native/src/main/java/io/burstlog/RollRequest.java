// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

/**
 * A roll at which the drain of a stream waits for its caller; see {@link BurstStream#nextRoll}.
 *
 * @param sequence which roll it is: that of its record
 * @param timeNanos the time of the roll, in nanoseconds since 1970
 * @param fileBornNanos when the file that ends began; 0: not known
 * @param fileNumber which file of the stream ends, from 1 on
 * @param fileBytes its length, the footer included
 * @param file its absolute path
 * @param target what {@link Roll#target()} says; empty: nothing
 * @param nextFile what {@link Roll#nextFile()} says; empty: nothing
 * @param note what {@link Roll#note()} says; of the receiver
 */
public record RollRequest(
        long sequence,
        long timeNanos,
        long fileBornNanos,
        long fileNumber,
        long fileBytes,
        String file,
        String target,
        String nextFile,
        byte[] note) {}
