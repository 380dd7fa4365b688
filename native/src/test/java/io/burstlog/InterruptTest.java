// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import static io.burstlog.TempLog.line;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Interrupts that come during a call. {@link ThreadsTest} has one that was there before. */
@EachBinding
@Timeout(120)
class InterruptTest {

    private static final int THREADS = 4;
    private static final int RECORDS = 200;

    private final Binding binding;
    private TempLog temp;

    InterruptTest(Binding binding) {
        this.binding = binding;
    }

    @BeforeEach
    void createDirectory(@TempDir Path directory) {
        temp = new TempLog(directory, binding);
    }

    @Test
    void threadsThatAreInterruptedAllTheTimeLoseNothingAndStayInterrupted() throws Exception {
        Queue<String> acknowledged = new ConcurrentLinkedQueue<>();
        Queue<Throwable> thrown = new ConcurrentLinkedQueue<>();
        CountDownLatch interrupted = new CountDownLatch(THREADS);
        List<Thread> threads = new ArrayList<>();
        try (BurstLog log = temp.open()) {
            for (int t = 0; t < THREADS; t++) {
                String name = "thread " + t + " record ";
                threads.add(new Thread(() -> {
                    StaysInterrupted staysInterrupted = new StaysInterrupted();
                    try {
                        for (int i = 0; i < RECORDS; i++) {
                            String text = name + i;
                            if (i % 4 == 0) {
                                log.awaitDurable(log.enqueue(line(text)), TempLog.LONG_ENOUGH);
                            } else if (i % 4 == 1) {
                                log.enqueue(line(text));
                                assertThat(log.awaitDrained(TempLog.LONG_ENOUGH))
                                        .isTrue();
                            } else {
                                log.append(line(text));
                            }
                            acknowledged.add(text);
                            staysInterrupted.check();
                        }
                        assertThat(Thread.currentThread().isInterrupted()).isTrue();
                        interrupted.countDown();
                    } catch (Throwable failure) {
                        thrown.add(failure);
                    }
                }));
            }
            threads.forEach(Thread::start);
            while (interrupted.getCount() > 0 && thrown.isEmpty()) {
                threads.forEach(Thread::interrupt);
                Thread.sleep(0, 200_000);
            }
            for (Thread thread : threads) {
                thread.join();
            }
        }
        assertThat(thrown).isEmpty();
        assertThat(acknowledged).hasSize(THREADS * RECORDS);
        assertThat(temp.lines()).containsExactlyInAnyOrderElementsOf(acknowledged);
    }

    /** Once the flag is set, no call may clear it. */
    private static final class StaysInterrupted {

        private boolean seen;

        void check() {
            boolean set = Thread.currentThread().isInterrupted();
            assertThat(set || !seen).as("the flag is still set").isTrue();
            seen = set;
        }
    }

    @Test
    void anInterruptedThreadClosesALogWhoseListenerIsSlow() throws IOException {
        int times = 1;
        while (!closeWaitsForTheListener()) {
            assertThat(times++).as("closes that gave the listener up").isLessThan(20);
        }
        assertThat(temp.lines()).hasSize(times).containsOnly("order");
    }

    /**
     * Says whether the listener had ended when close returned. A close gives it up after one second, and not before.
     */
    private boolean closeWaitsForTheListener() {
        CountDownLatch told = new CountDownLatch(1);
        Thread[] listening = new Thread[1];
        BurstConfig config = temp.config()
                .listener(event -> {
                    listening[0] = Thread.currentThread();
                    try {
                        Thread.sleep(50);
                    } catch (InterruptedException nobodyDoes) {
                        throw new AssertionError(nobodyDoes);
                    }
                    told.countDown();
                })
                .build();
        try {
            BurstLog log = BurstLog.open(config);
            log.append(line("order"));
            Thread.currentThread().interrupt();
            long begin = System.nanoTime();
            log.close();
            boolean gaveUp = System.nanoTime() - begin >= TimeUnit.SECONDS.toNanos(1);
            boolean ended = told.getCount() == 0 && !listening[0].isAlive();
            assertThat(ended || gaveUp).as("close waits for the last event").isTrue();
            return ended;
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
    }
}
