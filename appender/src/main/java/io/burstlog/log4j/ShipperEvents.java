// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import java.io.Serializable;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.Layout;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.impl.Log4jLogEvent;
import org.apache.logging.log4j.message.SimpleMessage;

/**
 * Bounds what a shipper and its client log into the log that they ship. A client without brokers logs some hundred
 * lines a second. They would fill the disk as long as the brokers are away, and the topic would get them afterwards.
 * {@link #MOST_A_MINUTE} events a minute are enough to see what is the matter. Events from WARN on are counted apart,
 * so that no flood of INFO hides them. A WARN line says how many events were left out: at most once a minute, before
 * the next event that is logged, and at the end.
 *
 * <p>Safe for use by any thread.
 */
final class ShipperEvents {

    /** The number of events that are logged in a minute, for those below WARN and for those from WARN on each. */
    static final int MOST_A_MINUTE = 100;

    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

    private final EventStream stream;
    private final LongSupplier nanos;
    private final Budget low = new Budget();
    private final Budget high = new Budget();
    private long leftOut;
    private long told;
    private Layout<? extends Serializable> layout;

    ShipperEvents(final EventStream stream, final LongSupplier nanos) {
        this.stream = stream;
        this.nanos = nanos;
        told = nanos.getAsLong() - MINUTE;
    }

    /** Returns whether the event is to be logged; counts it if not. */
    synchronized boolean take(final LogEvent event, final Layout<? extends Serializable> layoutOfEvent) {
        final long now = nanos.getAsLong();
        layout = layoutOfEvent;
        if (!(event.getLevel().isMoreSpecificThan(Level.WARN) ? high : low).take(now)) {
            leftOut++;
            return false;
        }
        if (leftOut > 0 && now - told >= MINUTE) {
            tell(now);
        }
        return true;
    }

    /** Writes the line before the ring is closed. */
    synchronized void tellBeforeClose() {
        if (leftOut > 0) {
            tell(nanos.getAsLong());
        }
    }

    private void tell(final long now) {
        try {
            if (stream.writeNotice(eventFor(leftOut), layout, Duration.ZERO)) {
                leftOut = 0;
                told = now;
            }
        } catch (final RuntimeException noLine) {
            told = now; // A failed ring or layout tells its failure itself; the count stays for the next line.
        }
    }

    private static LogEvent eventFor(final long count) {
        return Log4jLogEvent.newBuilder()
                .setLoggerName(BurstAppender.class.getName())
                .setLevel(Level.WARN)
                .setMessage(new SimpleMessage(count + (count == 1 ? " event" : " events")
                        + " of what passes this log on, and of its client, were left out: more than " + MOST_A_MINUTE
                        + " a minute. Give their loggers, as org.apache.kafka, another appender to have all of them."))
                .build();
    }

    /** Counts the events of the current minute, and allows {@link #MOST_A_MINUTE}. */
    private static final class Budget {

        private long begin;
        private int taken;
        private boolean isBegun;

        boolean take(final long now) {
            if (!isBegun || now - begin >= MINUTE) {
                isBegun = true;
                begin = now;
                taken = 0;
            }
            return taken++ < MOST_A_MINUTE;
        }
    }
}
