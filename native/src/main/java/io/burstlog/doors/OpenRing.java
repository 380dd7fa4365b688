// SPDX-License-Identifier: Apache-2.0
package io.burstlog.doors;

import io.burstlog.BurstEvent;
import io.burstlog.BurstEvent.Severity;
import io.burstlog.BurstException;
import io.burstlog.BurstLog;
import io.burstlog.BurstStats;
import io.burstlog.jmx.Registration;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** One open ring with all its streams. Safe for use by any thread, also after it was closed. */
public final class OpenRing {

    private static final Duration DEFAULT_SHUTDOWN_TIMEOUT = Duration.ofSeconds(10);

    private final RingTerms terms;
    private final String place;
    private final BurstLog log;
    private final int maxRecordBytes;
    private final LongAdder vainNotices = new LongAdder();
    private final Set<String> leftFiles = ConcurrentHashMap.newKeySet();
    private final Shown management;

    /** Null if the ring has none. */
    private final RingCopy copy;

    /** The holder that hears the ring's events: one that has a log file of the ring, or the last one that had. */
    private volatile Holder operator;

    /**
     * Opens the ring. Missing folders are made.
     *
     * @param terms the settings of the ring
     * @param first the holder that asks for the ring, and through which the operator hears the ring's events
     * @throws BurstException if it cannot be opened
     */
    public OpenRing(RingTerms terms, Holder first) {
        this.terms = terms;
        this.place = first.place();
        this.operator = first;
        this.log = BurstLog.open(terms.config().toBuilder()
                .listener(event -> operator.hear(event))
                .build());
        try {
            this.maxRecordBytes = (int) log.stats().maxRecordBytes();
            this.copy = RingCopy.start(terms, log, event -> operator.hear(event));
            this.management = Shown.of(
                    terms.jmx(),
                    () -> Registration.ofRing(terms.ring(), log, vainNotices::sum, () -> RingCopy.place(copy)),
                    this::operator);
        } catch (RuntimeException | Error failure) {
            log.close();
            throw failure;
        }
    }

    /** {@return the settings of the ring} */
    public RingTerms terms() {
        return terms;
    }

    /** Returns the place of the configuration that opened the ring. */
    String place() {
        return place;
    }

    Holder operator() {
        return operator;
    }

    void setOperator(Holder next) {
        operator = next;
    }

    /** {@return the canonical name of the ring} */
    public String name() {
        return terms.ring();
    }

    /** {@return the log of the engine} */
    public BurstLog log() {
        return log;
    }

    /** {@return the copy; null if the ring has none} */
    RingCopy copy() {
        return copy;
    }

    /** {@return the length of the longest record, in bytes} */
    public int maxRecordBytes() {
        return maxRecordBytes;
    }

    /**
     * Counts a line about discarded events that found no space. The engine counts it as a call for an event, from which
     * the figures subtract it.
     */
    public void countVainNotice() {
        vainNotices.increment();
    }

    /** {@return how long a stop takes at most} */
    public Duration shutdownTimeout() {
        Duration configured = terms.config().shutdownTimeout();
        return configured.isZero() ? DEFAULT_SHUTDOWN_TIMEOUT : configured;
    }

    /**
     * Makes every enqueued event durable.
     *
     * @return whether all are durable within the timeout
     * @throws BurstException if the ring has failed
     */
    public boolean commit(Duration timeout) {
        return log.awaitDurable(log.stats().acceptedSequence(), timeout);
    }

    /** {@return whether the ring is closed} */
    public boolean isClosed() {
        return log.stats().state() == BurstStats.State.CLOSED;
    }

    /** {@return whether everything accepted is durable; may be called during and after the close of the ring, too} */
    public boolean isAllDurable() {
        var stats = log.stats();
        return stats.durableSequence() == stats.acceptedSequence();
    }

    /** Notes a log file that may still lack records when the ring is closed. */
    void addLeftFile(String file) {
        leftFiles.add(file);
    }

    /**
     * Makes everything durable, drains and lets go of the ring and of the log files that are still open. Records that
     * are left in the ring reach their log file at the next open.
     *
     * @throws BurstException if accepted events could not be made durable; the ring is closed all the same. Or if the
     *     timeout is over first; the close then goes on by itself
     */
    void close(Duration timeout) {
        management.end();
        long begin = System.nanoTime();
        try {
            closeLog(timeout, begin);
            tellWhatIsLeft(timeout, Duration.ofNanos(System.nanoTime() - begin));
        } finally {
            tell(
                    Severity.INFO,
                    "ring " + name() + " is closed; where its time went, in us: "
                            + StageLine.of(log.stats().stages()) + ".");
        }
    }

    /** The copy gets records while the log is closed, which ends with the copier's last confirmation, or its time. */
    private void closeLog(Duration timeout, long begin) {
        try {
            log.close(timeout);
        } finally {
            if (copy != null) {
                copy.close(left(timeout, begin));
            }
        }
    }

    /**
     * Tells the operator how many records are not drained. This is no ERROR, since they are durable and nobody waits
     * for them.
     */
    private void tellWhatIsLeft(Duration timeout, Duration taken) {
        var left = log.stats();
        if (left.drainedSequence() < left.acceptedSequence()) {
            // The engine keeps the last quarter of the time for letting go of ring and log file.
            boolean isOver = taken.compareTo(timeout.minus(timeout.dividedBy(4))) >= 0;
            long records = left.acceptedSequence() - left.drainedSequence();
            if (terms.isDrainedElsewhere()) {
                tell(
                        Severity.INFO,
                        records + " records are durable in the ring " + name() + ", and `burstlog drain` moves them to "
                                + String.join(", ", new TreeSet<>(leftFiles)) + ".");
                return;
            }
            tell(
                    Severity.WARN,
                    records + " records are durable in the ring " + name()
                            + " and not yet in the log file " + String.join(", ", new TreeSet<>(leftFiles)) + ", "
                            + (isOver
                                    ? "because shutdownTimeout, " + Units.of(shutdownTimeout()) + ", was over"
                                    : "because that could not be written")
                            + ". They reach it at the next start, or by `burstlog recover " + name() + "`.");
        }
    }

    void tell(Severity severity, String sentence) {
        operator.hear(new BurstEvent(severity, Instant.now(), sentence));
    }

    /** {@return the rest of a time; never zero, because the engine would take zero for no limit} */
    public static Duration left(Duration time, long beginNanos) {
        Duration left = time.minusNanos(System.nanoTime() - beginNanos);
        return left.compareTo(Duration.ofNanos(1)) < 0 ? Duration.ofNanos(1) : left;
    }
}
