// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static io.burstlog.log4j.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Interrupts while a log call waits and while an appender stops. */
@Timeout(600)
class InterruptTest {

    private static final int THREADS = 4;

    @TempDir
    Path temporary;

    private OrdersDirectory directory;

    @BeforeEach
    void chooseDirectory() {
        directory = new OrdersDirectory(temporary);
    }

    @Test
    void a_call_that_waits_for_space_outlives_interrupts_and_leaves_the_flag_set() throws Exception {
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst()))) {
            assertInterruptsChangeNothing(log4j);
        }
        assertThat(directory.lines()).hasSize(THREADS * FullRing.EVENTS);
    }

    @Test
    void so_does_a_call_under_a_rule_that_came_with_a_reconfiguration() throws Exception {
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst()))) {
            log4j.reconfigure(RunningLog4j.xml(directory.burst("blockTimeout=\"10 min\"")));
            assertInterruptsChangeNothing(log4j);
        }
        assertThat(directory.lines()).hasSize(THREADS * FullRing.EVENTS);
    }

    private static void assertInterruptsChangeNothing(final RunningLog4j log4j) throws Exception {
        final AtomicInteger interruptedAtTheEnd = new AtomicInteger();
        final List<Thread> threads = new ArrayList<>();
        try (FileSizeLimit limit = FullRing.withoutDrain()) {
            for (int t = 0; t < THREADS; t++) {
                threads.add(new Thread(() -> {
                    FullRing.logMoreThanFits(log4j.logger());
                    interruptedAtTheEnd.addAndGet(Thread.currentThread().isInterrupted() ? 1 : 0);
                }));
            }
            threads.forEach(Thread::start);
            await().until(() -> log4j.orders().ring().log().stats().fullWaits() > 0);
            // Certainly interrupts each thread once while it waits; then all of them again and again.
            for (int time = 0; time < 100; time++) {
                threads.forEach(Thread::interrupt);
                TimeUnit.MILLISECONDS.sleep(1);
            }
            assertThat(threads).allMatch(Thread::isAlive);
        }
        for (final Thread thread : threads) {
            thread.join();
        }
        assertThat(interruptedAtTheEnd).hasValue(THREADS);
        assertThat(log4j.allIsDurable()).isTrue();
    }

    @Test
    void an_interrupted_stop_writes_everything_all_the_same_and_leaves_the_flag_set() {
        final RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(directory.burst("ack=\"enqueued\"")));
        try {
            FullRing.logMoreThanFits(log4j.logger());
            Thread.currentThread().interrupt();
            assertThat(log4j.orders().stop(0, TimeUnit.MILLISECONDS)).isTrue();
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
        } finally {
            Thread.interrupted();
            log4j.close();
        }
        assertThat(directory.lines()).hasSize(FullRing.EVENTS);
    }
}
