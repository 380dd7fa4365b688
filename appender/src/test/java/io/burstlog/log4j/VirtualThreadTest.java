// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static io.burstlog.log4j.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.burstlog.BurstConfig;
import io.burstlog.BurstLog;
import io.burstlog.BurstStream;
import io.burstlog.Durability;
import io.burstlog.StreamConfig;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
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

    @Test
    void virtual_threads_wait_for_space_parked_and_others_run_meanwhile() throws Exception {
        final ExecutorService executor = virtualThreads();
        final int waiting = 3 * Runtime.getRuntime().availableProcessors() + FullRing.EVENTS;
        final CountDownLatch ran = new CountDownLatch(1);
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst()))) {
            final Thread platform = new Thread(() -> log4j.logger().info("platform"));
            try (FileSizeLimit limit = FullRing.withoutDrain()) {
                for (int i = 0; i < waiting; i++) {
                    executor.execute(() -> log4j.logger().info(FullRing.LARGE));
                }
                await().until(() -> log4j.orders().ring().log().stats().fullWaits() > 0);
                platform.start();
                executor.execute(ran::countDown);
                assertThat(ran.await(60, TimeUnit.SECONDS))
                        .as("a thread that logs nothing runs")
                        .isTrue();
            }
            ((AutoCloseable) executor).close();
            platform.join();
        }
        assertThat(directory.lines()).hasSize(waiting + 1).contains("INFO platform");
    }

    /** An encoder has 4 KB outside the heap. */
    @Test
    void virtual_threads_that_wait_for_space_keep_no_buffer() throws Exception {
        final ExecutorService executor = virtualThreads();
        final int waiting = 5_000;
        final AtomicInteger begun = new AtomicInteger();
        FullRing.makeLong(directory.file());
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst()))) {
            log4j.logger().info("before");
            try (FileSizeLimit limit = FullRing.withoutDrain()) {
                FullRing.fill(log4j.orders().stream().records());
                final long before = bytesOutsideTheHeap();
                for (int i = 0; i < waiting; i++) {
                    executor.execute(() -> {
                        begun.incrementAndGet();
                        log4j.logger().info("order");
                    });
                }
                await().until(() -> begun.get() == waiting);
                assertThat(bytesOutsideTheHeap() - before).isLessThan(waiting * 4_096L / 10);
            }
            ((AutoCloseable) executor).close();
        }
        assertThat(directory.lines().stream().filter(line -> line.endsWith("INFO order")))
                .hasSize(waiting);
    }

    private static long bytesOutsideTheHeap() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
    }

    /** All of them would hold their carriers until the medium goes on, and the JVM has no more of these. */
    @Test
    void virtual_threads_wait_for_a_medium_that_hangs_and_others_run_meanwhile() throws Exception {
        final ExecutorService executor = virtualThreads();
        final int waiting = 3 * Runtime.getRuntime().availableProcessors();
        final AtomicInteger returned = new AtomicInteger();
        try (FreezableFileSystem fileSystem = FreezableFileSystem.in(temporary)) {
            directory =
                    new OrdersDirectory(Files.createDirectory(fileSystem.path().resolve("orders")));
            try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst()))) {
                log4j.logger().info("before");
                try (FreezableFileSystem.Frozen frozen = fileSystem.freeze()) {
                    for (int i = 0; i < waiting; i++) {
                        executor.execute(() -> {
                            log4j.logger().info("order");
                            returned.incrementAndGet();
                        });
                    }
                    for (int i = 0; i < 20; i++) {
                        final CountDownLatch ticked = new CountDownLatch(1);
                        executor.execute(ticked::countDown);
                        assertThat(ticked.await(60, TimeUnit.SECONDS))
                                .as("tick %s", i)
                                .isTrue();
                    }
                    assertThat(returned.get()).isZero();
                }
                ((AutoCloseable) executor).close();
                assertThat(returned.get()).isEqualTo(waiting);
            }
            assertThat(directory.lines()).hasSize(waiting + 1);
        }
    }

    /** The copy gets the event of each thread only if no thread before it holds its carrier. */
    @Test
    void a_thousand_virtual_threads_wait_parked_for_the_copy() throws Exception {
        final ExecutorService executor = virtualThreads();
        final int waiting = 1_000;
        final AtomicInteger returned = new AtomicInteger();
        final MemoryCopy copy = MemoryCopy.come();
        final String burst = directory.burst(
                "io=\"pwrite\" ack=\"copied\"",
                OrdersDirectory.MESSAGE
                        + "<BookKeeper><Property name=\"metadataServiceUri\">zk://here/ledgers</Property>"
                        + "</BookKeeper>");
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(burst))) {
            copy.hold();
            for (int i = 0; i < waiting; i++) {
                final int number = i;
                executor.execute(() -> {
                    log4j.logger().info("order {}", number);
                    returned.incrementAndGet();
                });
            }
            await().until(() -> copy.lines().size() == waiting);
            assertThat(returned.get()).isZero();
            copy.release();
            ((AutoCloseable) executor).close();
            assertThat(returned.get()).isEqualTo(waiting);
        } finally {
            MemoryCopy.go();
        }
        assertThat(directory.lines()).hasSize(waiting).doesNotHaveDuplicates();
    }

    @Test
    void a_virtual_thread_opens_waits_in_every_way_and_closes() throws Exception {
        final ExecutorService executor = virtualThreads();
        final BurstConfig config = BurstConfig.builder()
                .ring(temporary.resolve("own.ring").toString())
                .fileName(temporary.resolve("own.log").toString())
                .durability(Durability.PROCESS)
                .build();
        final Future<String> whole = executor.submit(() -> {
            final StringBuilder seen = new StringBuilder();
            try (BurstLog log = BurstLog.open(config)) {
                final BurstStream audit = log.stream(
                        "audit",
                        StreamConfig.builder()
                                .fileName(temporary.resolve("audit.log").toString())
                                .build());
                seen.append(log.append("one\n".getBytes(StandardCharsets.UTF_8)));
                final long second = audit.enqueue("two\n".getBytes(StandardCharsets.UTF_8));
                seen.append(second).append(log.awaitDurable(second, Duration.ofMinutes(1)));
                seen.append(audit.awaitDrained(Duration.ofMinutes(1)));
                log.enqueue("three\n".getBytes(StandardCharsets.UTF_8));
                log.flush();
                seen.append(log.durableSequence()).append(log.awaitDrained(Duration.ofMinutes(1)));
                audit.close();
            }
            return seen.toString();
        });
        assertThat(whole.get(2, TimeUnit.MINUTES)).isEqualTo("12truetrue3true");
        ((AutoCloseable) executor).close();
        assertThat(temporary.resolve("own.log")).hasContent("one\nthree\n");
        assertThat(temporary.resolve("audit.log")).hasContent("two\n");
    }

    private static ExecutorService virtualThreads() throws Exception {
        Skipped.unless(Runtime.version().feature() >= 21, "virtual threads need JDK 21 or later");
        return (ExecutorService)
                Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    }
}
