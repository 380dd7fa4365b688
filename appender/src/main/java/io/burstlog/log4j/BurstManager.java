// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import io.burstlog.BurstEvent;
import io.burstlog.BurstException;
import io.burstlog.BurstLog;
import io.burstlog.OnFull;
import io.burstlog.RecordBuffer;
import java.io.Serializable;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.core.Layout;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.time.Instant;
import org.apache.logging.log4j.status.StatusLogger;

/**
 * One open ring and what all appenders that write to it share. {@link OpenRings} opens it for the first appender and
 * closes it after the last.
 *
 * <p>Safe for use by any thread, also after it was closed: every call throws then.
 */
final class BurstManager {

    private static final Logger LOGGER = StatusLogger.getLogger();

    private static final Duration DEFAULT_SHUTDOWN_TIMEOUT = Duration.ofSeconds(10);

    /**
     * For the last lines, if the ring is full at stop: the drain needs less, unless the log file cannot be written. At
     * most a tenth of the shutdown timeout, for both of them.
     */
    private static final Duration PATIENCE_FOR_SPACE = Duration.ofSeconds(1);

    private final RingAttributes attributes;
    private final FullRingRule ruleOfEngine;
    private final BurstLog log;
    private final int maxRecordBytes;
    private final RingManagement.Registration management;
    private final FullRingCount fullRing = new FullRingCount();
    private final DiscardNotice discards = new DiscardNotice(this);

