// SPDX-License-Identifier: Apache-2.0
package io.burstlog.doors;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Tells the operator of log calls that failed or wait: the first at once, and while it lasts how many, once a minute.
 *
 * <p>Safe for use by any thread, also one that tells and is thereby made to log again.
 */
public final class LossReport {

    /** How often at most. */
    public static final Duration ONE_MINUTE = Duration.ofMinutes(1);

    private final Consumer<String> operator;
    private final long intervalNanos;
    private final AtomicLong untold = new AtomicLong();
    private volatile long nextNanos = System.nanoTime();
    private volatile Supplier<String> sentence;

    /** Once a minute. */
    public LossReport(Consumer<String> operator) {
        this(ONE_MINUTE, operator);
    }

    LossReport(Duration interval, Consumer<String> operator) {
        this.intervalNanos = interval.toNanos();
        this.operator = operator;
    }

    /**
     * Counts one, and tells it now or when a minute has passed since something was told.
     *
     * @param whatHappened makes the sentence, if this is the one that is told
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

    /** Something else has told it: what comes now is told a minute later. */
    public void wasTold() {
        nextNanos = System.nanoTime() + intervalNanos;
    }

    /** Tells what was not told yet, without waiting for the minute to end. */
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
