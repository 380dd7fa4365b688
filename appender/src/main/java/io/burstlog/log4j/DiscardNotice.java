// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import io.burstlog.BurstException;
import io.burstlog.doors.LossReport;
import java.io.Serializable;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.core.Layout;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.impl.Log4jLogEvent;
import org.apache.logging.log4j.message.SimpleMessage;
import org.apache.logging.log4j.status.StatusLogger;

/**
 * Counts the events that {@code onFull="discard"} dropped, and puts one WARN line into the log as soon as the ring
 * takes records again, so that the gap is seen where it is. The line comes before the next event that fits; if no
 * further event comes, a timer writes it. The operator gets an ERROR as long as events are discarded, and also if no
 * line can be written.
 *
 * <p>Safe for use by any thread.
 */
final class DiscardNotice {

    private static final Logger LOGGER = StatusLogger.getLogger();

    private static final Executor LATER = CompletableFuture.delayedExecutor(100, TimeUnit.MILLISECONDS);

    private final EventStream stream;
    private final AtomicLong discarded = new AtomicLong();
    private final LossReport losses = new LossReport(sentence -> LOGGER.error("Burst: {}", sentence));

    /** The thread that writes the line holds this permit, so that no event is reported twice. */
    private final Semaphore writing = new Semaphore(1);

    private volatile Layout<? extends Serializable> layout;

    DiscardNotice(final EventStream stream) {
        this.stream = stream;
    }

    /** Counts one discarded event, and keeps its layout for the line. */
    void add(final Layout<? extends Serializable> layoutOfEvent) {
        layout = layoutOfEvent;
        losses.add(stream::sentenceOfDiscard);
        if (discarded.getAndIncrement() == 0) {
            LATER.execute(this::writeOrTryLater);
        }
    }

    private void writeOrTryLater() {
        boolean done;
        try {
            done = write();
        } catch (final BurstException closedOrFailed) {
            tellOperator(closedOrFailed.getMessage());
            done = true;
        } catch (final Throwable layoutDied) {
            // The layout died, perhaps of too little memory. Tries again later, since no further event may come.
            done = false;
        }
        if (!done) {
            LATER.execute(this::writeOrTryLater);
        }
    }

    /** Writes the line if there is something to say and the ring has space. Returns whether nothing is left to say. */
    boolean write() {
        if (discarded.get() == 0) {
            return true;
        }
        // If another thread has the permit, this one does not wait: it has an event to log, and the line may then come
        // after that event.
        if (!writing.tryAcquire()) {
            return false;
        }
        return writeAndRelease(Duration.ZERO);
    }

    private boolean writeAndRelease(final Duration patience) {
        try {
            final long count = discarded.get();
            if (count > 0 && isTold(count, patience)) {
                discarded.addAndGet(-count);
            }
            return discarded.get() == 0;
        } finally {
            writing.release();
        }
    }

    /**
     * Returns whether the line was told: it is in the ring, or with the operator if no layout or record can hold it.
     */
    private boolean isTold(final long count, final Duration patience) {
        try {
            return stream.writeNotice(eventFor(count), layout, patience);
        } catch (final BurstException closedOrFailed) {
            throw closedOrFailed;
        } catch (final RuntimeException noLine) {
            LOGGER.error("Burst: {}; the log itself cannot say so: {}", sentence(count), noLine.getMessage());
            return true;
        }
    }

    /** Writes the line before the ring is closed. Waits for space, at most this long. */
    void writeBeforeClose(final Duration patience) {
        // Waits until another thread has written its line, which would otherwise find the ring closed.
        writing.acquireUninterruptibly();
        try {
            writeAndRelease(patience);
        } catch (final BurstException failed) {
            tellOperator(failed.getMessage());
        }
    }

    /** Tells the operator, because the ring takes no line any more. */
    void tellOperator(final String reason) {
        losses.tell();
        writing.acquireUninterruptibly();
        try {
            final long count = discarded.getAndSet(0);
            if (count > 0) {
                LOGGER.error("Burst: {}; the log itself does not say so: {}", sentence(count), reason);
            }
        } finally {
            writing.release();
        }
    }

    private LogEvent eventFor(final long count) {
        return Log4jLogEvent.newBuilder()
                .setLoggerName(BurstAppender.class.getName())
                .setLevel(Level.WARN)
                .setMessage(new SimpleMessage(sentence(count)))
                .build();
    }

    private String sentence(final long count) {
        return count + (count == 1 ? " event was" : " events were") + " discarded, because the ring "
                + stream.ring().name() + " was full and onFull is \"discard\"";
    }
}
