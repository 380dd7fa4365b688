// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

/**
 * Figures of one {@link Stage} since open, all 0 while nothing was timed. A percentile is rounded up to its bucket, by
 * less than 1%, and never exceeds the maximum.
 *
 * @param count the number of times that were taken
 * @param meanNanos the mean, in nanoseconds, to 1%
 * @param p50Nanos the median, in nanoseconds
 * @param p99Nanos the time that 99% do not exceed, in nanoseconds
 * @param p999Nanos the time that 99.9% do not exceed, in nanoseconds
 * @param p9999Nanos the time that 99.99% do not exceed, in nanoseconds
 * @param maxNanos the longest, exact, in nanoseconds
 */
public record StageStats(
        long count, long meanNanos, long p50Nanos, long p99Nanos, long p999Nanos, long p9999Nanos, long maxNanos) {}
