// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.impl.Log4jLogEvent;
import org.apache.logging.log4j.message.SimpleMessage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A shipper and its client log into the log that they ship. */
class ShipperEventsTest {

    private static final String KAFKA =
            "<Kafka topic=\"orders\"><Property name=\"bootstrap.servers\">here:9092</Property></Kafka>";

    @TempDir
    Path temporary;

    private OrdersDirectory directory;
    private final AtomicReference<ThreadGroup> group = new AtomicReference<>();

    @BeforeEach
    void chooseDirectory() {
        directory = new OrdersDirectory(temporary);
        FakeShipperProvider.comeToThis(
                request -> group.set(Thread.currentThread().getThreadGroup()));
    }

    @AfterEach
    void leaveTheOtherTestsWithoutKafka() {
        FakeShipperProvider.go();
    }

    private RunningLog4j start() {
        final RunningLog4j log4j =
                RunningLog4j.with(RunningLog4j.xml(directory.burst("io=\"pwrite\"", OrdersDirectory.MESSAGE + KAFKA)));
        FakeShipperProvider.awaitStarted(1);
        return log4j;
    }

    private static void runAsShipper(final ThreadGroup group, final Runnable logging) throws InterruptedException {
        final Thread ofShipper = new Thread(group, logging);
        ofShipper.start();
        ofShipper.join(Patience.TIME.toMillis());
        assertThat(ofShipper.isAlive()).isFalse();
    }

    /** A client without brokers logs hundreds of lines a second into the log that it ships. */
    @Test
    void what_a_shipper_logs_is_bounded_and_the_number_left_out_is_in_the_log() throws Exception {
        try (RunningLog4j log4j = start()) {
            runAsShipper(group.get(), () -> {
                for (int i = 0; i < 350; i++) {
                    log4j.logger("org.apache.kafka").info("Rebootstrapping");
                }
                for (int i = 0; i < 150; i++) {
                    log4j.logger("org.apache.kafka").warn("no node answers");
                }
            });
            log4j.logOrders(1, 501);
        }
        final List<String> lines = directory.lines();
        assertThat(lines).filteredOn("Rebootstrapping"::equals).hasSize(ShipperEvents.MOST_A_MINUTE);
        assertThat(lines).filteredOn("no node answers"::equals).hasSize(ShipperEvents.MOST_A_MINUTE);
        assertThat(lines).filteredOn(line -> line.startsWith("order")).hasSize(500);
        assertThat(lines)
                .filteredOn(line -> line.contains(" events of what passes this log on"))
                .satisfiesExactly(
                        before -> assertThat(before).startsWith("250 "), // this is the first event that is not left out
                        atTheEnd -> assertThat(atTheEnd).startsWith("50 "));
        assertThat(lines).hasSize(702);
    }

    @Test
    void after_a_minute_it_logs_again_and_says_once_what_was_left_out() {
        final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 5);
        try (RunningLog4j log4j = start()) {
            final ShipperEvents events = new ShipperEvents(log4j.orders().stream(), now::get);
            final LogEvent event = Log4jLogEvent.newBuilder()
                    .setLevel(Level.INFO)
                    .setMessage(new SimpleMessage("of a client"))
                    .build();
            int taken = 0;
            for (int second = 0; second < 130; second++, now.addAndGet(1_000_000_000)) {
                for (int i = 0; i < 10; i++) {
                    taken += events.take(event, log4j.orders().getLayout()) ? 1 : 0;
                }
            }
            assertThat(taken).isEqualTo(3 * ShipperEvents.MOST_A_MINUTE);
        }
        assertThat(directory.lines())
                .satisfiesExactly(
                        first -> assertThat(first).startsWith("500 events of what passes"),
                        second -> assertThat(second).startsWith("500 events of what passes"));
    }
}