    /**
     * Opens the ring. Missing directories of ring and log file are made, as Log4j's own file appenders do.
     *
     * @param header the layout whose header begins a new or empty log file
     * @throws BurstException if it cannot be opened
     */
    BurstManager(final RingAttributes attributes, final Layout<? extends Serializable> header) {
        this.attributes = attributes;
        this.ruleOfEngine = FullRingRule.of(attributes.config());
        this.log = BurstLog.open(attributes.config());
        try {
            RecordEncoders.prepare();
            this.maxRecordBytes = (int) log.stats().maxRecordBytes();
            if (log.destinationEmpty()) {
                writeHeader(header.getHeader());
            }
            this.management = RingManagement.register(attributes, log, fullRing);
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

    /**
     * Encodes an event and appends it.
     *
     * @param durableOnReturn whether to return only after it is durable
     * @param rule what to do if the ring is full; if it discards, the call returns normally and the event is counted
     * @throws BurstException if the event was not logged, or is not known to be durable
     */
    void append(
            final LogEvent event,
            final Layout<? extends Serializable> layout,
            final boolean durableOnReturn,
            final FullRingRule rule) {
        final RecordEncoder encoder = RecordEncoders.acquire();
        try {
            final RecordBuffer record = encoder.encode(layout, event, maxRecordBytes);
            if (rule.onFull() == OnFull.DISCARD) {
                discards.write();
            }
            if (append(record, nanosOf(event.getInstant()), durableOnReturn, rule) == 0) {
                fullRing.discarded();
                discards.add(layout);
            }
        } finally {
            RecordEncoders.release(encoder);
        }
    }

    private long append(
            final RecordBuffer record,
            final long eventTimeNanos,
            final boolean durableOnReturn,
            final FullRingRule rule) {
        if (!rule.equals(ruleOfEngine)) {
            return rule.append(log, fullRing, record, eventTimeNanos, durableOnReturn);
        }
        return durableOnReturn ? log.append(record, eventTimeNanos) : log.enqueue(record, eventTimeNanos);
    }

    /** Encodes an event and offers it. Returns a sequence, or -1 if the ring is full. */
    long offer(final LogEvent event, final Layout<? extends Serializable> layout) {
        final RecordEncoder encoder = RecordEncoders.acquire();
        try {
            final long sequence = log.offer(encoder.encode(layout, event, maxRecordBytes), nanosOf(event.getInstant()));
            if (sequence < 0) {
                fullRing.repeated();
            }
            return sequence;
        } finally {
            RecordEncoders.release(encoder);
        }
    }

    private void writeHeader(final byte[] header) {
        if (isNothing(header)) {
            return;
        }
        final RecordEncoder encoder = RecordEncoders.acquire();
        try {
            log.append(encoder.encode(header, maxRecordBytes), now());
        } finally {
            RecordEncoders.release(encoder);
        }
    }

    /** Offers, because an append could wait for ever for the space of a ring whose log file cannot be written. */
    private void writeFooter(final byte[] footer, final Duration patience) {
        if (isNothing(footer)) {
            return;
        }
        final RecordEncoder encoder = RecordEncoders.acquire();
        try {
            final RecordBuffer record = encoder.encode(footer, maxRecordBytes);
            final FullRingRule shortWait = new FullRingRule(OnFull.BLOCK, patience);
            shortWait.append(log, fullRing, record, now(), false);
        } finally {
            RecordEncoders.release(encoder);
        }
    }

    private static boolean isNothing(final byte[] bytes) {
        return bytes == null || bytes.length == 0;
    }

    private static long now() {
        return TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
    }

    private static long nanosOf(final Instant instant) {
        return instant.getEpochSecond() * 1_000_000_000L + instant.getNanoOfSecond();
    }

    /**
     * Makes durable what was only enqueued, within the ring's shutdown timeout. Returns whether it is.
     *
     * @throws BurstException if the ring has failed
     */
    boolean commit() {
        return log.awaitDurable(log.stats().acceptedSequence(), shutdownTimeout());
    }

    /**
     * Writes the last lines, makes everything durable, drains and lets go of ring and log file, all that within the
     * ring's shutdown timeout. What is left in the ring reaches the log file at the next open.
     *
     * @param footer the layout whose footer ends the log file
     * @throws BurstException if accepted events could not be made durable, and the ring is closed all the same; or if
     *     the timeout is over first, and the close goes on by itself
     */
    void close(final Layout<? extends Serializable> footer) {
        final long end = System.nanoTime() + shutdownTimeout().toNanos();
        final Duration tenth = shutdownTimeout().dividedBy(10);
        final Duration patience = tenth.compareTo(PATIENCE_FOR_SPACE) < 0 ? tenth : PATIENCE_FOR_SPACE;
        try {
            final long begin = System.nanoTime();
            discards.writeBeforeClose(patience);
            writeFooter(footer.getFooter(), atLeastOneNano(patience.minusNanos(System.nanoTime() - begin)));
        } finally {
            management.end();
            closeLog(atLeastOneNano(Duration.ofNanos(end - System.nanoTime())));
        }
    }

    /** They are durable and nobody waits for them, so that this is no ERROR. */
    private void tellWhatIsLeft(final Duration timeout, final Duration taken) {
        final var left = log.stats();
        if (left.drainedSequence() < left.acceptedSequence()) {
            // The last quarter of the time is for letting go of ring and log file.
            final boolean isOver = taken.compareTo(timeout.minus(timeout.dividedBy(4))) >= 0;
            LOGGER.warn(
                    "Burst: {} records are durable in the ring {} and not yet in the log file {}, {}. They reach it at the next"
                            + " start, or by `burstlog recover {}`.",
                    left.acceptedSequence() - left.drainedSequence(),
                    name(),
                    log.currentFile(),
                    isOver
                            ? "because shutdownTimeout, " + Units.of(shutdownTimeout()) + ", was over"
                            : "because that could not be written",
                    name());
        }
    }

    /** A timeout of zero would be none. */
    private static Duration atLeastOneNano(final Duration left) {
        return left.compareTo(Duration.ofNanos(1)) < 0 ? Duration.ofNanos(1) : left;
    }

    private void closeLog(final Duration timeout) {
        final long begin = System.nanoTime();
        try {
            log.close(timeout);
            tellWhatIsLeft(timeout, Duration.ofNanos(System.nanoTime() - begin));
        } finally {
            discards.tellOperator("there was no space until the ring was closed.");
            LOGGER.info(
                    "Burst: ring {} is closed; where its time went, in us: {}.",
                    name(),
                    StageLine.of(log.stats().stages()));
        }
    }

    /** Also while the ring is being closed, and then. */
    boolean isAllDurable() {
        final var stats = log.stats();
        return stats.durableSequence() == stats.acceptedSequence();
    }

    Duration shutdownTimeout() {
        final Duration configured = attributes.config().shutdownTimeout();
        return configured.isZero() ? DEFAULT_SHUTDOWN_TIMEOUT : configured;
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
