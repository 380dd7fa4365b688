// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static io.burstlog.log4j.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VirtualThreadTest {

    private static final int EVENTS = 500;

    @TempDir
    Path temporary;

    private OrdersDirectory directory;

    @BeforeEach
    void chooseDirectory() {
        directory = new OrdersDirectory(temporary);
    }

    @Test
    void events_of_virtual_threads_are_durable_on_return_and_there_exactly_once() throws Exception {
        final ExecutorService executor = virtualThreads();
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst()))) {
            for (int i = 0; i < EVENTS; i++) {
                final int number = i;
                executor.execute(() -> log4j.logger().info("order {}", number));
            }
            ((AutoCloseable) executor).close();
            assertThat(log4j.orders().ring().log().durableSequence()).isEqualTo(EVENTS);
        }
        assertThat(directory.lines()).hasSize(EVENTS).doesNotHaveDuplicates();
    }

    /** A virtual thread holds its carrier while the engine waits: the waiting ones must never hold all carriers. */
    @Test
    void more_virtual_threads_than_carriers_may_wait_for_space_and_platform_threads_log_beside_them() throws Exception {
        final ExecutorService executor = virtualThreads();
        final int waiting = 3 * Runtime.getRuntime().availableProcessors() + FullRing.EVENTS;
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst()))) {
            final Thread platform = new Thread(() -> log4j.logger().info("platform"));
            try (FileSizeLimit limit = FullRing.withoutDrain()) {
                for (int i = 0; i < waiting; i++) {
                    executor.execute(() -> log4j.logger().info("x".repeat(400_000)));
                }
                await().until(() -> log4j.orders().ring().log().stats().fullWaits() > 0);
                platform.start();
            }
            ((AutoCloseable) executor).close();
            platform.join();
        }
        assertThat(directory.lines()).hasSize(waiting + 1).contains("INFO platform");
    }

    /** docs/mistakes.md says so under "What no sentence says". */
    @Test
    void a_virtual_thread_that_logs_nothing_waits_for_those_that_wait_for_the_ring() throws Exception {
        final ExecutorService executor = virtualThreads();
        final int carriers = Runtime.getRuntime().availableProcessors();
        final AtomicInteger returned = new AtomicInteger();
        final AtomicInteger returnedBefore = new AtomicInteger();
        final AtomicInteger seen = new AtomicInteger();
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst()))) {
            try (FileSizeLimit limit = FullRing.withoutDrain()) {
                for (int i = 0; i < carriers + FullRing.EVENTS; i++) {
                    executor.execute(() -> {
                        log4j.logger().info("x".repeat(400_000));
                        returned.incrementAndGet();
                    });
                }
                await().until(() -> log4j.orders().ring().log().stats().fullWaits() >= carriers);
                returnedBefore.set(returned.get());
                executor.execute(() -> seen.set(returned.get()));
            }
            ((AutoCloseable) executor).close();
        }
        assertThat(seen.get())
                .as("log calls that had returned when the other thread ran")
                .isGreaterThan(returnedBefore.get());
    }

    private static ExecutorService virtualThreads() throws Exception {
        Skipped.unless(Runtime.version().feature() >= 21, "virtual threads need JDK 21 or later");
        return (ExecutorService)
                Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    }
}
