// SPDX-License-Identifier: Apache-2.0
package io.burstlog.doors;

import io.burstlog.BurstEvent;
import io.burstlog.BurstEvent.Severity;
import io.burstlog.BurstException;
import io.burstlog.BurstLog;
import io.burstlog.jmx.Registration;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** One open ring, whatever is written to it. Safe for use by any thread, also after it was closed. */
public final class OpenRing {

    private static final Duration DEFAULT_SHUTDOWN_TIMEOUT = Duration.ofSeconds(10);

    private final RingTerms terms;
    private final String place;
    private final BurstLog log;
    private final int maxRecordBytes;
    private final LongAdder vainNotices = new LongAdder();
    private final Set<String> leftFiles = ConcurrentHashMap.newKeySet();
    private final Shown management;

    /** Of those who have a log file of the ring, or the last one that had. */
    private volatile Holder operator;

    /**
     * Opens the ring. Missing folders are made.
     *
     * @param terms what is said of it
     * @param first who asks for it; the operator hears by it what the ring has to tell
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
            this.management = Shown.of(
                    terms.jmx(), () -> Registration.ofRing(terms.ring(), log, vainNotices::sum), this::operator);
        } catch (RuntimeException | Error failure) {
            log.close();
            throw failure;
        }
    }

    /** {@return what is said of it} */
    public RingTerms terms() {
        return terms;
    }

    /** Where the configuration stands that it was opened by. */
    String place() {
        return place;
    }

    Holder operator() {
        return operator;
    }

    void setOperator(Holder next) {
        operator = next;
    }

    /** {@return its one name} */
    public String name() {
        return terms.ring();
    }

    /** {@return the log of the engine} */
    public BurstLog log() {
        return log;
    }

    /** {@return the length of the longest record, in bytes} */
    public int maxRecordBytes() {
        return maxRecordBytes;
    }

    /** A line about discarded events found no space; the engine takes that for a call like that of an event. */
    public void countVainNotice() {
        vainNotices.increment();
    }

    /** {@return how long a stop takes at most} */
    public Duration shutdownTimeout() {
        Duration configured = terms.config().shutdownTimeout();
        return configured.isZero() ? DEFAULT_SHUTDOWN_TIMEOUT : configured;
    }

    /**
     * Makes durable what was only enqueued.
     *
     * @return whether it is
     * @throws BurstException if the ring has failed
     */
    public boolean commit(Duration timeout) {
        return log.awaitDurable(log.stats().acceptedSequence(), timeout);
    }

    /** {@return whether everything accepted is durable; also while the ring is being closed, and then} */
    public boolean isAllDurable() {
        var stats = log.stats();
        return stats.durableSequence() == stats.acceptedSequence();
    }

    /** One that may still lack records when the ring is closed. */
    void addLeftFile(String file) {
        leftFiles.add(file);
    }

    /**
     * Makes everything durable, drains and lets go of the ring and of the log files that are still open. What is left
     * in the ring reaches its log file at the next open.
     *
     * @throws BurstException if accepted events could not be made durable, and the ring is closed all the same; or if
     *     the timeout is over first, and the close goes on by itself
     */
    void close(Duration timeout) {
        management.end();
        long begin = System.nanoTime();
        try {
            log.close(timeout);
            tellWhatIsLeft(timeout, Duration.ofNanos(System.nanoTime() - begin));
        } finally {
            tell(
                    Severity.INFO,
                    "ring " + name() + " is closed; where its time went, in us: "
                            + StageLine.of(log.stats().stages()) + ".");
        }
    }

    /** They are durable and nobody waits for them, so that this is no ERROR. */
    private void tellWhatIsLeft(Duration timeout, Duration taken) {
        var left = log.stats();
        if (left.drainedSequence() < left.acceptedSequence()) {
            // The last quarter of the time is for letting go of ring and log file.
            boolean isOver = taken.compareTo(timeout.minus(timeout.dividedBy(4))) >= 0;
            long records = left.acceptedSequence() - left.drainedSequence();
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

    /** {@return what is left of a time; never zero, which the engine would take for no limit} */
    public static Duration left(Duration time, long beginNanos) {
        Duration left = time.minusNanos(System.nanoTime() - beginNanos);
        return left.compareTo(Duration.ofNanos(1)) < 0 ? Duration.ofNanos(1) : left;
    }
}
