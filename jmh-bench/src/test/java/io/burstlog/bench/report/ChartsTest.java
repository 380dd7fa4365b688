// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.burstlog.bench.harness.TargetResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class ChartsTest {

    private static final Map<String, Object> STUDY = Map.of(
            "bytes",
            256,
            "environment",
            Map.of(
                    "time",
                    "2026-11-23T10:00:00Z",
                    "kernel",
                    "Linux 6.18.44-x amd64",
                    "cpu",
                    "A Processor, 2 processors for this JVM",
                    "hypervisor",
                    "yes: a virtual machine",
                    "log files on",
                    "ext4 on /dev/vda (rw); write cache: write back, logical block: 512",
                    "JVM",
                    "OpenJDK 64-Bit Server VM 17.0.15+6-Debian-1deb12u1, Debian"));

    private static final Losses.Table LOSSES = new Losses.Table("""
            <!-- published: syncs -->
            | ring on zram, through Log4j | 1 | nothing | nothing (zram itself: all) |
            | ring on the disk, through Log4j | 1 | nothing | nothing |
            | Log4j File, buffered | 0 | 16 of 2,000 | the last seconds |
            <!-- end of syncs -->
            """);

    /** 100,000 messages of 1 us, some of them of a second instead. */
    private static Map<String, Object> target(String name, int slow) {
        Histogram histogram = TargetResult.emptyHistogram();
        histogram.recordValueWithCount(1_000, 100_000 - slow);
        histogram.recordValueWithCount(1_000_000_000L, slow);
        return TargetResult.figuresOf(name, histogram);
    }

    private static String percentiles(String... names) {
        List<Map<String, Object>> targets = new ArrayList<>();
        for (String name : names) {
            targets.add(target(name, 0));
        }
        return Charts.percentiles("Title", STUDY, targets, LOSSES);
    }

    /** Names in the legend and their dashes, below their headings. */
    private static List<String> legend(String svg) {
        return Pattern.compile(
                        "font-weight=\"bold\">([^<]+)<|h30\"[^>]*?(stroke-dasharray=\"[^\"]*\")?/>\n<text[^>]*>([^<]*)<")
                .matcher(svg.substring(svg.indexOf("A line ends")))
                .results()
                .map(ChartsTest::entry)
                .toList();
    }

    private static String entry(MatchResult found) {
        if (found.group(1) != null) {
            return found.group(1).replaceFirst("[:(].*", "");
        }
        return (found.group(2) == null ? "solid " : "dashed ") + found.group(3);
    }

    @Test
    void aLineEndsWhereFewerThanTenMessagesLieBeyond() {
        String few = Charts.percentiles("Title", STUDY, List.of(target("bare@ssd", 10)), LOSSES);
        String enough = Charts.percentiles("Title", STUDY, List.of(target("bare@ssd", 11)), LOSSES);

        assertThat(few).doesNotContain(">1,000,000<").contains("max 1000 ms");
        assertThat(enough).contains(">1,000,000<");
        assertThat(few).contains(">99.99<").doesNotContain(">99.999<");
    }

    @Test
    void ofFewerThanTwentyMessagesNoPercentileIsDrawn() {
        Histogram histogram = TargetResult.emptyHistogram();
        histogram.recordValueWithCount(1_000, 19);

        String svg = Charts.percentiles(
                "Title",
                STUDY,
                List.of(TargetResult.figuresOf("bare@ssd", histogram), target("bare@device", 0)),
                LOSSES);

        assertThat(Pattern.compile("fill=\"none\" stroke=\"#[0-9A-F]{6}\"")
                        .matcher(svg)
                        .results())
                .hasSize(1);
    }

    @Test
    void whatIsDurableAndWhatIsNotAreToldApart() {
        assertThat(legend(percentiles("bare@ssd", "log4j-burst@ssd", "log4j-file-buffered", "java-jni@ssd")))
                .containsExactly(
                        "The medium alone",
                        "dashed bare write to the disk",
                        "Durable when the call returns",
                        "solid ring on the disk, through Log4j",
                        "solid ring on the disk, from Java (JNI)",
                        "Not durable when the call returns",
                        "dashed Log4j File, buffered");
        assertThat(percentiles("log4j-burst@device", "log4j-file-buffered"))
                .contains("a power cut loses nothing (zram, in the place of a device, is memory)");
    }

    @Test
    void nothingIsToldApartWhereTheLossesOfOneAreNotKnown() {
        assertThat(legend(percentiles("log4j-burst@ssd", "log4j-file-buffered", "aeron-ipc")))
                .containsExactly(
                        "solid ring on the disk, through Log4j", "solid Log4j File, buffered", "solid Aeron IPC");
    }

    @Test
    void aPictureNamesMessagesDateAndMachine() {
        assertThat(percentiles("bare@ssd", "log4j-burst@ssd"))
                .contains(
                        ">100,000 messages of 256 bytes each; 2026-11-23<",
                        ">A Processor, 2 processors, virtual; ext4 on a virtio disk, write back; Linux 6.18.44 amd64; JDK"
                                + " 17.0.15<");
    }

    @Test
    void moreLinesThanColoursThatAreEasilyToldApartHaveNumbers() {
        String[] names = {"a", "b", "c", "d", "e", "f", "g", "h"};

        assertThat(percentiles(names)).contains(">8  h<", "font-size=\"12\">8<");
        assertThat(percentiles("a", "b")).contains(">b<").doesNotContain(">2  b<");
    }

    @Test
    void eachMessageIsInASquareOfTheShadeOfItsNumber() {
        Map<String, Object> target = new LinkedHashMap<>(target("log4j-burst@ssd", 0));
        target.put("cells", List.of(0L, 100L, 416L, 1L, 100L, 416L, 2L, 100L, 415L, 2L, 255L, 1L));

        String svg = Charts.eachMessage("Each", STUDY, List.of(target));

        assertThat(svg).contains("1 to 416", "Each message is in one");
        assertThat(Pattern.compile("stroke-opacity=\"([^\"]+)\" [^>]*d=\"([^\"]*)\"")
                        .matcher(svg)
                        .results()
                        .map(path -> path.group(1) + " " + path.group(2).replaceAll("[^MH]", "")))
                .as("one message is pale; neighbours of one shade are one stroke")
                .containsExactly("0.25 MH", "1.0 MH");
    }
}
