// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bridge;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * Tells an operator of log calls that failed: the first at once, and while that lasts how many, with the first call
 * after each minute.
 *
 * <p>Safe for use by any thread. Whoever is told is called by the thread whose call failed, without a lock.
 */
public final class Losses {

    private static final long ONE_MINUTE_NANOS = Duration.ofMinutes(1).toNanos();

    private final Consumer<String> operator;
    private long nextNanos = System.nanoTime();
    private long untold;
    private String last;

    /** @param operator is told a sentence */
    public Losses(Consumer<String> operator) {
        this.operator = operator;
    }

    /**
     * Counts one, and tells it unless something was told less than a minute ago.
     *
     * @param sentence what happened
     */
    public void add(String sentence) {
        String told;
        synchronized (this) {
            untold++;
            last = sentence;
            told = System.nanoTime() - nextNanos >= 0 ? take() : null;
        }
        tell(told);
    }

    /** Tells what was not told yet. */
    public void end() {
        String told;
        synchronized (this) {
            told = take();
        }
        tell(told);
    }

    private String take() {
        if (untold == 0) {
            return null;
        }
        String told = untold == 1 ? last : last + " This has happened " + untold + " times since it was last told.";
        untold = 0;
        nextNanos = System.nanoTime() + ONE_MINUTE_NANOS;
        return told;
    }

    private void tell(String sentence) {
        if (sentence != null) {
            operator.accept(sentence);
        }
    }
}
