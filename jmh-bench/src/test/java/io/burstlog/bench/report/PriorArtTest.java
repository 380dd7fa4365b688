// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.burstlog.bench.harness.Options;
import io.burstlog.bench.harness.Study;
import io.burstlog.bench.harness.TargetResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PriorArtTest {

    private static final Map<String, Object> CONDITIONS = Map.of("command", "scripts/bench/all --publish x");

    @TempDir
    private Path out;

    @TempDir
    private Path docs;

    private String publish(String block) throws Exception {
        Files.writeString(docs.resolve("benchmarks.md"), """
                <!-- published: syncs -->
                | log4j-burst | 1 | nothing | nothing |
                <!-- end of syncs -->
                """);
        Files.writeString(
                docs.resolve("prior-art.md"),
                "# Page\n<!-- published: %1$s -->\nold\n<!-- end of %1$s -->\n".formatted(block));
        Report.publish(new Options(List.of("--docs", docs.toString(), "--out", out.toString())));
        return Files.readString(docs.resolve("prior-art.md"));
    }

    /** Most messages take the typical time, and one in 500 a longer one. */
    private static Map<String, Object> latencies(String name, long typical, long tail) {
        TargetResult result = new TargetResult(name, "");
        result.add(
                LongStream.range(0, 10_000)
                        .map(i -> i % 500 == 0 ? tail : typical)
                        .toArray(),
                0);
        return result.toJson();
    }

    private static Histogram histogram(long typical, long tail) {
        Histogram histogram = TargetResult.emptyHistogram();
        histogram.recordValueWithCount(typical, 9_980);
        histogram.recordValueWithCount(tail, 20);
        return histogram;
    }

    private static Map<String, Object> spread(String name, long typical, long tail, Object... facts) {
        Map<String, Object> json = TargetResult.spreadOf(name, histogram(typical, tail));
        for (int i = 0; i < facts.length; i += 2) {
            json.put((String) facts[i], facts[i + 1]);
        }
        json.put("runs", List.of(TargetResult.figuresOf(name, histogram(typical, tail))));
        return json;
    }

    @Test
    void theCasesOfTheNoteStandBesideItsFiguresAndItsTailIsTakenApart() throws Exception {
        Study study = new Study("application-note", "latency", "Fast ring and disk", CONDITIONS).with("bytes", 256);
        study.add(latencies("bare@device", 2_600, 50_000));
        study.add(latencies("java-jna@device", 3_000, 52_000));
        study.add(latencies("log4j-burst@device", 3_250, 52_000));
        study.add(latencies("bare@ssd", 117_000, 500_000));
        study.add(latencies("java-jna@ssd", 118_000, 520_000));
        study.add(latencies("log4j-burst@ssd", 119_000, 520_000));
        study.write(out);

        String page = publish("application-note");

        assertThat(page)
                .doesNotContain("old")
                // average 3.098 us of 12, p99.99 52 us of 26
                .containsPattern("\\| ring on zram, from Java \\(JNA\\) \\| 12 \\| 26 \\|.*\\| 0\\.258 \\| 2\\.00 \\|")
                .containsPattern("\\| document: Log4j, the SSD / the card \\| up to 9 \\| - \\| up to 80 \\| - \\|")
                // p50 36.6, p99.9 10.0: no 80
                .containsPattern(
                        "here: ring on the disk, through Log4j / the same on zram \\| .* \\| 36\\.\\d+ \\| 10\\.0\\d? \\|")
                .containsPattern("here: bare write to zram, to its median \\| 19\\.\\d+ \\|")
                .contains("Made by `scripts/bench/all --publish x`");
        assertThat(docs.resolve("pictures"))
                .isDirectoryContaining("glob:**/application-note-jna-each-message.svg")
                .isDirectoryContaining("glob:**/application-note-log4j-each-message.svg")
                .isDirectoryContaining("glob:**/application-note-distribution.svg");
        assertThat(docs.resolve("pictures/application-note-distribution.svg"))
                .content()
                .contains("ring on zram, through Log4j", "ring on the disk, through Log4j")
                .doesNotContain("bare");
    }

    private void queue() throws Exception {
        Study study = new Study("queue", "queue", "Queues", CONDITIONS).with("bytes", 99);
        study.add(TargetResult.spreadOf("copy", histogram(40, 400)));
        for (String name : List.of("offer@ssd", "picologger")) {
            Map<String, Object> json = TargetResult.spreadOf(name, histogram(60, 600));
            json.put("lag", TargetResult.spreadOf(name, histogram(4_000_000, 9_000_000)));
            json.put("durablePerSecond", 500_000.0);
            study.add(json);
        }
        study.write(out);
    }

    @Test
    void queuesStandBesideTheArticlesAndSayWhenTheMessageIsDurable() throws Exception {
        queue();

        assertThat(publish("message-queues"))
                .containsPattern(
                        "\\| copy to a byte buffer \\| ByteBuffer \\| 26\\.42 \\| 143 \\| 40\\.\\d+ \\|.*\\| never \\| - \\|")
                .containsPattern(
                        "\\| offer, ring on the disk \\| logger MentaLog \\| 65 \\| - \\|.*\\| 0\\.9\\d+ \\| - \\| 4,0\\d\\d")
                .doesNotContain("picologger");
    }

    @Test
    void theDurableLoggersHaveTheirSubmissionAndTheirWayToTheDisk() throws Exception {
        queue();

        assertThat(publish("durable-logger"))
                .contains("| here: Rust picologger | here: offer, ring on the disk |")
                .contains("| records a second, until the last one is durable | 434,704 | 500,000 | 500,000 |")
                .containsPattern("\\| to disk, us: p95 \\| 21,800 \\| 4,0\\d\\d \\|");
        assertThat(docs.resolve("pictures/durable-logger-2-to-disk.svg"))
                .content()
                .startsWith("<svg");
    }

    private static void gatewayLoad(Study study) {
        study.with("orders", 10_000).with("seconds", 10.0).with("runs", 1).with("warmUpOrders", 10);
        study.with("instrumentGoesFirst", true).with("sessions", 25).with("events", 3);
    }

    @Test
    void freeIsComparedWithPinnedAndEachRunIsDrawn() throws Exception {
        Study study = new Study("gateway", "gateway", "Gateway", CONDITIONS);
        gatewayLoad(study);
        for (boolean pinned : List.of(false, true)) {
            study.add(spread(
                    "log4j-burst@device, %s, quiet".formatted(pinned ? "pinned" : "free"),
                    pinned ? 200_000 : 300_000,
                    pinned ? 1_000_000 : 5_000_000,
                    "target",
                    "log4j-burst@device",
                    "pinned",
                    pinned,
                    "noisy",
                    false));
        }
        study.write(out);

        assertThat(publish("gateway"))
                .contains("of 25 client(s), 3 event(s) an order")
                .containsPattern("\\| ring on zram, through Log4j; free, quiet \\| .* \\| 5,0\\d\\d \\| \\S+ \\|")
                .containsPattern("\\| document: FX pricing \\| 1\\.2 \\| - \\| - \\| - \\| 20 \\|")
                .containsPattern(
                        "\\| here: ring on zram, through Log4j; quiet \\| 1\\.\\d+ \\| 1\\.50 \\| 1\\.50 \\| 5\\.\\d+ \\|");
        assertThat(docs.resolve("pictures/gateway-pinned-quiet.svg"))
                .content()
                .contains(">free<", ">free, run 1<", ">pinned<", ">pinned, run 1<");
        assertThat(docs.resolve("pictures/gateway-pinned-noisy.svg")).doesNotExist();
    }

    @Test
    void eachFileSystemIsComparedWithTmpfsUnderTheSameAppender() throws Exception {
        Study study = new Study("gateway-file-systems", "gateway", "Gateway", CONDITIONS);
        gatewayLoad(study);
        study.add(spread("File on tmpfs", 100_000, 1_000_000, "appender", "File", "system", "tmpfs"));
        study.add(spread("Burst on tmpfs", 200_000, 2_000_000, "appender", "Burst", "system", "tmpfs"));
        study.add(spread("File on ext3", 100_000, 3_000_000, "appender", "File", "system", "ext3"));
        study.add(spread("Burst on ext3", 400_000, 3_000_000, "appender", "Burst", "system", "ext3"));
        study.write(out);

        assertThat(publish("gateway-file-systems"))
                .containsPattern("\\| File on ext3 \\| - \\| - \\| 5 \\| 10 \\|.* 1\\.00 \\| 3\\.00 \\| 3\\.00 \\|")
                .containsPattern("\\| Burst on ext3 \\| - \\| - \\| 5 \\| 10 \\|.* 2\\.00 \\| 1\\.50 \\| 1\\.50 \\|");
        assertThat(docs.resolve("pictures/gateway-file-systems-burst.svg"))
                .content()
                .contains("Burst on ext3")
                .doesNotContain("File on");
    }
}
