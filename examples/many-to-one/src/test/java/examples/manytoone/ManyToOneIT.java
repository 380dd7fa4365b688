// SPDX-License-Identifier: Apache-2.0
package examples.manytoone;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ManyToOneIT {
    @Test
    @Timeout(300)
    void everyRecordOfEachHostIsInTheTopicOnce() throws Exception {
        Path folder = Path.of("target", "many-to-one");
        ManyToOne.main(new String[] {folder.toString(), "2", "200"});
        assertThat(Files.readAllLines(folder.resolve("merged.log")))
                .hasSizeBetween(1_800, 2_400)
                .anyMatch(line -> line.contains("host-1 run 1"))
                .anyMatch(line -> line.contains("host-1 run 2"))
                .anyMatch(line -> line.contains("host-2 run 1 thread 4 order 200"));
    }
}
