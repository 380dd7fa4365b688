// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.burstlog.bench.harness.Json;
import io.burstlog.bench.harness.Options;
import io.burstlog.bench.harness.Study;
import io.burstlog.bench.harness.TargetResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PublicationTest {

    private static final Map<String, Object> CONDITIONS =
            Map.of("command", "scripts/bench/all --publish x", "kernel", "any");

    @TempDir
    private Path out;

    @TempDir
    private Path docs;

    @BeforeEach
    void aPage() throws Exception {
        StringBuilder page = new StringBuilder("# Benchmarks\n");
        for (String name : List.of(
                "peers",
                "slower",
                "device",
                "syncs",
                "jvm",
                "agreement",
                "hand-over",
                "throughput",
                "open",
                "load",
                "slow-appends")) {
            page.append("<!-- published: %1$s -->\nold %1$s\n<!-- end of %1$s -->\n".formatted(name));
        }
        Files.writeString(docs.resolve("benchmarks.md"), page);
    }

    private String publish() throws Exception {
        Report.publish(new Options(List.of("--docs", docs.toString(), "--out", out.toString())));
        return Files.readString(docs.resolve("benchmarks.md"));
    }

    private static Map<String, Object> target(String name, long nanos) {
        TargetResult result = new TargetResult(name, "");
        result.add(IntStream.range(0, 1000).mapToLong(i -> nanos + i).toArray(), 0);
        return result.toJson();
    }

    private void peers() throws Exception {
        Study study = new Study("peers", "latency", "Peers", CONDITIONS);
        study.add(target("log4j-burst@device", 5_000));
        study.add(target("log4j-raf-buffered", 200));
        study.add(target("log4j-force", 90_000));
        study.write(out);
    }

    private void syncs() throws Exception {
        Study study = new Study("syncs", "syncs", "Syncs", CONDITIONS).with("events", 1000);
        study.add(counted("log4j-burst@device", 1000, 0, 0));
        study.add(counted("log4j-raf-buffered", 0, 0, 976));
        study.write(out);
    }

    private static Map<String, Object> counted(String name, int durable, int syncs, int lost) {
        Map<String, Object> json =
                new LinkedHashMap<>(Map.of("name", name, "events", 1000, "eventsBeforeDeath", 2000L));
        json.putAll(Map.of("durableWrites", durable, "directWrites", 0, "syncs", syncs, "waitingMsyncs", 0));
        json.putAll(Map.of("ioUringEnters", 0, "lostByProcessDeath", lost));
        return json;
    }

    @Test
    void whatWasMeasuredIsReplacedAndTheRestStays() throws Exception {
        peers();

        String page = publish();

        assertThat(page)
                .contains(
                        "![Peers](pictures/peers.svg)",
                        "| Log4j, no ring, force() each event | 90.",
                        "Made by `scripts/bench/all --publish x`")
                .contains("<!-- published: device -->\nold device\n<!-- end of device -->\n")
                .doesNotContain("old peers", "old slower");
        assertThat(docs.resolve("pictures/peers.svg")).content().startsWith("<svg");
        assertThat(docs.resolve("pictures/peers.histograms")).content().hasLineCount(3);
        assertThat(publish()).isEqualTo(page);
    }

    @Test
    void theLossesThatSyncsCountedStandBesideEachLatency() throws Exception {
        syncs();
        publish();
        Files.delete(out.resolve("syncs.json")); // another run has counted them
        peers();

        assertThat(publish())
                .containsPattern(
                        "\\| ring on zram, through Log4j \\| 5\\.\\S+ .*\\| 1,000 \\| nothing \\| nothing \\(zram itself: all\\) \\|")
                .containsPattern(
                        "\\| Log4j RandomAccessFile, buffered \\| 0\\.\\S+ .*\\| 976 of 2,000 \\| the last seconds \\|");
    }

    @Test
    void whoIsFasterIsToldWithWhatHeLoses() throws Exception {
        syncs();
        peers();

        assertThat(publish())
                .containsPattern(
                        "\\| ring on zram, through Log4j \\| Log4j RandomAccessFile, buffered \\| 7\\.\\S+x \\|.*\\| 976 of 2,000 \\|")
                .doesNotContain("through Log4j | Log4j, no ring, force() each event |");
    }

    @Test
    void aJvmIsComparedWithTheFirstOneAndSaysWhatAYearOfItHas() throws Exception {
        Study study = new Study("jvm", "jvm", "JVMs", CONDITIONS);
        study.with("orders", 1000).with("seconds", 2.0).with("runs", 1).with("warmUpOrders", 10);
        study.with("ring", "/dev/zram1").with("instrumentGoesFirst", true).with("loadSha256", "0123456789abcdef0123");
        for (int i = 1; i <= 2; i++) {
            Histogram histogram = TargetResult.emptyHistogram();
            histogram.recordValueWithCount(100_000L * i, 999);
            histogram.recordValueWithCount(3_000_000L * i, 1);
            Map<String, Object> json = TargetResult.spreadOf("JDK " + i + ", free, quiet", histogram);
            json.putAll(Map.of("jvm", "JDK " + i, "pinned", false, "noisy", false, "p99.9OfRuns", List.of(1000.0)));
            json.put("runs", List.of(figures(100, 900), figures(100 * i, 900 * i), figures(100 * i, 900 * 5 * i)));
            study.add(json);
        }
        study.write(out);

        assertThat(publish())
                .contains("![FIX gateway, free, quiet neighbour](pictures/jvm-free-quiet.svg)")
                .containsPattern("\\| JDK 2, free, quiet \\|.*\\| 2.00 \\| 2.00 \\| 2.0 h \\|");
    }

    private static Map<String, Object> figures(int average, int tail) {
        return Map.of("average", average, "p99.9", tail);
    }

    /** A single slow block of the other one makes its whole run slow, and ours no faster. */
    @Test
    void whoIsFasterIsToldByBlocksOfTheSameRound() throws Exception {
        TargetResult ours = new TargetResult("log4j-burst@device", "");
        TargetResult other = new TargetResult("log4j-raf-buffered", "");
        for (int block = 0; block < 3; block++) {
            ours.add(LongStream.generate(() -> 5_000).limit(100).toArray(), 0);
            long nanos = block == 1 ? 1_000_000 : 1_000;
            other.add(LongStream.generate(() -> nanos).limit(100).toArray(), 0);
        }
        Study study = new Study("peers", "latency", "Peers", CONDITIONS);
        study.add(ours.toJson());
        study.add(other.toJson());
        study.write(out);

        assertThat(publish())
                .contains("| ring on zram, through Log4j | Log4j RandomAccessFile, buffered | 5.00x | 5.00x | 5.00x |");
    }

    @Test
    void theReadmeBesideTheDocsHasTheFastRingInShort() throws Exception {
        Path tree = Files.createDirectories(docs.resolve("tree/docs"));
        Files.copy(docs.resolve("benchmarks.md"), tree.resolve("benchmarks.md"));
        Path readme = tree.resolveSibling("README.md");
        Files.writeString(
                readme,
                "# Title\n<!-- published: fast-ring-in-short -->\nold\n<!-- end of fast-ring-in-short -->\nrest\n");
        Study study = new Study("fast-ring", "latency", "Fast ring", CONDITIONS).with("bytes", 256);
        study.add(target("bare@ssd", 3_000));
        study.add(target("java-jni@ssd", 4_000));
        study.add(target("log4j-burst@ssd", 5_000));
        study.write(out);

        Report.publish(new Options(List.of("--docs", tree.toString(), "--out", out.toString())));

        assertThat(readme)
                .content()
                .startsWith("# Title\n<!-- published: fast-ring-in-short -->\n\nAn event of 256 bytes through Log4j")
                .contains(
                        "1,000 events each:",
                        "| ring and log file on the disk | 5.50 | 5.99 | 6.00 |\n"
                                + "| *a bare write to the disk* | *3.50* | *3.99* | *4.00* |\n",
                        "Made by `scripts/bench/all --publish x`")
                .endsWith("<!-- end of fast-ring-in-short -->\nrest\n")
                .doesNotContain("old", "JNI");
    }

    @Test
    void eachIsComparedWithTheBaselineInBlocksOfTheSameRound() throws Exception {
        Study study = new Study("device", "latency", "Device", CONDITIONS).with("baseline", "bare@device");
        study.add(target("bare@device", 1_000_000));
        study.add(target("c@device", 1_500_000));
        study.with("averages", List.of(Map.of("name", "pg-test-fsync", "average", 120_000.0)));
        study.write(out);

        assertThat(publish())
                .contains("| max | p50, p99, p99.9 over bare write to zram | messages |")
                .containsPattern("\\| bare write to zram \\|.*\\| 1 \\| 1,000 \\|")
                .containsPattern("\\| ring on zram, from C \\|.*\\| 1.50, 1.50, 1.50 \\| 1,000 \\|")
                .contains("| pg_test_fsync, 8 kB and fdatasync | 120.");
    }

    @Test
    void whatHasNoLatencyOfOneMessageHasATableOfItsOwn() throws Exception {
        Study queues = new Study("hand-over-64", "hand-over", "Queues", CONDITIONS);
        for (String name : List.of("copy, 1 producer", "copy, 4 producers")) {
            Map<String, Object> way = new LinkedHashMap<>(target(name, 100));
            way.put("averagesOfWholeBursts", List.of(7.0, 8.0, 9.0));
            queues.add(way);
        }
        queues.write(out);
        Study rates = new Study("throughput", "throughput", "Rates", CONDITIONS);
        rates.add(Map.of("name", "append, 1 thread", "medium", "ssd", "perSecond", List.of(1000.0, 2000.0, 3000.0)));
        rates.write(out);
        Study opens = new Study("open", "open", "Opens", CONDITIONS);
        opens.add(Map.of("name", "raw read", "millis", List.of(10.0, 11.0, 12.0)));
        opens.write(out);

        assertThat(publish())
                .containsPattern("\\| copy to a byte buffer, 4 producers \\| 1,000 \\| 8.00 \\(7.50 .. 8.50\\) \\|")
                .containsPattern(
                        "\\| ring on the disk \\| append, 1 thread \\| 2,?000 \\(1,?500 .. 2,?500\\) \\| 3 \\|")
                .containsPattern("\\| raw read \\| 11.0\\S* \\(10.5\\S* .. 11.5\\S*\\) \\|");
        assertThat(docs.resolve("pictures/hand-over.svg"))
                .content()
                .contains("copy to a byte buffer, 1")
                .doesNotContain("4 producers");
        assertThat(docs.resolve("pictures/hand-over-64.histograms")).content().hasLineCount(2);
    }

    @Test
    void aLoadIsTheMedianOfItsBlocksWithTheirSpreadInTableAndPicture() throws Exception {
        Study study = new Study("load", "load", "Load", CONDITIONS).with("rounds", 5);
        for (long percent : new long[] {50, 100}) {
            Map<String, Object> level = new LinkedHashMap<>(Map.of("name", "a " + percent, "target", "a"));
            level.put("percentOfCapacity", percent);
            level.put("reachedPerSecond", List.of(900.0, 1000.0, 1100.0));
            Map<String, Object> figures = new LinkedHashMap<>();
            for (String figure : List.of("response p50", "response p99", "service p50", "service p99")) {
                figures.put(figure, List.of(40_000.0, 20_000.0, 9_000_000.0, 10_000.0, 30_000.0));
            }
            level.put("figuresOfBlocks", figures);
            level.put("response", target("a", 5_000));
            study.add(level);
        }
        study.write(out);

        assertThat(publish())
                .contains("5 blocks of each, in turns")
                .containsPattern(
                        "\\| a \\| 50% \\| 1,000 \\| 30.00 \\(20.00 .. 40.00\\) \\| 30.00 \\(20.00 .. 40.00\\) \\|"
                                + " 5.\\d+ \\| 6.\\d+ \\| 1,000 \\|");
        assertThat(docs.resolve("pictures/load.svg")).content().containsPattern("<path d=\"M\\S+ \\S+V\\S+m-4 0h8");
    }

    @Test
    void theSlowestAppendsHaveOwnersAndCausesBesideTheirControls() throws Exception {
        Study study = new Study("slow-appends", "slow-appends", "Owners", CONDITIONS);
        study.add(Json.object(Json.parse("""
                {"name": "c@ssd", "messages": 40000, "appends": 40000, "bare_write": {"p50_ns": 100000}, "beyond": [
                  {"hundredths_of_a_percent": 9990, "took_ns": 250000, "appends": 40,
                   "causes": [
                     {"words": "the medium's write", "appends": 30, "bare_writes": 31, "nothing": 0},
                     {"words": "a page fault", "appends": 0, "bare_writes": 0, "nothing": 0}],
                   "stages": {"before the write": 1, "in the write": 38, "behind the write": 1},
                   "owners": {"machine": 10, "medium": 30, "ours": 0}}]}""")));
        study.add(Json.object(Json.parse("""
                {"name": "c@mapped", "messages": 90000, "appends": 90000, "bare_write": {"p50_ns": 0}, "beyond": [
                  {"hundredths_of_a_percent": 9990, "took_ns": 5000, "appends": 90,
                   "causes": [
                     {"words": "the medium's write", "appends": 1, "bare_writes": 0, "nothing": 0},
                     {"words": "a page fault", "appends": 0, "bare_writes": 0, "nothing": 0}],
                   "stages": {"before the write": 80, "in the write": 1, "behind the write": 9},
                   "owners": {"machine": 72, "medium": 0, "ours": 18}}]}""")));
        study.write(out);

        assertThat(publish())
                .contains(
                        "| ring on the disk, from C | 40,000 | p99.9 | 250.0 | 40 | 25% | 75% | 0% | 1, 38, 1 |",
                        "| ring in memory, from C | 90,000 | p99.9 | 5.00 | 90 | 80% | 0% | 20% | 80, 1, 9 |",
                        "| the medium's write | 30 (31, 0) | 1 (-, 0) |")
                .doesNotContain("a page fault");
    }

    @Test
    void conditionsNameTheKindOfDiskAndNotItsPath() {
        assertThat(Conditions.disk("ext4 on /dev/vda (rw,relatime); write cache: write back, logical block: 512"))
                .isEqualTo("ext4 on a virtio disk, write back");
        assertThat(
                        Conditions.disk(
                                "xfs on /dev/nvme0n1p2 (rw); model: Fast Drive, write cache: write through, logical block: 512"))
                .isEqualTo("xfs on Fast Drive, write through");
        assertThat(Conditions.disk("tmpfs on tmpfs (rw); no block device of its own"))
                .isEqualTo("tmpfs");
    }

    @Test
    void jmhStandsBesideTheHarness() throws Exception {
        Study study = new Study("agreement-harness", "latency", "A", CONDITIONS);
        study.add(target("log4j-burst@device", 5_000));
        study.write(out);
        Files.writeString(out.resolve("jmh-append-bench.json"), """
                [{"benchmark": "io.burstlog.bench.jmh.AppendBench.append", "params": {"ring": "zram", "way": "log4j"},
                  "primaryMetric": {"score": 11.0, "scorePercentiles": {"50.0": 5.5, "99.0": 6.0, "99.9": 7.0}}}]
                """);
        Agreement.run(new Options(List.of("--out", out.toString())));

        assertThat(publish()).contains("| ring on zram, through Log4j | p50 | 5.50 | 5.50 | ");
    }
}
