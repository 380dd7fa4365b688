// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

/**
 * How far a {@link BurstConsumer} is behind the end of its folder of segments, at one moment.
 *
 * @param records how many are written that it has not got
 * @param bytes of segments that these have
 * @param oldestEventTimeNanos the event time of the first of them, as it was appended; 0: there is none
 */
public record ConsumerLag(long records, long bytes, long oldestEventTimeNanos) {}
