// SPDX-License-Identifier: Apache-2.0
package examples.fix;

import java.util.Arrays;

/** Durations, kept one by one so that the percentiles are exact. */
final class RoundTrips {
    private long[] nanos = new long[1024];
    private int count;

    void add(long durationNanos) {
        if (count == nanos.length) {
            nanos = Arrays.copyOf(nanos, 2 * count);
        }
        nanos[count++] = durationNanos;
    }

    @Override
    public String toString() {
        if (count == 0) {
            return "none measured";
        }
        long[] sorted = Arrays.copyOf(nanos, count);
        Arrays.sort(sorted);
        return String.format(
                "p50 %.0f us, p99 %.0f us, max %.1f ms",
                sorted[count / 2] / 1e3, sorted[(int) (count * 0.99)] / 1e3, sorted[count - 1] / 1e6);
    }
}
