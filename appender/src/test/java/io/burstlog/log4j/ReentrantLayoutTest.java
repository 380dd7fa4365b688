// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.apache.logging.log4j.Logger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReentrantLayoutTest {

    private static final String LOGGERS =
            "<Logger name=\"inner\" level=\"all\" additivity=\"false\"><AppenderRef ref=\"Orders\"/></Logger>"
                    + "<Logger name=\"innermost\" level=\"all\" additivity=\"false\"><AppenderRef ref=\"Orders\"/></Logger>"
                    + "<Root level=\"all\"><AppenderRef ref=\"Orders\"/></Root>";

    @TempDir
    Path temporary;

    private OrdersDirectory directory;

    @BeforeEach
    void chooseDirectory() {
        directory = new OrdersDirectory(temporary);
    }

    @Test
    void events_logged_while_a_layout_formats_another_are_whole_and_leave_it_whole() {
        final String xml = RunningLog4j.xml(directory.burst(), LOGGERS);
        try (RunningLog4j log4j = RunningLog4j.with(xml)) {
            final Object logsOnce = new LogsWhenFormatted(log4j.logger("innermost"), "innermost {}", "c");
            final Object logsTwice = new LogsWhenFormatted(log4j.logger("inner"), "inner {} end", logsOnce);
            log4j.logger().info("outer {} end", logsTwice);
            log4j.logger().info("next");
        }
        assertThat(directory.lines())
                .contains("INFO innermost c", "INFO inner formatted end", "INFO outer formatted end")
                .endsWith("INFO next")
                .allMatch(line -> line.matches("INFO (innermost c|inner formatted end|outer formatted end|next)"));
    }

    @Test
    void a_text_longer_than_the_buffers_of_the_layout_survives_events_logged_from_within_it() {
        final String xml = RunningLog4j.xml(directory.burst(), LOGGERS);
        final String wide = "ä".repeat(50_000);
        try (RunningLog4j log4j = RunningLog4j.with(xml)) {
            log4j.logger()
                    .info("outer {} {} end", new LogsWhenFormatted(log4j.logger("inner"), "inner {}", wide), wide);
        }
        assertThat(directory.lines()).contains("INFO inner " + wide, "INFO outer formatted " + wide + " end");
    }

    private record LogsWhenFormatted(Logger logger, String message, Object parameter) {

        @Override
        public String toString() {
            logger.info(message, parameter);
            return "formatted";
        }
    }
}
