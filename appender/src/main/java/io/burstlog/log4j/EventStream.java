// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import io.burstlog.BurstException;
import io.burstlog.BurstStream;
import io.burstlog.OnFull;
import io.burstlog.RecordBuffer;
import io.burstlog.Segments;
import io.burstlog.StreamConfig;
import io.burstlog.doors.Ack;
import io.burstlog.doors.ClientThreads;
import io.burstlog.doors.Holder;
import io.burstlog.doors.OpenRing;
import io.burstlog.doors.OpenStream;
import io.burstlog.doors.StreamTerms;
import io.burstlog.log4j.rolling.FileRolling;
import io.burstlog.log4j.rolling.RollingSettings;
import io.burstlog.log4j.rolling.RollingStream;
import io.burstlog.log4j.rolling.WithoutJvm;
import java.io.Serializable;
import java.time.Duration;
import java.util.List;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.core.Layout;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.appender.rolling.RollingFileManager;
import org.apache.logging.log4j.core.time.Instant;
import org.apache.logging.log4j.status.StatusLogger;

/**
 * A log file that appenders of Log4j have open. It adds layouts, rolling, shippers, and the line about discarded
 * events.
 *
 * <p>Safe for use by any thread. After the close every call throws.
 */
final class EventStream extends OpenStream {

    private static final Logger LOGGER = StatusLogger.getLogger();

