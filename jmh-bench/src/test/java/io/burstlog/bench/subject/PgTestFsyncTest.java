// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.subject;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class PgTestFsyncTest {

    private static final String SAID = """
            1 second per test
            O_DIRECT supported on this platform for open_datasync and open_sync.

            Compare file sync methods using one 8kB write:
            (in wal_sync_method preference order, except fdatasync is Linux's default)
                    open_datasync                      1857.736 ops/sec     538 usecs/op
                    fdatasync                          8000.000 ops/sec     125 usecs/op
                    fsync_writethrough                              n/a

            Compare file sync methods using two 8kB writes:
                    fdatasync                           800.000 ops/sec    1250 usecs/op
            """;

    @Test
    void theAverageIsThatOfOneWriteAndItsFdatasync() throws Exception {
        assertThat(PgTestFsync.averageNanos(SAID.lines())).isEqualTo(125_000);
    }

    @Test
    void aProgramThatSaysSomethingElseIsSkipped() {
        assertThatThrownBy(() -> PgTestFsync.averageNanos("could not open output file".lines()))
                .isInstanceOf(Media.NotPossible.class)
                .hasMessageContaining("fdatasync");
    }
}
