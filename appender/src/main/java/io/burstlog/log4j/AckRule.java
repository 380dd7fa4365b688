// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.LogEvent;

/**
 * Decides whether the call that hands over an event returns only after the event is durable.
 *
 * <p>{@link LogEvent#isEndOfBatch()} alone decides nothing: Log4j leaves it {@code false} on every event that the
 * application's own thread logs, and that thread goes on as soon as the call returns. If another thread carries the
 * event (an async logger, an {@code AsyncAppender}), the application has long gone on. The carrying thread then waits
 * only at the last event of a batch, until that event and all before it are durable.
 *
 * <p>Immutable and safe for use by any thread.
 */
final class AckRule {

    private final boolean alwaysEnqueued;
    private final Level leastDurableLevel;

    private AckRule(final boolean alwaysEnqueued, final Level leastDurableLevel) {
        this.alwaysEnqueued = alwaysEnqueued;
        this.leastDurableLevel = leastDurableLevel;
    }

    /** Returns the rule by which every event is only enqueued. */
    static AckRule enqueued() {
        return new AckRule(true, null);
    }

    /** Returns the rule by which every event that its own thread logs is durable on return. */
    static AckRule durable() {
        return new AckRule(false, null);
    }

    /**
     * Returns the rule of {@link #durable()}, except that events less specific than {@code level} are only enqueued.
     */
    static AckRule durableFrom(final Level level) {
        return new AckRule(false, level);
    }

    boolean isDurableOnReturn(final LogEvent event) {
        if (alwaysEnqueued) {
            return false;
        }
        if (isHandedOver(event)) {
            return event.isEndOfBatch();
        }
        return leastDurableLevel == null || event.getLevel().isMoreSpecificThan(leastDurableLevel);
    }

    /** Tells whether a thread other than the one that logged the event carries it. */
    static boolean isHandedOver(final LogEvent event) {
        // Without a thread id this is unknown, and the event counts as carried by its own thread.
        final long loggingThread = event.getThreadId();
        return loggingThread > 0 && loggingThread != Thread.currentThread().getId();
    }
}
