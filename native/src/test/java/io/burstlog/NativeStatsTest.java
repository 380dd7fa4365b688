// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import static org.assertj.core.api.Assertions.assertThat;

import io.burstlog.binding.StatsStruct;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** The figures of the engine as Java shows them. */
class NativeStatsTest {

    private static StatsStruct structOf(int copyState) {
        StatsStruct struct = new StatsStruct();
        byte[] name = "B\u00fccher".getBytes(StandardCharsets.UTF_8);
        System.arraycopy(name, 0, struct.copyName, 0, name.length);
        struct.copyState = copyState;
        struct.copiedSequence = 7;
        struct.copyRecordsBehind = 3;
        struct.copyRecordsMissing = 2;
        return struct;
    }

    @Test
    void theCopyHasItsNameStateAndCounts() {
        assertThat(NativeStats.toStats(structOf(3)).copy())
                .isEqualTo(new BurstStats.Copy("B\u00fccher", BurstStats.CopyState.AWAY, 7, 3, 2));
        assertThat(NativeStats.toStats(structOf(1)).copy().state()).isEqualTo(BurstStats.CopyState.EXPECTED);
    }

    @Test
    void aLogWithoutACopyShowsNone() {
        assertThat(NativeStats.toStats(structOf(0)).copy()).isNull();
    }
}
