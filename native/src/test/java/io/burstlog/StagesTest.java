// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The stages of records' time; HdrHistogram takes a histogram of them as it is. */
class StagesTest {

    /** So few are all timed on any medium. */
    private static final int APPENDS = 60;

    @TempDir
    private Path directory;

    private TempLog files;

    @BeforeEach
    void chooseFiles() {
        files = new TempLog(directory, Binding.AUTO);
    }

    private static void appendSome(BurstLog log) {
        for (int i = 0; i < APPENDS; i++) {
            log.append(TempLog.line("record " + i));
        }
        assertThat(log.awaitDrained(TempLog.LONG_ENOUGH)).isTrue();
    }

    private static Histogram hdrHistogram() {
        return new Histogram(1, (1L << 37) - 1, 2);
    }

    @Test
    void everyStageButTheWaitForSpaceHasFigures() {
        try (BurstLog log = files.open()) {
            appendSome(log);
            BurstStats stats = log.stats();
            assertThat(stats.stages()).containsOnlyKeys(Stage.values());
            assertThat(stats.stages().get(Stage.CLAIM_WAIT)).isEqualTo(new StageStats(0, 0, 0, 0, 0, 0, 0));
            assertThat(stats.stages().get(Stage.DEVICE_WRITE).count()).isEqualTo(stats.deviceWrites());
            assertThat(stats.stages().get(Stage.COPY).count()).isEqualTo(APPENDS);
            for (Stage stage : List.of(Stage.COPY, Stage.COMMIT_WAIT, Stage.DEVICE_WRITE, Stage.DRAIN_LAG)) {
                StageStats figures = stats.stages().get(stage);
                assertThat(figures.count()).as("%s", stage).isPositive();
                assertThat(List.of(
                                figures.p50Nanos(),
                                figures.p99Nanos(),
                                figures.p999Nanos(),
                                figures.p9999Nanos(),
                                figures.maxNanos()))
                        .as("%s", stage)
                        .isSorted();
                // Most copies take less than 100 ns, which is the step of some clocks.
                assertThat(stage == Stage.COPY ? figures.p99Nanos() : figures.p50Nanos())
                        .as("%s", stage)
                        .isPositive();
                assertThat(figures.meanNanos()).isBetween(1L, figures.maxNanos());
            }
        }
    }

    @Test
    void whatIsEnqueuedHasALag() {
        try (BurstLog log = files.open()) {
            appendSome(log);
            assertThat(log.stats().stages().get(Stage.ENQUEUE_LAG).count()).isZero();
            for (int i = 0; i < 640; i++) {
                log.enqueue(TempLog.line("record " + i));
            }
            log.flush();
            Map<Stage, StageStats> stages = log.stats().stages();
            assertThat(stages.get(Stage.ENQUEUE_LAG).count())
                    .isPositive()
                    .isEqualTo(stages.get(Stage.COPY).count() - APPENDS);
            assertThat(stages.get(Stage.ENQUEUE_LAG).p50Nanos()).isPositive();
        }
    }

    @Test
    void aHistogramSaysWhatTheStatsSayAlsoAfterClose() {
        BurstLog log = files.open();
        appendSome(log);
        Map<Stage, StageStats> open = log.stats().stages();
        log.close();
        assertThat(log.stats().stages()).isEqualTo(open);
        for (Stage stage : Stage.values()) {
            StageHistogram histogram = log.histogram(stage);
            StageStats figures = open.get(stage);
            assertThat(histogram.count()).isEqualTo(figures.count());
            assertThat(histogram.maxNanos()).isEqualTo(figures.maxNanos());
            assertThat(histogram.percentileNanos(50)).isEqualTo(figures.p50Nanos());
            assertThat(histogram.percentileNanos(99.99)).isEqualTo(figures.p9999Nanos());
        }
    }

    @Test
    void theBucketsAreThoseOfAnHdrHistogram() {
        Histogram hdr = hdrHistogram();
        List<Long> highest = new ArrayList<>();
        files.open().close(); // loads the library
        StageHistogram.of(words -> Arrays.fill(words, 1)).forEachBucket((nanos, count) -> highest.add(nanos));
        assertThat(highest).hasSize(StageHistogram.BUCKETS);
        long lowest = 0;
        for (long value : highest) {
            assertThat(hdr.lowestEquivalentValue(value)).isEqualTo(lowest);
            assertThat(hdr.highestEquivalentValue(lowest)).isEqualTo(value);
            lowest = value + 1;
        }
        assertThat(lowest).isEqualTo(1L << 37);
    }

    @Test
    void anHdrHistogramThatIsFilledFromOneSaysTheSame() {
        try (BurstLog log = files.open()) {
            appendSome(log);
            for (Stage stage : Stage.values()) {
                StageHistogram histogram = log.histogram(stage);
                Histogram hdr = hdrHistogram();
                histogram.forEachBucket(hdr::recordValueWithCount);
                assertThat(hdr.getTotalCount()).isEqualTo(histogram.count());
                assertThat(histogram.totalNanos())
                        .isCloseTo(hdr.getMean() * hdr.getTotalCount(), withinPercentage(1e-9));
                for (double percent : new double[] {0.1, 10, 50, 90, 99, 99.9, 99.99, 100}) {
                    assertThat(histogram.percentileNanos(percent))
                            .as("%s %s%%", stage, percent)
                            .isEqualTo(Math.min(hdr.getValueAtPercentile(percent), histogram.maxNanos()));
                }
            }
        }
    }

    @Test
    void theMeanIsThatOfAnHdrHistogram() {
        try (BurstLog log = files.open()) {
            appendSome(log);
            // doc: histogram
            Histogram hdr = new Histogram(1, (1L << 37) - 1, 2);
            log.histogram(Stage.COMMIT_WAIT).forEachBucket(hdr::recordValueWithCount);
            // end
            StageStats figures = log.stats().stages().get(Stage.COMMIT_WAIT);
            assertThat(figures.meanNanos()).isEqualTo(Math.min(Math.round(hdr.getMean()), figures.maxNanos()));
        }
    }
}
