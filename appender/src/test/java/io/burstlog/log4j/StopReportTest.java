// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.apache.logging.log4j.Level;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A stop's report of records that stay in the ring. */
class StopReportTest {

    @TempDir
    Path temporary;

    private OrdersDirectory directory;

    @BeforeEach
    void chooseDirectory() {
        directory = new OrdersDirectory(temporary);
        FullRing.makeLong(directory.file());
    }

    private List<String> left() {
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst()))) {
            try (FileSizeLimit limit = FullRing.withoutDrain()) {
                log4j.logger().info("order 1");
                log4j.logger().info("order 2");
                log4j.close();
            }
            return log4j.status(Level.WARN).stream()
                    .filter(line -> line.contains("records are durable in the ring"))
                    .toList();
        }
    }

    @Test
    void a_log_file_that_cannot_be_written_is_the_reason_and_not_the_time() {
        assertThat(left())
                .singleElement()
                .asString()
                .contains(
                        "2 records",
                        directory.ring().toString(),
                        directory.file().toString(),
                        "could not be written")
                .contains("burstlog recover")
                .doesNotContain("shutdownTimeout", "PT");
    }
}
