// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.harness;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/** One target's latencies in nanoseconds, block by block in the order of measurement. */
public final class TargetResult {

    /** The figures by which blocks are compared. */
    public static final List<String> FIGURES = List.of("average", "p50", "p99", "p99.9");

    /** The stretches of {@link #cells}. */
    public static final int COLUMNS = 240;

    /** Steps of {@link #cells} in an octave: each is 7%. */
    public static final int STEPS_OF_OCTAVE = 10;

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

    /** Everything but the single latencies, of which it counts how many are in each cell of a picture. */
    public Map<String, Object> toJson() {
        Map<String, Object> json = figuresOf(name, histogram());
        json.put("claims", claims);
        json.put("warmUpMessages", warmUpMessages);
        json.put("allocatedBytesPerMessage", (double) allocatedBytes / Math.max(1, messages()));
        json.put("blocks", blocks.stream().map(TargetResult::blockJson).toList());
        json.put("cells", cells(all()));
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
     * Column, step, and number of messages in that cell, one after the other in one list. The run is cut into
     * {@link #COLUMNS} stretches of messages, in their order; a step is a tenth of an octave of nanoseconds. Each
     * message is in one cell.
     */
    static List<Long> cells(long[] all) {
        List<Long> cells = new ArrayList<>();
        int columns = Math.min(COLUMNS, all.length);
        for (int column = 0; column < columns; column++) {
            int from = (int) ((long) all.length * column / columns);
            int to = (int) ((long) all.length * (column + 1) / columns);
            Map<Long, Long> counts = new TreeMap<>();
            for (int i = from; i < to; i++) {
                counts.merge(step(all[i]), 1L, Long::sum);
            }
            for (Map.Entry<Long, Long> count : counts.entrySet()) {
                cells.addAll(List.of((long) column, count.getKey(), count.getValue()));
            }
        }
        return cells;
    }

    private static long step(long nanos) {
        return (long) Math.floor(STEPS_OF_OCTAVE * Math.log(Math.max(1, nanos)) / Math.log(2));
    }
}
