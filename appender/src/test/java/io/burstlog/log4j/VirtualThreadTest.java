// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
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
            assertThat(log4j.orders().manager().log().durableSequence()).isEqualTo(EVENTS);
        }
        assertThat(directory.lines()).hasSize(EVENTS).doesNotHaveDuplicates();
    }

    private static ExecutorService virtualThreads() throws Exception {
        Skipped.unless(Runtime.version().feature() >= 21, "virtual threads need JDK 21 or later");
        return (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    }
}
