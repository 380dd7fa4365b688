// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.burstlog.BurstConfig;
import io.burstlog.BurstLog;
import io.burstlog.Durability;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.layout.AbstractStringLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HeaderFailureTest {

    @TempDir
    Path temporary;

    private static final class HeaderOutOfMemory extends AbstractStringLayout {

        HeaderOutOfMemory() {
            super(StandardCharsets.UTF_8);
        }

        @Override
        public byte[] getHeader() {
            throw new OutOfMemoryError("for the header");
        }

        @Override
        public String toSerializable(final LogEvent event) {
            return "";
        }
    }

    @Test
    void a_header_that_kills_the_start_does_not_leave_the_ring_open() {
        final BurstAppender dying = BurstAppender.newBuilder()
                .setName("Orders")
                .setLayout(new HeaderOutOfMemory())
                .set("ring", temporary.resolve("orders.ring").toString())
                .set("fileName", temporary.resolve("orders.log").toString())
                .set("durability", "process")
                .build();
        assertThatThrownBy(dying::start).isInstanceOf(OutOfMemoryError.class);
        final BurstConfig config = BurstConfig.builder()
                .ring(temporary.resolve("orders.ring").toString())
                .fileName(temporary.resolve("orders.log").toString())
                .durability(Durability.PROCESS)
                .build();
        try (BurstLog log = BurstLog.open(config)) {
            assertThat(log.append(new byte[] {'\n'})).isPositive();
        }
    }
}