    private static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE);

    private final OpenRing ring;
    private final BurstStream stream;

    /** Null if the file is not rolled. */
    private final FileRolling rolling;

    private final DiscardNotice discards = new DiscardNotice(this);
    private final ShipperEvents ofShippers = new ShipperEvents(this, System::nanoTime);
    private final Shippers shippers = new Shippers();
    private volatile StreamTerms terms;

    /** Null if the file is not rolled. */
    private volatile RollingSettings settings;

    private EventStream(
            final OpenRing ring,
            final BurstStream stream,
            final StreamTerms terms,
            final RollingSettings settings,
            final FileRolling rolling,
            final Holder first) {
        super(ring, stream, terms, first);
        this.ring = ring;
        this.stream = stream;
        this.terms = terms.on(ring.terms());
        this.settings = settings;
        this.rolling = rolling;
    }

    /**
     * Opens the log file. Missing directories are made, as Log4j's own file appenders do.
     *
     * @param ring the open ring
     * @param settings the settings of rolling; null: the file is not rolled
     * @param header the layout whose header begins a new or empty log file
     * @param first the appender that asks for the file
     * @throws BurstException if it cannot be opened
     */
    static EventStream open(
            final OpenRing ring,
            final StreamTerms terms,
            final RollingSettings settings,
            final Layout<? extends Serializable> header,
            final Holder first) {
        final BurstStream stream = openStream(ring, terms, settings);
        final EventStream open;
        try {
            RecordEncoders.prepare();
            final FileRolling rolling = settings == null ? null : rolling(ring, stream, settings);
            open = new EventStream(ring, stream, terms, settings, rolling, first);
        } catch (final RuntimeException | Error failure) {
            stream.close(Duration.ZERO);
            throw failure;
        }
        try {
            open.begin(header);
            return open;
        } catch (final RuntimeException | Error failure) {
            open.abandon();
            throw failure;
        }
    }

    private static FileRolling rolling(final OpenRing ring, final BurstStream stream, final RollingSettings settings) {
        final RollingStream rolled = RollingStream.of(stream, ring.log(), ring.name());
        return ring.terms().isDrainedElsewhere()
                ? FileRolling.elsewhere(settings, rolled)
                : FileRolling.of(settings, rolled);
    }

    private RollingStream rolled() {
        return RollingStream.of(stream, ring.log(), ring.name());
    }

    private static BurstStream openStream(
            final OpenRing ring, final StreamTerms terms, final RollingSettings settings) {
        if (settings == null) {
            return ring.log().stream(null, terms.config());
        }
        final StreamConfig.Builder config = terms.config().toBuilder().fileName(FileRolling.firstFile(settings));
        if (ring.terms().isDrainedElsewhere()) {
            WithoutJvm.require(settings);
            config.rolling(WithoutJvm.rules(settings));
        } else {
            config.rollsByCaller(true);
        }
        return ring.log().stream(settings.isDirectWrite() ? terms.location().file() : null, config.build());
    }

    private void begin(final Layout<? extends Serializable> header) {
        final boolean isNew = stream.destinationEmpty();
        if (isNew) {
            writeHeader(rolling == null ? header.getHeader() : FileRolling.firstHeader(settings, rolled()));
        }
        if (rolling != null) {
            rolling.begin(isNew);
        }
    }

    /** Takes over the settings of rolling of a further appender, as Log4j's own rolling appenders do. */
    void update(final StreamTerms wanted, final RollingSettings wantedSettings) {
        if (rolling != null && wantedSettings != null && wantedSettings != settings) {
            try {
                rolling.update(wantedSettings, ring.shutdownTimeout());
            } catch (final BurstException refusal) {
                tellNotInForce(wantedSettings, refusal.getMessage());
                return;
            } catch (final RuntimeException ofPlugin) {
                tellNotInForce(wantedSettings, ofPlugin.toString());
                return;
            }
            settings = wantedSettings;
            terms = new StreamTerms(terms.location(), terms.ring(), terms.config(), wanted.filePattern(), terms.ack());
        }
    }

    private void tellNotInForce(final RollingSettings wanted, final String reason) {
        LOGGER.error(
                "Burst '{}': its policy and strategy are not in force for {}: {}", wanted.appender(), file(), reason);
    }

    /** Notes that one more appender has the log file open. */
    void attached(final BurstAppender appender, final List<ShipperSettings> wanted) {
        shippers.add(appender, wanted, segments());
    }

    @Override
    protected void detached(final Holder holder) {
        shippers.remove(((ElementHolder) holder).appender(), segments());
    }

    /** Returns the folder of segments; null if there is none. */
    private String segments() {
        final Segments segments = terms.config().segments();
        return segments == null ? null : segments.folder();
    }

    /** Returns the manager that policies and strategies see; null if the file is not rolled. */
    RollingFileManager manager() {
        return rolling == null ? null : rolling.manager();
    }

    /** For tests. */
    FileRolling fileRolling() {
        return rolling;
    }

    @Override
    public StreamTerms terms() {
        return terms;
    }

    /** Returns the settings of rolling that are in force; null if the file is not rolled. */
    RollingSettings settings() {
        return settings;
    }

    /** Returns the sentence for the line of {@link DiscardNotice}. */
    String sentenceOfDiscard() {
        return discarded();
    }

    /**
     * Encodes an event and appends it.
     *
     * @param element says whether to return only after it is durable, and copied; how to act if the ring is full, and
     *     how long to wait. If the call discards the event, it counts it and returns normally
     * @throws BurstException if the event was not logged, or is not known to be durable or copied; in a thread that
     *     answers rolls also if the call would have to wait for space
     */
    void append(final LogEvent event, final Layout<? extends Serializable> layout, final BurstElement.Terms element) {
        final boolean isOfShipper = ClientThreads.isOne();
        if (isOfShipper && !ofShippers.take(event, layout)) {
            return;
        }
        final boolean isOfRoller = FileRolling.isAnswering();
        final StreamConfig rule = element.stream().config();
        if (rolling != null && !isOfShipper && !isOfRoller) {
            rolling.beforeEvent(
                    event, rule.onFull() == OnFull.BLOCK && rule.blockTimeout().isZero());
        }
        final RecordEncoder encoder = RecordEncoders.acquire();
        final RecordBuffer record;
        final OnFull onFull = isOfShipper ? OnFull.DISCARD : isOfRoller ? withoutWait(rule.onFull()) : rule.onFull();
        try {
            record = encoder.encode(layout, event, ring.maxRecordBytes());
            if (onFull == OnFull.DISCARD) {
                discards.write();
            }
        } catch (final Throwable notLogged) {
            RecordEncoders.release(encoder);
            throw notLogged;
        }
        final int length = record.length();
        final long time = nanosOf(event.getInstant());
        final Duration timeout = rule.blockTimeout().isZero() ? FOREVER : rule.blockTimeout();
        final boolean durableOnReturn = element.ackRule().isDurableOnReturn(event);
        final boolean isCopied = durableOnReturn && element.stream().ack() == Ack.COPIED && !isOfShipper;
        final long begin = isCopied ? System.nanoTime() : 0;
        // The encoder goes back before a virtual thread waits.
        final long sequence = durableOnReturn
                ? stream.append(record, time, onFull, timeout, encoder)
                : stream.enqueue(record, time, onFull, timeout, encoder);
        if (sequence == 0) {
            discards.add(layout);
        } else if (rolling != null) {
            rolling.accepted(length);
        }
        if (isCopied && sequence > 0) {
            awaitCopied(sequence, rule.blockTimeout(), begin);
        }
    }

    private static OnFull withoutWait(final OnFull rule) {
        return rule == OnFull.BLOCK ? OnFull.FAIL : rule;
    }

    /**
     * Enqueues a line about discarded events. Returns whether the ring had space for the line within {@code patience}.
     */
    boolean writeNotice(final LogEvent event, final Layout<? extends Serializable> layout, final Duration patience) {
        final RecordEncoder encoder = RecordEncoders.acquire();
        try {
            final RecordBuffer record = encoder.encode(layout, event, ring.maxRecordBytes());
            final boolean written = enqueueWithin(record, nanosOf(event.getInstant()), patience);
            if (!written) {
                ring.countVainNotice();
            }
            return written;
        } finally {
            RecordEncoders.release(encoder);
        }
    }

    private boolean enqueueWithin(final RecordBuffer record, final long eventTimeNanos, final Duration patience) {
        if (patience.isZero()) {
            return stream.offer(record, eventTimeNanos) > 0;
        }
        try {
            stream.enqueue(record, eventTimeNanos, OnFull.BLOCK, patience);
            return true;
        } catch (final BurstException failure) {
            if (failure.code() != BurstException.Code.TIMED_OUT) {
                throw failure;
            }
            return false;
        }
    }

    private void writeHeader(final byte[] header) {
        if (isNothing(header)) {
            return;
        }
        final RecordEncoder encoder = RecordEncoders.acquire();
        try {
            stream.append(encoder.encode(header, ring.maxRecordBytes()), now());
        } finally {
            RecordEncoders.release(encoder);
        }
    }

    /** Writes the footer, which ends the log file. */
    void writeFooter(final byte[] footer, final Duration timeout) {
        if (isNothing(footer)) {
            return;
        }
        final RecordEncoder encoder = RecordEncoders.acquire();
        try {
            final RecordBuffer record = encoder.encode(footer, ring.maxRecordBytes());
            stream.enqueue(record, now(), OnFull.BLOCK, timeout);
        } finally {
            RecordEncoders.release(encoder);
        }
    }

    private static boolean isNothing(final byte[] bytes) {
        return bytes == null || bytes.length == 0;
    }

    private static long nanosOf(final Instant instant) {
        return instant.getEpochSecond() * 1_000_000_000L + instant.getNanoOfSecond();
    }

    @Override
    protected void endBeginnings(final Duration patience) {
        if (rolling != null) {
            rolling.stopPolicy(patience);
        }
        discards.writeBeforeClose(patience);
        ofShippers.tellBeforeClose();
    }

    @Override
    protected void endLines() {
        discards.tellOperator("there was no space until the ring was closed.");
    }

    @Override
    protected void endRolling(final Duration timeout) {
        if (rolling != null) {
            rolling.end(timeout);
        }
    }

    @Override
    protected void ended(final Duration timeout) {
        shippers.close(timeout);
    }
}
