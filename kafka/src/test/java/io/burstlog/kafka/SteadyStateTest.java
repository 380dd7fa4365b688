// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** {@link SteadyState} tells what grows and what is missing. */
class SteadyStateTest {

    /** Nine minutes; memory, descriptors and threads grow by so much a minute. */
    private static List<String> said(int memory, int descriptors, int threads, long consumed) {
        List<String> lines = new ArrayList<>();
        for (int i = 1; i <= 9; i++) {
            lines.add("minute %d 100 1 2 3 4 %d %d %d 0"
                    .formatted(i, 100_000 + i * memory, 50 + i * descriptors, 30 + i * threads));
        }
        lines.add("end 900 " + consumed);
        return lines;
    }

    @Test
    void what_stays_as_it_is_passes() {
        assertThat(SteadyState.judge(said(0, 0, 0, 900), 900, 3)).isTrue();
    }

    @Test
    void each_thing_that_grows_is_told() {
        assertThat(SteadyState.judge(said(1000, 0, 0, 900), 900, 3)).isFalse();
        assertThat(SteadyState.judge(said(0, 2, 0, 900), 900, 3)).isFalse();
        assertThat(SteadyState.judge(said(0, 0, 2, 900), 900, 3)).isFalse();
    }

    @Test
    void an_event_that_is_missing_or_there_twice_is_told() {
        assertThat(SteadyState.judge(said(0, 0, 0, 899), 900, 3)).isFalse();
        assertThat(SteadyState.judge(said(0, 0, 0, 900), 899, 3)).isFalse();
        assertThat(SteadyState.judge(said(0, 0, 0, 900), 901, 3)).isFalse();
    }

    @Test
    void a_run_without_an_archive_has_shown_nothing() {
        assertThat(SteadyState.judge(said(0, 0, 0, 900), 900, 0)).isFalse();
    }
}
