// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

/**
 * A roll at which the drain of a stream waits for its caller; see {@link BurstStream#nextRoll}.
 *
 * @param sequence the sequence of the roll's record
 * @param timeNanos the time of the roll, in nanoseconds since 1970
 * @param fileBornNanos the time at which the ending file began, in nanoseconds since 1970; 0: not known
 * @param fileNumber the number of the ending file in the stream, from 1 on
 * @param fileBytes the length of the ending file in bytes, with the footer
 * @param file the absolute path of the ending file
 * @param target the path of {@link Roll#target()}; empty: none
 * @param nextFile the path of {@link Roll#nextFile()}; empty: none
 * @param note the bytes of {@link Roll#note()}; the array belongs to the receiver
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
