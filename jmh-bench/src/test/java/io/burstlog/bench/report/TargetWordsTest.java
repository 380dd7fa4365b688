// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.burstlog.bench.handover.HandOvers;
import io.burstlog.bench.seen.Passing;
import io.burstlog.bench.study.Studies;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class TargetWordsTest {

    /** All targets that a study of the list, quick or full, names or takes by default. */
    private static Set<String> targets() {
        Set<String> names = new TreeSet<>();
        for (String all : List.of(HandOvers.NAMES, HandOvers.QUEUES, Passing.ALL)) {
            names.addAll(Arrays.asList(all.split(",")));
        }
        for (String study : Studies.names()) {
            for (boolean full : new boolean[] {false, true}) {
                for (Studies.Step step : Studies.steps(study, full, "out")) {
                    for (String option : List.of("--targets", "--ways")) {
                        int at = step.words().indexOf(option);
                        if (at >= 0) {
                            names.addAll(Arrays.asList(step.words().get(at + 1).split(",")));
                        }
                    }
                }
            }
        }
        return names;
    }

    @Test
    void eachTargetOfAStudyHasWordsOfItsOwn() {
        Map<String, String> targetByWords = new LinkedHashMap<>();
        assertThat(targets()).hasSizeGreaterThan(40).allSatisfy(target -> {
            String words = TargetWords.of(target);
            assertThat(words).as(target).isNotEqualTo(target).doesNotContain("@", "|", "%");
            assertThat(targetByWords.put(words, target)).as(words).isNull();
            assertThat(TargetWords.of(words)).as("words stay words").isEqualTo(words);
        });
    }

    @Test
    void aTargetIsAWayAndAMediumAndWhatAStudySaysBehindThem() {
        assertThat(TargetWords.of("log4j-burst@device")).isEqualTo("ring on zram, through Log4j");
        assertThat(TargetWords.of("log4j-burst@/dev/nvme1n1")).isEqualTo("ring on /dev/nvme1n1, through Log4j");
        assertThat(TargetWords.of("offer@ssd, 4 producers")).isEqualTo("offer, ring on the disk, 4 producers");
        assertThat(TargetWords.of("bare@ssd")).isEqualTo("bare write to the disk");
    }
}
