// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.burstlog.bench.harness.Json;
import io.burstlog.bench.harness.Options;
import io.burstlog.bench.harness.Study;
import io.burstlog.bench.harness.TargetResult;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportTest {

    private static final Pattern IMAGE = Pattern.compile("src=\"data:image/svg\\+xml;base64,([^\"]+)\"");

    @TempDir
    private Path directory;

    private String report() throws Exception {
        Report.run(new Options(List.of("--out", directory.toString())));
        return Files.readString(directory.resolve("report.html"));
    }

    /** Latencies around a typical one. */
    private static Map<String, Object> target(String name, long typical) {
        TargetResult result = new TargetResult(name, "");
        Random random = new Random(typical);
        for (int block = 0; block < 3; block++) {
            result.add(random.longs(1000, typical, typical * 11 / 10).toArray(), 0);
        }
        return result.toJson();
    }

    private void study(String name, String baseline, Object... namesAndNanos) throws Exception {
        Study study = new Study(name, "latency", "Title of " + name, Map.of("kernel", "any", "time", "now"));
        study.with("bytes", 256).with("blockMessages", 1000).with("baseline", baseline);
        for (int i = 0; i < namesAndNanos.length; i += 2) {
            study.add(target((String) namesAndNanos[i], (Integer) namesAndNanos[i + 1]));
        }
        study.write(directory);
    }

    private static List<String> check(List<List<String>> checks, String what) {
        return checks.stream()
                .filter(row -> row.get(0).startsWith(what))
                .findFirst()
                .orElseThrow();
    }

    private static Map<String, Object> figuresOfBlocks(Double... nanos) {
        Map<String, Object> figures = new LinkedHashMap<>();
        for (String figure : List.of("response p50", "response p99", "service p50", "service p99")) {
            figures.put(figure, List.of(nanos));
        }
        return figures;
    }

    @Test
    void everyStudyHasItsPicturesAndEveryPictureIsInThePage() throws Exception {
        study(
                "fast-ring",
                "log4j-burst@ssd",
                "log4j-burst@device",
                5_000,
                "log4j-burst@ssd",
                80_000,
                "log4j-force",
                90_000);
        study("ssd", "bare@ssd", "bare@ssd", 80_000, "c@ssd", 81_000);
        Study handOver = new Study("hand-over-64", "hand-over", "Hand-over", Map.of());
        Map<String, Object> offer = new LinkedHashMap<>(target("offer@ssd, 1 producer", 40));
        offer.put("averagesOfWholeBursts", List.of(30.0, 31.0, 32.0));
        handOver.with("bytes", 64).with("burst", 100).add(offer);
        handOver.write(directory);
        Study load = new Study("load", "load", "Load", Map.of());
        for (long percent : new long[] {2, 50, 100}) {
            load.add(Map.of(
                    "name",
                    "a " + percent,
                    "target",
                    "a",
                    "percentOfCapacity",
                    percent,
                    "reachedPerSecond",
                    List.of(10.0, 11.0),
                    "figuresOfBlocks",
                    figuresOfBlocks(1000.0 * percent, 2000.0 * percent),
                    "service",
                    target("a", 1000),
                    "response",
                    target("a", 1000 * percent)));
        }
        load.write(directory);
        Files.writeString(directory.resolve("jmh.json"), """
                [{"benchmark": "io.burstlog.bench.jmh.HandOverBench.burst", "threads": 1, "params": {"bytes": "64"},
                  "primaryMetric": {"score": 12.5, "scoreError": "NaN", "scoreUnit": "ns/op"},
                  "secondaryMetrics": {"gc.alloc.rate.norm": {"score": 16.0}}}]
                """);

        String page = report();

        Matcher images = IMAGE.matcher(page);
        int count = 0;
        while (images.find()) {
            String svg = new String(Base64.getDecoder().decode(images.group(1)), StandardCharsets.UTF_8);
            assertThat(svg)
                    .startsWith("<svg")
                    .contains("latency", "<path d=\"M")
                    .doesNotContain("NaN", "Infinity");
            count++;
        }
        // fast-ring: percentiles, distributions, each message with and without the ring; ssd; hand-over; load: two.
        assertThat(count).isEqualTo(3 + 1 + 1 + 2);
        assertThat(directory.toFile().list((in, name) -> name.endsWith(".svg"))).hasSize(count);
        assertThat(page).contains("Title of fast-ring", "Title of ssd", "HandOverBench.burst", "12.50 +- -", "16.00");
    }

    @Test
    void thePageNeedsNothingFromElsewhere() throws Exception {
        study("ssd", "bare@ssd", "bare@ssd", 80_000, "c@ssd", 81_000);

        assertThat(report()).doesNotContain("http:", "https:", "<script", "<link", "url(");
    }

    @Test
    void whatWasSkippedStandsAtTheTop() throws Exception {
        Study study = new Study("device", "latency", "Device", Map.of());
        study.with("baseline", "").skip("c@device", "no <fast> device");
        study.write(directory);

        assertThat(report()).contains("SKIPPED: device: c@device: no &lt;fast&gt; device");
    }

    @Test
    void aTargetIsReachedMissedOrNotMeasured() throws Exception {
        study("ssd", "bare@ssd", "bare@ssd", 80_000, "c@ssd", 81_000);
        study(
                "device",
                "bare@device",
                "bare@device",
                4_000,
                "c@device",
                8_000,
                "java-jni@device",
                8_050,
                "java-jna@device",
                9_000);

        List<List<String>> checks = Checks.of(new Results(directory));

        assertThat(check(checks, "C append / bare write, p50")).contains("yes", "<= 1.05");
        assertThat(checks.stream()
                        .filter(row -> row.get(1).equals("device"))
                        .findFirst()
                        .orElseThrow())
                .first()
                .asString()
                .contains("C append / bare write, p50");
        assertThat(checks.stream()
                        .filter(row -> row.get(1).equals("device"))
                        .findFirst()
                        .orElseThrow())
                .contains("no");
        assertThat(check(checks, "Java over JNI - C")).contains("yes");
        assertThat(check(checks, "Java over JNA - C")).contains("no");
        assertThat(check(checks, "Log4j - plain Java")).contains("not measured", "-");
        assertThat(check(checks, "open of a full ring")).contains("not measured");
    }

    @Test
    void whatALossOfPowerLosesFollowsFromTheCountedSyncs() {
        assertThat(losses("file-rwd", 1000, 0, 0, 0)).startsWith("nothing, if the disk honours flushes");
        assertThat(losses("log4j-force", 0, 0, 1000, 0)).startsWith("nothing, if the disk honours flushes");
        assertThat(losses("log4j-burst@device", 0, 1000, 0, 0)).contains("zram does not");
        assertThat(losses("every tenth", 0, 0, 100, 0))
                .isEqualTo("the events of the last sync or two: 100 syncs for 1,000 events");
        assertThat(losses("log4j-burst@mapped", 0, 0, 0, 0))
                .startsWith("everything, here: a file in tmpfs survives the process only");
        assertThat(losses("log4j-burst@ssd", 0, 0, 0, 1000)).startsWith("not seen: written through io_uring");
        assertThat(losses("log4j-raf-flush", 0, 0, 0, 0)).startsWith("everything");
    }

    private static String losses(String name, int durableWrites, int directWrites, int syncs, int rings) {
        return Losses.ofPower(Map.of(
                "name",
                name,
                "events",
                1000L,
                "durableWrites",
                durableWrites,
                "directWrites",
                directWrites,
                "syncs",
                syncs,
                "waitingMsyncs",
                0,
                "ioUringEnters",
                rings));
    }

    @Test
    void percentilesSayWhichPartOfAYearIsWorse() {
        assertThat(Axis.nines(99.9)).isCloseTo(3, within(1e-9));
        assertThat(Axis.yearBeyond(0.1)).isEqualTo("202 h");
        assertThat(Axis.yearBeyond(0.001)).isEqualTo("2.0 h");
        assertThat(Axis.yearBeyond(0.0001)).isEqualTo("12 min");
        assertThat(Axis.yearBeyond(0.000001)).isEqualTo("7.3 s");
    }

    @Test
    void figuresKeepThreeDigitsThatMeanSomething() {
        assertThat(Html.micros(80_456)).isEqualTo("80.46");
        assertThat(Html.micros(123)).isEqualTo("0.123");
        assertThat(Html.digits(1234567)).isEqualTo("1,234,567");
        assertThat(Html.digits(Json.number(null))).isEqualTo("-");
    }
}
