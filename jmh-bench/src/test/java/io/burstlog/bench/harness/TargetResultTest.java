// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.HdrHistogram.Histogram;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TargetResultTest {

    @Test
    void percentilesOfKnownValuesAreExact() {
        long[] oneToThousand = new long[1000];
        Arrays.setAll(oneToThousand, i -> i + 1);

        assertThat(TargetResult.percentile(oneToThousand, 50)).isEqualTo(500);
        assertThat(TargetResult.percentile(oneToThousand, 99)).isEqualTo(990);
        assertThat(TargetResult.percentile(oneToThousand, 99.9)).isEqualTo(999);
        assertThat(TargetResult.percentile(oneToThousand, 100)).isEqualTo(1000);
        assertThat(TargetResult.percentile(new long[] {7}, 99)).isEqualTo(7);
    }

    @Test
    void percentilesOfBlocksAndOfTheHistogramAgreeWithinItsResolution() {
        long[] nanos = new Random(1).longs(50_000, 50, 5_000_000).toArray();
        TargetResult result = new TargetResult("any", "");
        result.add(nanos, 0);

        Map<String, Object> json = result.toJson();

        Map<String, Object> block = Json.object(Json.list(json.get("blocks")).get(0));
        for (String figure : List.of("p50", "p99", "p99.9")) {
            assertThat(Json.number(json.get(figure)))
                    .as(figure)
                    .isCloseTo(Json.number(block.get(figure)), Percentage.withPercentage(0.1));
        }
        assertThat(Json.number(json.get("average")))
                .isCloseTo(Arrays.stream(nanos).average().orElseThrow(), Percentage.withPercentage(0.1));
    }

    @Test
    void jsonAndHgrmOfATinyRunAreReadBack(@TempDir Path directory) throws Exception {
        TargetResult result = new TargetResult("way@medium", "survives all");
        result.add(new long[] {1000, 2000, 3000, 4000, 100_000}, 40);
        Study study = new Study("tiny", "latency", "A tiny run", Map.of("kernel", "any"));
        study.add(result.toJson());
        study.skip("other", "it is not there");

        study.write(directory);

        Map<String, Object> read = Json.readObject(directory.resolve("tiny.json"));
        Map<String, Object> target = Json.object(Json.list(read.get("targets")).get(0));
        Histogram histogram = TargetResult.histogramOf(target);
        assertThat(histogram).isEqualTo(result.histogram());
        assertThat(target).containsEntry("messages", 5L).containsEntry("allocatedBytesPerMessage", 8.0);
        assertThat(Json.list(target.get("cells")))
                .containsExactly(0L, 99L, 1L, 1L, 109L, 1L, 2L, 115L, 1L, 3L, 119L, 1L, 4L, 166L, 1L);
        assertThat(Json.object(Json.list(read.get("skipped")).get(0))).containsEntry("reason", "it is not there");
        // Value in microseconds, percentile, count.
        List<String> hgrm = Files.readAllLines(directory.resolve("tiny-way-medium.hgrm"));
        String last = hgrm.stream()
                .filter(line -> line.contains("1.000000000000"))
                .findFirst()
                .orElseThrow();
        String[] fields = last.trim().split(" +");
        assertThat(Double.parseDouble(fields[0])).isCloseTo(100, within(0.1));
        assertThat(fields[2]).isEqualTo("5");
    }

    @Test
    void eachMessageIsInOneCellOfItsStretchAndItsLatency() {
        long[] nanos = new long[1_000_000];
        Arrays.fill(nanos, 1024);
        nanos[123_457] = 50_000_000;
        nanos[999_999] = 40_000_000;

        List<Long> cells = TargetResult.cells(nanos);

        long messages = 0;
        List<List<Long>> slow = new ArrayList<>();
        for (int i = 0; i < cells.size(); i += 3) {
            messages += cells.get(i + 2);
            if (cells.get(i + 1) != 100) {
                slow.add(cells.subList(i, i + 3));
            }
        }
        assertThat(messages).isEqualTo(1_000_000);
        assertThat(slow).containsExactly(List.of(29L, 255L, 1L), List.of(239L, 252L, 1L));
    }

    @Test
    void theCellsAreFewHoweverLongTheSeries() {
        long[] nanos = new Random(1).longs(1_000_000, 50, 5_000_000).toArray();

        assertThat(TargetResult.cells(nanos).size() / 3).isBetween(10_000, 240 * 170);
    }
}
