// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.status.StatusLogger;

/**
 * Tells the operator of log calls that failed or wait: the first at once, and while it lasts how many, once a minute.
 * Each line is an ERROR, because that is all that Log4j's status logger shows unless it is told otherwise.
 *
 * <p>Safe for use by any thread, also one that tells and is thereby made to log again.
 */
final class LossReport {

    static final Duration ONE_MINUTE = Duration.ofMinutes(1);

    private static final Logger LOGGER = StatusLogger.getLogger();

    private final long intervalNanos;
    private final AtomicLong untold = new AtomicLong();
    private volatile long nextNanos = System.nanoTime();
    private volatile Supplier<String> sentence;

    LossReport(final Duration interval) {
        this.intervalNanos = interval.toNanos();
    }

    /**
     * Counts one, and tells it now or when a minute has passed since something was told.
     *
     * @param whatHappened makes the sentence, if this is the one that is told
     */
    void add(final Supplier<String> whatHappened) {
        sentence = whatHappened;
        if (untold.getAndIncrement() > 0) {
            return;
        }
        final long waitNanos = nextNanos - System.nanoTime();
        if (waitNanos <= 0) {
            tell();
        } else {
            CompletableFuture.delayedExecutor(waitNanos, TimeUnit.NANOSECONDS).execute(this::tell);
        }
    }

    /** Something else has told it: what comes now is told a minute later. */
    void wasTold() {
        nextNanos = System.nanoTime() + intervalNanos;
    }

    /** Tells what was not told yet, without waiting for the minute to end. */
    void tell() {
        if (untold.get() == 0) {
            return;
        }
        wasTold();
        final long count = untold.getAndSet(0);
        if (count == 1) {
            LOGGER.error(sentence.get());
        } else if (count > 1) {
            LOGGER.error("{} This has happened {} times since it was last told.", sentence.get(), count);
        }
    }
}
