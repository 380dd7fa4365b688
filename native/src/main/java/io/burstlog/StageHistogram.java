// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import io.burstlog.binding.Engine;
import java.util.function.Consumer;

/**
 * The distribution of the times of a {@link Stage}, taken at one moment. Immutable.
 *
 * <p>The buckets are those of an HdrHistogram with 2 significant digits, which can record them unchanged:
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

    /** Returns a histogram of the words that the function fills; throws what the function throws. */
    static StageHistogram of(Consumer<long[]> fill) {
        long[] words = new long[FIRST_BUCKET + BUCKETS];
        words[0] = (long) words.length * Long.BYTES;
        fill.accept(words);
        return new StageHistogram(words);
    }

    /** Receives the buckets that are not empty. */
    @FunctionalInterface
    public interface BucketConsumer {

        /**
         * Takes one bucket.
         *
         * @param nanos the highest time that falls into it, in nanoseconds
         * @param count the number of times in the bucket
         */
        void accept(long nanos, long count);
    }

    /**
     * Returns the number of times that were taken.
     *
     * @return the sum of the counts of all buckets
     */
    public long count() {
        return words[COUNT];
    }

    /**
     * Returns the longest time.
     *
     * @return nanoseconds, exact; 0 if there are none
     */
    public long maxNanos() {
        return words[MAX];
    }

    /**
     * Returns the sum of all times. Each one counts as the middle of its bucket, so that the sum is exact to 1% unless
     * times are longer than the buckets reach, 137 s: they count as that.
     *
     * @return nanoseconds; that of a later moment is never less
     */
    public double totalNanos() {
        double total = 0;
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            long count = words[FIRST_BUCKET + bucket];
            if (count != 0) {
                long lowest = bucket == 0 ? 0 : Engine.burst_histogram_highest(bucket - 1) + 1;
                total += (double) count * ((lowest + Engine.burst_histogram_highest(bucket) + 1) / 2);
            }
        }
        return total;
    }

    /**
     * Returns the time that the given percentage of all times does not exceed.
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
     * @param consumer the receiver of the buckets
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
