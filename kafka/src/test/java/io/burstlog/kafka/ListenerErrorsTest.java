// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.burstlog.BurstEvent;
import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A shipper whose listener throws. No broker answers it, so that it has to tell of each failure or to pass over it. */
@Timeout(120)
class ListenerErrorsTest {

    /** Three in a row are told if the first one was not. */
    private static final int ENOUGH = 4;

    private final Queue<Throwable> handled = new ConcurrentLinkedQueue<>();
    private final AtomicInteger told = new AtomicInteger();
    private final Error seeded = new OutOfMemoryError("seeded");
    private Thread.UncaughtExceptionHandler before;

    @TempDir
    private Path directory;

    @BeforeEach
    void remember() {
        before = Thread.getDefaultUncaughtExceptionHandler();
    }

    @AfterEach
    void restore() {
        Thread.setDefaultUncaughtExceptionHandler(before);
    }

    @Test
    void anErrorOfTheListenerGoesToTheHandlerAndEndsNothing() throws Exception {
        Thread.setDefaultUncaughtExceptionHandler((thread, thrown) -> handled.add(thrown));
        assertThatItGoesOn();
        assertThat(told).as("the failure is told once").hasValue(1);
        assertThat(handled).containsExactly(seeded);
    }

    /** The handler has no memory either, so the telling itself throws, and is tried again when the reason lasts. */
    @Test
    void aLackOfMemoryWhileAFailureIsToldEndsNothing() throws Exception {
        Thread.setDefaultUncaughtExceptionHandler((thread, thrown) -> {
            handled.add(thrown);
            throw seeded;
        });
        assertThatItGoesOn();
        assertThat(told).hasValueGreaterThan(1);
        assertThat(handled).containsOnly(seeded);
    }

    private void assertThatItGoesOn() throws Exception {
        try (WrittenStream written = new WrittenStream(directory)) {
            written.write(1);
            written.awaitDrained();
            ShipperConfig config = ShipperConfig.builder()
                    .folder(written.folder().toString())
                    .topic("orders")
                    .listener(this::fail)
                    .property("bootstrap.servers", "127.0.0.1:1")
                    .property("request.timeout.ms", "50")
                    .property("default.api.timeout.ms", "100")
                    .build();
            try (KafkaShipper shipper = KafkaShipper.start(config)) {
                while (shipper.stats().failures() < ENOUGH && shipper.failure() == null) {
                    Thread.sleep(5);
                }
                assertThat(shipper.failure()).isNull();
                assertThat(shipper.stats().lagRecords()).isEqualTo(1);
            }
        }
    }

    private void fail(BurstEvent event) {
        if (event.severity() == BurstEvent.Severity.WARN) {
            told.incrementAndGet();
            throw seeded;
        }
    }
}
