// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static org.assertj.core.api.Assertions.assertThat;

import io.burstlog.BurstConsumer;
import io.burstlog.ConsumedRecords;
import java.nio.file.Path;
import org.apache.logging.log4j.core.impl.Log4jLogEvent;
import org.apache.logging.log4j.core.time.MutableInstant;
import org.apache.logging.log4j.message.SimpleMessage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EventTimeTest {

    @TempDir
    Path temporary;

    @Test
    void a_record_has_the_time_of_its_event_to_the_nanosecond() {
        final OrdersDirectory directory = new OrdersDirectory(temporary);
        final Path segments = temporary.resolve("orders.segments");
        final MutableInstant instant = new MutableInstant();
        instant.initFromEpochSecond(1_795_337_000L, 123_456_789);
        try (RunningLog4j log4j =
                RunningLog4j.with(RunningLog4j.xml(directory.burst("segments=\"" + segments + "\"")))) {
            log4j.orders()
                    .append(Log4jLogEvent.newBuilder()
                            .setMessage(new SimpleMessage("order"))
                            .setInstant(instant)
                            .build());
        }
        try (BurstConsumer consumer = BurstConsumer.open(segments, "reader")) {
            final ConsumedRecords records = consumer.poll(1 << 16, Patience.TIME);
            assertThat(records.next()).isTrue();
            assertThat(records.eventTimeNanos()).isEqualTo(1_795_337_000_123_456_789L);
        }
    }
}
