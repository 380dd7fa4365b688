// SPDX-License-Identifier: Apache-2.0
package io.burstlog.jmx;

import io.burstlog.StageStats;
import javax.management.ConstructorParameters;

/** The {@link StageStats} of one stage in the shape that a management client shows. Immutable. */
public final class StageFigures {

    private final long count;
    private final long meanNanos;
    private final long p50Nanos;
    private final long p99Nanos;
    private final long p999Nanos;
    private final long p9999Nanos;
    private final long maxNanos;

    /**
     * Makes the figures from the values that a client receives.
     *
     * @param count the number of times that were taken
     * @param meanNanos the mean
     * @param p50Nanos the median
     * @param p99Nanos the time that 99% do not exceed
     * @param p999Nanos the time that 99.9% do not exceed
     * @param p9999Nanos the time that 99.99% do not exceed
     * @param maxNanos the longest
     */
    @ConstructorParameters({"count", "meanNanos", "p50Nanos", "p99Nanos", "p999Nanos", "p9999Nanos", "maxNanos"})
    public StageFigures(
            long count, long meanNanos, long p50Nanos, long p99Nanos, long p999Nanos, long p9999Nanos, long maxNanos) {
        this.count = count;
        this.meanNanos = meanNanos;
        this.p50Nanos = p50Nanos;
        this.p99Nanos = p99Nanos;
        this.p999Nanos = p999Nanos;
        this.p9999Nanos = p9999Nanos;
        this.maxNanos = maxNanos;
    }

    static StageFigures of(StageStats stats) {
        return new StageFigures(
                stats.count(),
                stats.meanNanos(),
                stats.p50Nanos(),
                stats.p99Nanos(),
                stats.p999Nanos(),
                stats.p9999Nanos(),
                stats.maxNanos());
    }

    /** {@return the number of times that were taken} */
    public long getCount() {
        return count;
    }

    /** {@return the mean, in nanoseconds} */
    public long getMeanNanos() {
        return meanNanos;
    }

    /** {@return the median, in nanoseconds} */
    public long getP50Nanos() {
        return p50Nanos;
    }

    /** {@return the time that 99% do not exceed, in nanoseconds} */
    public long getP99Nanos() {
        return p99Nanos;
    }

    /** {@return the time that 99.9% do not exceed, in nanoseconds} */
    public long getP999Nanos() {
        return p999Nanos;
    }

    /** {@return the time that 99.99% do not exceed, in nanoseconds} */
    public long getP9999Nanos() {
        return p9999Nanos;
    }

    /** {@return the longest, in nanoseconds} */
    public long getMaxNanos() {
        return maxNanos;
    }
}
