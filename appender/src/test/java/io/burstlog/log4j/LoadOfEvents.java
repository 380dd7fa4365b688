// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.apache.logging.log4j.Logger;

/** Several threads log numbered events, and the log file must have each of them once. */
final class LoadOfEvents {

    private final int threads;
    private final AtomicIntegerArray loggedOfThread;

    LoadOfEvents(final int threads) {
        this.threads = threads;
        this.loggedOfThread = new AtomicIntegerArray(threads);
    }

    int size() {
        int size = 0;
        for (int thread = 0; thread < threads; thread++) {
            size += loggedOfThread.get(thread);
        }
        return size;
    }

    void log(final Logger logger, final int eventsOfThread) throws Exception {
        log(logger, event -> event < eventsOfThread, () -> {});
    }

    /** The threads log until the disturbance has happened that many times. */
    void logUnder(final Runnable disturbance, final int times, final Logger logger) throws Exception {
        final CountDownLatch over = new CountDownLatch(1);
        log(logger, event -> over.getCount() > 0, () -> {
            for (int time = 0; time < times; time++) {
                disturbance.run();
            }
            over.countDown();
        });
    }

    private void log(final Logger logger, final IntPredicate goesOn, final Runnable meanwhile) throws Exception {
        final ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            final List<Future<?>> running = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                final int number = thread;
                running.add(executor.submit(() -> {
                    for (int event = 0; goesOn.test(event); event++) {
                        logger.info("thread {} event {}", number, event);
                        loggedOfThread.incrementAndGet(number);
                    }
                }));
            }
            meanwhile.run();
            for (final Future<?> future : running) {
                future.get();
            }
        } finally {
            executor.shutdown();
            assertThat(executor.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
        }
    }

    void assertExactlyOnceInOrder(final List<String> lines) {
        assertThat(lines).hasSize(size());
        for (int thread = 0; thread < threads; thread++) {
            final String prefix = "thread " + thread + " event ";
            final List<Integer> events = lines.stream()
                    .filter(line -> line.contains(prefix))
                    .map(line -> Integer.valueOf(line.substring(line.indexOf(prefix) + prefix.length())))
                    .toList();
            assertThat(events)
                    .isEqualTo(IntStream.range(0, loggedOfThread.get(thread))
                            .boxed()
                            .toList());
        }
    }
}
