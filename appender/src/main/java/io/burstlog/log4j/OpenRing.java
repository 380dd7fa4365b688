// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import io.burstlog.BurstEvent;
import io.burstlog.BurstException;
import io.burstlog.BurstLog;
import io.burstlog.jmx.Registration;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.status.StatusLogger;

/** One open ring, whatever is written to it. Safe for use by any thread, also after it was closed. */
final class OpenRing {

    private static final Logger LOGGER = StatusLogger.getLogger();

    private static final Duration DEFAULT_SHUTDOWN_TIMEOUT = Duration.ofSeconds(10);

    private final RingAttributes attributes;
    private final BurstLog log;
    private final int maxRecordBytes;
    private final LongAdder vainNotices = new LongAdder();
    private final Set<String> leftFiles = ConcurrentHashMap.newKeySet();
    private final Shown management;

    /**
     * Opens the ring. Missing directories are made, as Log4j's own file appenders do.
     *
     * @throws BurstException if it cannot be opened
     */
    OpenRing(final RingAttributes attributes) {
        this.attributes = attributes;
        this.log = BurstLog.open(attributes.config());
        try {
            this.maxRecordBytes = (int) log.stats().maxRecordBytes();
            this.management =
                    Shown.of(attributes.jmx(), () -> Registration.ofRing(attributes.ring(), log, vainNotices::sum));
        } catch (final RuntimeException | Error failure) {
            log.close();
            throw failure;
        }
    }

    RingAttributes attributes() {
        return attributes;
    }

    String name() {
        return attributes.ring();
    }

    BurstLog log() {
        return log;
    }

    int maxRecordBytes() {
        return maxRecordBytes;
    }

    /** A line about discarded events found no space; the engine takes that for a call like that of an event. */
    void countVainNotice() {
        vainNotices.increment();
    }

    Duration shutdownTimeout() {
        final Duration configured = attributes.config().shutdownTimeout();
        return configured.isZero() ? DEFAULT_SHUTDOWN_TIMEOUT : configured;
    }

    /**
     * Makes durable what was only enqueued. Returns whether it is.
     *
     * @throws BurstException if the ring has failed
     */
    boolean commit(final Duration timeout) {
        return log.awaitDurable(log.stats().acceptedSequence(), timeout);
    }

    /** Also while the ring is being closed, and then. */
    boolean isAllDurable() {
        final var stats = log.stats();
        return stats.durableSequence() == stats.acceptedSequence();
    }

    /** One that may still lack records when the ring is closed. */
    void addLeftFile(final String file) {
        leftFiles.add(file);
    }

    /**
     * Makes everything durable, drains and lets go of the ring and of the log files that are still open. What is left
     * in the ring reaches its log file at the next open.
     *
     * @throws BurstException if accepted events could not be made durable, and the ring is closed all the same; or if
     *     the timeout is over first, and the close goes on by itself
     */
    void close(final Duration timeout) {
        management.end();
        final long begin = System.nanoTime();
        try {
            log.close(timeout);
            tellWhatIsLeft(timeout, Duration.ofNanos(System.nanoTime() - begin));
        } finally {
            LOGGER.info(
                    "Burst: ring {} is closed; where its time went, in us: {}.",
                    name(),
                    StageLine.of(log.stats().stages()));
        }
    }

    /** They are durable and nobody waits for them, so that this is no ERROR. */
    private void tellWhatIsLeft(final Duration timeout, final Duration taken) {
        final var left = log.stats();
        if (left.drainedSequence() < left.acceptedSequence()) {
            // The last quarter of the time is for letting go of ring and log file.
            final boolean isOver = taken.compareTo(timeout.minus(timeout.dividedBy(4))) >= 0;
            LOGGER.warn(
                    "Burst: {} records are durable in the ring {} and not yet in the log file {}, {}. They reach it at"
                            + " the next start, or by `burstlog recover {}`.",
                    left.acceptedSequence() - left.drainedSequence(),
                    name(),
                    String.join(", ", new TreeSet<>(leftFiles)),
                    isOver
                            ? "because shutdownTimeout, " + Units.of(shutdownTimeout()) + ", was over"
                            : "because that could not be written",
                    name());
        }
    }

    /** What is left of a time; never zero, which the engine would take for no limit. */
    static Duration left(final Duration time, final long beginNanos) {
        final Duration left = time.minusNanos(System.nanoTime() - beginNanos);
        return left.compareTo(Duration.ofNanos(1)) < 0 ? Duration.ofNanos(1) : left;
    }

    /**
     * Passes on what the engine tells its operator: what recovery found, a full ring, a stalled log file, a failure.
     */
    static void report(final BurstEvent event) {
        switch (event.severity()) {
            case INFO -> LOGGER.info("Burst: {}", event.text());
            case WARN -> LOGGER.warn("Burst: {}", event.text());
            case ERROR -> LOGGER.error("Burst: {}", event.text());
        }
    }
}
