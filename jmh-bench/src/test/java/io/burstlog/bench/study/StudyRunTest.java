// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.study;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class StudyRunTest {

    @Test
    void theCommandIsThatOfTheScriptOrOfTheJarThatRan() {
        List<String> options = List.of("--seconds", "20");

        assertThat(StudyRun.commandOf("scripts/bench/all --publish", "peers", true, options))
                .isEqualTo("scripts/bench/all --publish --full peers --seconds 20");
        assertThat(StudyRun.commandOf("", "peers", true, options))
                .isEqualTo("java -jar jmh-bench/target/benchmarks.jar peers --full --seconds 20");
        assertThat(StudyRun.commandOf("", "peers", false, List.of()))
                .isEqualTo("java -jar jmh-bench/target/benchmarks.jar peers");
    }
}
