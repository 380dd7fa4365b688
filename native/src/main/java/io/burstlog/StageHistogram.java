// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import io.burstlog.binding.Engine;
import java.util.function.Consumer;

/**
 * How often a {@link Stage} took how long, taken at one moment. Immutable.
 *
 * <p>The buckets are those of an HdrHistogram with 2 significant digits, which takes them as they are:
 *
 * <pre>{@code
 * Histogram hdr = new Histogram(1, (1L << 37) - 1, 2);
 * log.histogram(Stage.COMMIT_WAIT).forEachBucket(hdr::recordValueWithCount);
 * }</pre>
 */
public final class StageHistogram {

    /** {@code burst_histogram_t} as words: two sizes, count, maximum, and then the counts of the buckets. */
    static final int BUCKETS = 3968;

    private static final int COUNT = 1;
    private static final int MAX = 2;
    private static final int FIRST_BUCKET = 3;

    private final long[] words;

    private StageHistogram(long[] words) {
        this.words = words;
    }

    /** Returns what the function fills, or throws what it throws. */
    static StageHistogram of(Consumer<long[]> fill) {
        long[] words = new long[FIRST_BUCKET + BUCKETS];
        words[0] = (long) words.length * Long.BYTES;
        fill.accept(words);
        return new StageHistogram(words);
    }

    /** What is done with a bucket that is not empty. */
    @FunctionalInterface
    public interface BucketConsumer {

        /**
         * Takes one bucket.
         *
         * @param nanos the highest time that falls into it, in nanoseconds
         * @param count how many did
         */
        void accept(long nanos, long count);
    }

    /**
     * How many were timed.
     *
     * @return the sum of the counts of all buckets
     */
    public long count() {
        return words[COUNT];
    }

    /**
     * The longest of them.
     *
     * @return nanoseconds, exact; 0 if there are none
     */
    public long maxNanos() {
        return words[MAX];
    }

    /**
     * What so many percent of them do not exceed.
     *
     * @param percent 0 to 100, for instance 99.99
     * @return nanoseconds, rounded up to the end of the bucket but never above {@link #maxNanos()}; 0 if there are none
     */
    public long percentileNanos(double percent) {
        return Engine.burst_histogram_percentile(words, percent);
    }

    /**
     * Hands over every bucket that is not empty, in rising order.
     *
     * @param consumer what takes it
     */
    public void forEachBucket(BucketConsumer consumer) {
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            long count = words[FIRST_BUCKET + bucket];
            if (count != 0) {
                consumer.accept(Engine.burst_histogram_highest(bucket), count);
            }
        }
    }
}
