// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.harness;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** One target's latencies in nanoseconds, block by block in the order of measurement. */
public final class TargetResult {

    /** The figures by which blocks are compared. */
    public static final List<String> FIGURES = List.of("average", "p50", "p99", "p99.9");

    private static final int COLUMNS = 3_000;

    private final String name;
    private final String claims;
    private final List<long[]> blocks = new ArrayList<>();
    private long allocatedBytes;
    private int warmUpMessages;

    public TargetResult(String name, String claims) {
        this.name = name;
        this.claims = claims;
    }

    public String name() {
        return name;
    }

    public void add(long[] nanos, long allocated) {
        blocks.add(nanos);
        allocatedBytes += allocated;
    }

    void setWarmUp(int messages) {
        warmUpMessages = messages;
    }

    public Histogram histogram() {
        Histogram histogram = emptyHistogram();
        blocks.forEach(block -> record(block, histogram));
        return histogram;
    }

    public static Histogram emptyHistogram() {
        return new Histogram(3_600_000_000_000L, 3);
    }

    /** Everything but the single latencies, of which it keeps a sample. */
    public Map<String, Object> toJson() {
        Map<String, Object> json = figuresOf(name, histogram());
        json.put("claims", claims);
        json.put("warmUpMessages", warmUpMessages);
        json.put("allocatedBytesPerMessage", (double) allocatedBytes / Math.max(1, messages()));
        json.put("blocks", blocks.stream().map(TargetResult::blockJson).toList());
        json.put("series", sample(all()));
        return json;
    }

    /** A histogram's figures, and the histogram itself, which {@link #histogramOf} reads back. */
    public static Map<String, Object> figuresOf(String name, Histogram histogram) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", name);
        json.put("messages", histogram.getTotalCount());
        json.put("average", histogram.getMean());
        json.put("p50", histogram.getValueAtPercentile(50));
        json.put("p90", histogram.getValueAtPercentile(90));
        json.put("p99", histogram.getValueAtPercentile(99));
        json.put("p99.9", histogram.getValueAtPercentile(99.9));
        json.put("p99.99", histogram.getValueAtPercentile(99.99));
        json.put("max", histogram.getMaxValue());
        ByteBuffer encoded = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int length = histogram.encodeIntoCompressedByteBuffer(encoded);
        json.put("histogram", Base64.getEncoder().encodeToString(Arrays.copyOf(encoded.array(), length)));
        return json;
    }

    /** The same, with both ends of the distribution. */
    public static Map<String, Object> spreadOf(String name, Histogram nanos) {
        Map<String, Object> json = figuresOf(name, nanos);
        json.put("min", nanos.getMinValue());
        json.put("deviation", nanos.getStdDeviation());
        json.put("p75", nanos.getValueAtPercentile(75));
        json.put("p99.999", nanos.getValueAtPercentile(99.999));
        return json;
    }

    public static Histogram histogramOf(Map<String, Object> target) {
        byte[] encoded = Base64.getDecoder().decode((String) target.get("histogram"));
        try {
            return Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(encoded), 0);
        } catch (java.util.zip.DataFormatException broken) {
            throw new IllegalArgumentException(
                    "The histogram of " + target.get("name") + " cannot be read: " + broken.getMessage(), broken);
        }
    }

    /** The exact percentile: the value at or below which this percentage of all values lies. */
    public static long percentile(long[] sorted, double percentage) {
        // 99.9% of 1,000 is 999, and not a little more
        int rank = (int) Math.ceil(percentage * sorted.length / 100 - 1e-6);
        return sorted[Math.max(1, Math.min(sorted.length, rank)) - 1];
    }

    private static Map<String, Object> blockJson(long[] block) {
        long[] sorted = block.clone();
        Arrays.sort(sorted);
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("average", Arrays.stream(block).average().orElse(Double.NaN));
        json.put("p50", percentile(sorted, 50));
        json.put("p99", percentile(sorted, 99));
        json.put("p99.9", percentile(sorted, 99.9));
        return json;
    }

    private static void record(long[] block, Histogram histogram) {
        for (long nanos : block) {
            histogram.recordValue(nanos);
        }
    }

    private long messages() {
        return blocks.stream().mapToLong(block -> block.length).sum();
    }

    private long[] all() {
        return blocks.stream().flatMapToLong(Arrays::stream).toArray();
    }

    /**
     * Numbers and latencies of some messages, one after the other in one list. A picture has so many columns: from each
     * one's stretch of messages come the fastest and the slowest. So no outlier is missing.
     */
    static List<Long> sample(long[] all) {
        List<Long> points = new ArrayList<>();
        int columns = Math.min(COLUMNS, all.length);
        for (int column = 0; column < columns; column++) {
            int from = (int) ((long) all.length * column / columns);
            int to = (int) ((long) all.length * (column + 1) / columns);
            int fastest = from;
            int slowest = from;
            for (int i = from; i < to; i++) {
                fastest = all[i] < all[fastest] ? i : fastest;
                slowest = all[i] > all[slowest] ? i : slowest;
            }
            add(points, Math.min(fastest, slowest), all);
            if (fastest != slowest) {
                add(points, Math.max(fastest, slowest), all);
            }
        }
        return points;
    }

    private static void add(List<Long> points, int number, long[] all) {
        points.add((long) number);
        points.add(all[number]);
    }
}
