// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import static io.burstlog.TempLog.line;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@EachBinding
@Timeout(120)
class ThreadsTest {

    private static final int THREADS = 8;
    private static final int RECORDS = 500;

    private final Binding binding;
    private TempLog temp;

    ThreadsTest(Binding binding) {
        this.binding = binding;
    }

    @BeforeEach
    void createDirectory(@TempDir Path directory) {
        temp = new TempLog(directory, binding);
    }

    @Test
    void recordsOfManyThreadsAreInTheFileOnceInTheOrderOfEachThread() throws Exception {
        try (BurstLog log = temp.open()) {
            appendFrom(Executors.newFixedThreadPool(THREADS), log);
        }
        assertEachThreadsRecordsOnceInOrder();
    }

    @Test
    void virtualThreadsAppendLikeAnyOther() throws Exception {
        Skip.unless(Runtime.version().feature() >= 21, "virtual threads need JDK 21, this is " + Runtime.version());
        Object executor =
                Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        try (BurstLog log = temp.open()) {
            appendFrom((ExecutorService) executor, log);
        }
        assertEachThreadsRecordsOnceInOrder();
    }

    @Test
    void aRecordAppendedWhileAnotherThreadClosesIsDurableOrRefused() throws Exception {
        for (int round = 0; round < 10; round++) {
            closeWhileAppending(round);
        }
    }

    private void closeWhileAppending(int round) throws Exception {
        Queue<String> acknowledged = new ConcurrentLinkedQueue<>();
        Queue<Throwable> unexpected = new ConcurrentLinkedQueue<>();
        CountDownLatch running = new CountDownLatch(THREADS);
        List<Thread> threads = new ArrayList<>();
        BurstLog log = temp.open();
        for (int t = 0; t < THREADS; t++) {
            String name = "round " + round + " thread " + t + " record ";
            threads.add(new Thread(() -> {
                try {
                    for (int i = 0; ; i++) {
                        log.append(line(name + i));
                        acknowledged.add(name + i);
                        running.countDown();
                    }
                } catch (BurstException refused) {
                    if (refused.code() != BurstException.Code.CLOSED) {
                        unexpected.add(refused);
                    }
                } catch (Throwable failure) {
                    unexpected.add(failure);
                }
            }));
        }
        threads.forEach(Thread::start);
        running.await();
        log.close();
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(unexpected).isEmpty();
        assertThat(temp.lines()).doesNotHaveDuplicates().containsAll(acknowledged);
    }

    @Test
    void anInterruptedThreadAppendsAndStaysInterrupted() throws IOException {
        try (BurstLog log = temp.open()) {
            Thread.currentThread().interrupt();
            assertThat(log.append(line("order"))).isEqualTo(1);
            assertThat(log.awaitDurable(log.enqueue(line("more")), TempLog.LONG_ENOUGH))
                    .isTrue();
            log.flush();
            log.close();
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
        assertThat(temp.lines()).containsExactly("order", "more");
    }

    /** Each task mixes all ways to write, so that durable and background commits meet. */
    private static void appendFrom(ExecutorService executor, BurstLog log) throws Exception {
        List<Future<?>> tasks = new ArrayList<>();
        for (int t = 0; t < THREADS; t++) {
            String name = "thread " + t + " record ";
            tasks.add(executor.submit(() -> {
                for (int i = 0; i < RECORDS; i++) {
                    byte[] record = line(name + i);
                    long sequence = i % 3 == 0 ? log.enqueue(record) : log.append(record);
                    if (sequence <= 0) {
                        fail("no sequence: " + sequence);
                    }
                }
            }));
        }
        for (Future<?> task : tasks) {
            task.get();
        }
        executor.shutdown();
        assertThat(executor.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
    }

    private void assertEachThreadsRecordsOnceInOrder() throws IOException {
        List<String> lines = temp.lines();
        assertThat(lines).hasSize(THREADS * RECORDS);
        Map<String, Integer> next = new HashMap<>();
        for (String line : lines) {
            int split = line.lastIndexOf(' ');
            int expected = next.merge(line.substring(0, split), 1, Integer::sum) - 1;
            assertThat(Integer.parseInt(line.substring(split + 1))).isEqualTo(expected);
        }
    }
}
