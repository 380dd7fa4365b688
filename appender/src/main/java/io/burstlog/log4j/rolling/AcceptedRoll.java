// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

/**
 * A roll that the ring has accepted.
 *
 * @param sequence its sequence
 * @param note the times of its names
 * @param file the file that ends
 * @param bytes the bytes that were accepted for that file
 * @param bornMillis when that file began
 * @param millis when the next one begins
 */
record AcceptedRoll(long sequence, RollNote note, String file, long bytes, long bornMillis, long millis) {}
