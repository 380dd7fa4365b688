// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.study;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class StudiesTest {

    @Test
    void aGroupStandsForItsMembersAndNothingElseDoes() {
        assertThat(Studies.members(List.of("ssd", "prior-art"), false, null))
                .containsExactly("ssd", "application-note", "queue", "gateway", "gateway-file-systems");
        assertThat(Studies.isName("prior-art")).isTrue();
        assertThat(Studies.isName("prior")).isFalse();
        assertThat(Studies.names())
                .doesNotContain("prior-art")
                .containsAll(Studies.members(List.of("prior-art"), true, "5"));
    }

    /** Within the time that was asked for, but never so short that a run says nothing, nor longer than a minute. */
    @Test
    void theRunsOfAllCasesShareTheirTime() {
        assertThat(GatewayTurns.millis(480, 16, 3)).isEqualTo(10_000);
        assertThat(GatewayTurns.millis(5, 16, 3)).isEqualTo(1000);
        assertThat(GatewayTurns.millis(36_000, 2, 1)).isEqualTo(60_000);
    }
}
