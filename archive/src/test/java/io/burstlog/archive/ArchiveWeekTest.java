// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A short round of {@link ArchiveWeek}: half an hour. */
@Tag("newest-jdk") // No JDK can matter: it computes.
class ArchiveWeekTest {

    /**
     * The first payload file is full before the anchor's commit at 1,500 s, and expires at one of the four heads behind
     * that.
     */
    private static final int RATE = 44;

    private static final int SECONDS = 1800;

    @Test
    void halfAnHourIsSealedAndIntact(@TempDir Path folder) throws IOException {
        MemoryDisk disk = new MemoryDisk();
        Verification.Report report =
                ArchiveWeek.run(disk, disk.kept(), folder.resolve("heads"), RATE, SECONDS, 60, Duration.ofMinutes(1));
        assertThat(report.findings()).isEmpty();
        assertThat(report.records()).isEqualTo((long) RATE * SECONDS);
        // The key, the promise, the clock three times, and that the payloads of the first file expired.
        assertThat(report.leaves() - report.records()).isEqualTo(1 + 1 + 3 + 1);
        assertThat(report.expired()).isEqualTo(Tiles.PAYLOAD_LEAVES);
        assertThat(report.anchors()).singleElement().satisfies(each -> {
            assertThat(each.isChecked()).isTrue();
            assertThat(each.answers()).isEqualTo(7);
            assertThat(each.behind()).isZero();
        });
    }
}
