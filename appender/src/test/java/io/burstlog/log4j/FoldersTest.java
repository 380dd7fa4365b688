// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.nio.file.Path;
import org.apache.logging.log4j.Level;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A start makes the directories of ring and log file; a refused start makes nothing. */
class FoldersTest {

    @TempDir
    private Path temporary;

    private String burst(final String attributes) {
        return new OrdersDirectory(temporary)
                .burst(attributes)
                .replace("orders.ring", "rings/of/today/orders.ring")
                .replace("orders.log", "logs/of/today/orders.log");
    }

    @Test
    void missing_directories_are_made_for_the_ring_as_for_the_log_file() {
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(burst("")))) {
            log4j.logger().info("order 1");
            assertThat(log4j.status(Level.ERROR)).isEmpty();
        }
        assertThat(temporary.resolve("rings/of/today/orders.ring")).exists();
        assertThat(temporary.resolve("logs/of/today/orders.log")).hasContent("INFO order 1" + System.lineSeparator());
    }

    @Test
    void a_refused_start_makes_no_directory_no_ring_and_no_log_file() {
        final String refused = burst("maxRecordSize=\"3 MB\""); // more than a quarter of the ring
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(refused))) {
            catchThrowable(() -> log4j.logger().info("order 1"));
            assertThat(log4j.status(Level.ERROR)).isNotEmpty();
        }
        assertThat(temporary).isEmptyDirectory();
    }
}
