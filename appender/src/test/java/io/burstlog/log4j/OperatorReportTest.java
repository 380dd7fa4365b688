// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static io.burstlog.log4j.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.burstlog.BurstEvent;
import java.nio.file.Path;
import java.time.Instant;
import org.apache.logging.log4j.Level;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OperatorReportTest {

    @TempDir
    Path temporary;

    private OrdersDirectory directory;

    @BeforeEach
    void chooseDirectory() {
        directory = new OrdersDirectory(temporary);
    }

    @Test
    void what_recovery_found_is_told_at_every_start() {
        for (int start = 1; start <= 2; start++) {
            try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst()))) {
                final String statement = log4j.orders().ring().log().recoveryStatement();
                final String firstLine = statement.lines().findFirst().orElseThrow();
                await().untilAsserted(
                                () -> assertThat(log4j.status(Level.INFO)).anyMatch(line -> line.contains(firstLine)));
                assertThat(log4j.status(Level.WARN)).isEmpty();
            }
        }
    }

    @Test
    void what_the_engine_tells_keeps_its_severity() {
        final StatusLines status = new StatusLines();
        for (final BurstEvent.Severity severity : BurstEvent.Severity.values()) {
            ElementHolder.report(new BurstEvent(severity, Instant.EPOCH, "something " + severity));
        }
        status.stopListening();
        assertThat(status.atLeast(Level.INFO))
                .containsExactly(
                        "INFO Burst: something INFO", "WARN Burst: something WARN", "ERROR Burst: something ERROR");
    }
}
