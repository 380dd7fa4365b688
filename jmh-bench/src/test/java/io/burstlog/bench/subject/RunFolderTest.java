// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.subject;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunFolderTest {

    @TempDir
    private Path directory;

    /** So a killed fork leaves it. */
    @Test
    void whatAChildLeavesInItsPartIsRemovedWithTheWhole() throws Exception {
        RunFolder part;
        try (RunFolder whole = RunFolder.in(directory)) {
            part = RunFolder.partOf(whole.path());
            Files.createFile(part.path().resolve("a.log"));
            Files.createFile(Files.createDirectories(part.memory()).resolve("a.ring"));
        }

        assertThat(directory).isEmptyDirectory();
        assertThat(part.memory()).doesNotExist();
    }
}
