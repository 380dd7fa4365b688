// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HeaderAndFooterTest {

    private static final String LAYOUT = "<PatternLayout pattern=\"%m%n\" header=\"HEADER%n\" footer=\"FOOTER%n\"/>";

    @TempDir
    Path temporary;

    private OrdersDirectory directory;

    @BeforeEach
    void chooseDirectory() {
        directory = new OrdersDirectory(temporary);
    }

    @Test
    void the_header_begins_a_new_file_and_the_footer_ends_every_run() {
        for (int run = 1; run <= 2; run++) {
            try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst("", LAYOUT)))) {
                log4j.logger().info("run {}", run);
            }
        }
        assertThat(directory.lines()).containsExactly("HEADER", "run 1", "FOOTER", "run 2", "FOOTER");
    }

    @Test
    void the_header_begins_a_file_that_exists_and_is_empty() throws Exception {
        Files.createFile(directory.file());
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst("", LAYOUT)))) {
            log4j.logger().info("order 1");
        }
        assertThat(directory.lines()).containsExactly("HEADER", "order 1", "FOOTER");
    }

    @Test
    void a_file_with_content_of_another_appender_gets_no_header() throws Exception {
        Files.writeString(directory.file(), "written by a File appender" + System.lineSeparator());
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst("", LAYOUT)))) {
            log4j.logger().info("order 1");
        }
        assertThat(directory.lines()).containsExactly("written by a File appender", "order 1", "FOOTER");
    }

    @Test
    void a_reconfiguration_writes_neither() {
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst("", LAYOUT)))) {
            log4j.logger().info("before");
            log4j.reconfigure(RunningLog4j.xml(directory.burst("", LAYOUT)));
            log4j.logger().info("after");
        }
        assertThat(directory.lines()).containsExactly("HEADER", "before", "after", "FOOTER");
    }

    @Test
    void header_and_footer_are_durable_like_events() {
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst("", LAYOUT)))) {
            assertThat(log4j.orders().ring().log().durableSequence()).isEqualTo(1);
        }
    }
}
