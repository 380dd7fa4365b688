// SPDX-License-Identifier: Apache-2.0
package io.burstlog.doors;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Tells the operator about log calls that failed or wait. It tells the first one at once, and then, while it lasts,
 * their number once a minute.
 *
 * <p>Safe for use by any thread, even if telling the operator makes the thread log again.
 */
public final class LossReport {

    /** The shortest time between two sentences. */
    public static final Duration ONE_MINUTE = Duration.ofMinutes(1);

    private final Consumer<String> operator;
    private final long intervalNanos;
    private final AtomicLong untold = new AtomicLong();
    private volatile long nextNanos = System.nanoTime();
    private volatile Supplier<String> sentence;

    /** Makes a report that tells at most once a minute. */
    public LossReport(Consumer<String> operator) {
        this(ONE_MINUTE, operator);
    }

    LossReport(Duration interval, Consumer<String> operator) {
        this.intervalNanos = interval.toNanos();
        this.operator = operator;
    }

    /**
     * Counts one log call, and tells the operator now, or once a minute has passed since the last sentence.
     *
     * @param whatHappened makes the sentence if this call is the one that is told
     */
    public void add(Supplier<String> whatHappened) {
        sentence = whatHappened;
        if (untold.getAndIncrement() > 0) {
            return;
        }
        long waitNanos = nextNanos - System.nanoTime();
        if (waitNanos <= 0) {
            tell();
        } else {
            CompletableFuture.delayedExecutor(waitNanos, TimeUnit.NANOSECONDS).execute(this::tell);
        }
    }

    /** Notes that somebody else has told the operator: the next sentence comes a minute later. */
    public void wasTold() {
        nextNanos = System.nanoTime() + intervalNanos;
    }

    /** Tells the calls that were not told yet, without waiting for the minute to end. */
    public void tell() {
        if (untold.get() == 0) {
            return;
        }
        wasTold();
        long count = untold.getAndSet(0);
        if (count == 1) {
            operator.accept(sentence.get());
        } else if (count > 1) {
            operator.accept(sentence.get() + " This has happened " + count + " times since it was last told.");
        }
    }
}
