// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

/**
 * How far a {@link BurstConsumer} is behind the end of its folder of segments, at one moment.
 *
 * @param records the number of written records that the consumer has not got
 * @param bytes the bytes that these records take in the segments
 * @param oldestEventTimeNanos the event time of the first of these records that is neither missing nor lost, as it was
 *     appended; 0: there is none
 */
public record ConsumerLag(long records, long bytes, long oldestEventTimeNanos) {}
