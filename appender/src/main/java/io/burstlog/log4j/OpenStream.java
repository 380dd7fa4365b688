// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import io.burstlog.BurstException;
import io.burstlog.BurstStream;
import io.burstlog.OnFull;
import io.burstlog.RecordBuffer;
import io.burstlog.Segments;
import io.burstlog.StreamConfig;
import io.burstlog.jmx.Registration;
import io.burstlog.log4j.rolling.FileRolling;
import io.burstlog.log4j.rolling.RollingSettings;
import io.burstlog.log4j.rolling.RollingStream;
import java.io.Serializable;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.core.Layout;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.appender.rolling.RollingFileManager;
import org.apache.logging.log4j.core.time.Instant;
import org.apache.logging.log4j.status.StatusLogger;

/**
 * One log file of an {@link OpenRing}, and what all appenders that write to it share. {@link RingRegistry} opens it for
 * the first of them and closes it after the last.
 *
 * <p>Safe for use by any thread, also after it was closed: every call throws then.
 */
final class OpenStream {

    private static final Logger LOGGER = StatusLogger.getLogger();

    /**
     * For the last lines, if the ring is full at stop: the drain needs less, unless the log file cannot be written. At
     * most a tenth of the shutdown timeout, for both of them.
     */
    private static final Duration PATIENCE_FOR_SPACE = Duration.ofSeconds(1);

    private static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE);

    private final OpenRing ring;
    private volatile StreamAttributes attributes;
    private final BurstStream stream;

    /** Null if the file is not rolled. */
    private final FileRolling rolling;

    private final Shown management;
    private final DiscardNotice discards = new DiscardNotice(this);
    private final ShipperEvents ofShippers = new ShipperEvents(this, System::nanoTime);
    private final Shippers shippers = new Shippers();

    private OpenStream(
            final OpenRing ring, final StreamAttributes attributes, final BurstStream stream, final Shown management) {
        this.ring = ring;
        this.attributes = attributes.on(ring.attributes());
        this.stream = stream;
        this.rolling = attributes.rolling() == null ? null : FileRolling.of(attributes.rolling(), rolled());
        this.management = management;
    }

    /**
     * Opens the log file. Missing directories are made, as Log4j's own file appenders do.
     *
     * @param ring the open ring
     * @param header the layout whose header begins a new or empty log file
     * @throws BurstException if it cannot be opened
     */
    static OpenStream open(
            final OpenRing ring, final StreamAttributes attributes, final Layout<? extends Serializable> header) {
        final BurstStream stream = openStream(ring, attributes);
        try {
            RecordEncoders.prepare();
            final Shown management = Shown.of(
                    ring.attributes().jmx(), () -> Registration.ofStream(ring.name(), attributes.file(), stream));
            try {
                final OpenStream open = new OpenStream(ring, attributes, stream, management);
                open.begin(header);
                return open;
            } catch (final RuntimeException | Error failure) {
                management.end();
                throw failure;
            }
        } catch (final RuntimeException | Error failure) {
            stream.close(Duration.ZERO);
            throw failure;
        }
    }

    private RollingStream rolled() {
        return RollingStream.of(stream, ring.log(), ring.name());
    }

    private static BurstStream openStream(final OpenRing ring, final StreamAttributes attributes) {
        final RollingSettings settings = attributes.rolling();
        if (settings == null) {
            return ring.log().stream(null, attributes.config());
        }
        final StreamConfig config = attributes.config().toBuilder()
                .fileName(FileRolling.firstFile(settings))
                .rollsByCaller(true)
                .build();
        return ring.log().stream(settings.isDirectWrite() ? attributes.file() : null, config);
    }

    private void begin(final Layout<? extends Serializable> header) {
        final boolean isNew = stream.destinationEmpty();
        if (isNew) {
            writeHeader(rolling == null ? header.getHeader() : FileRolling.firstHeader(attributes.rolling(), rolled()));
        }
        if (rolling != null) {
            try {
                rolling.begin(isNew);
            } catch (final RuntimeException | Error failure) {
                rolling.stopPolicy(Duration.ZERO);
                throw failure;
            }
        }
    }

    /** Takes what a further appender says of rolling, as Log4j's own rolling appenders do. */
    void update(final StreamAttributes wanted) {
        if (rolling != null && wanted.rolling() != null && wanted.rolling() != attributes.rolling()) {
            try {
                rolling.update(wanted.rolling());
            } catch (final RuntimeException ofPlugin) {
                LOGGER.error(
                        "Burst '{}': its policy and strategy are not in force for {}: {}",
                        wanted.rolling().appender(),
                        file(),
                        ofPlugin.toString());
                return;
            }
            attributes =
                    new StreamAttributes(attributes.place(), attributes.ring(), attributes.config(), wanted.rolling());
        }
    }

    /** One more appender has the log file open. */
    void attached(final BurstAppender appender, final List<ShipperSettings> wanted) {
        shippers.add(appender, wanted, segments());
    }

    /** One of several has let go of it. */
    void detached(final BurstAppender appender) {
        shippers.remove(appender, segments());
    }

    /** Null: there are none. */
    private String segments() {
        final Segments segments = attributes.config().segments();
        return segments == null ? null : segments.folder();
    }

    /** Null if the file is not rolled. */
    RollingFileManager manager() {
        return rolling == null ? null : rolling.manager();
    }

    /** What it was opened with, on the ring as that is. */
    StreamAttributes attributes() {
        return attributes;
    }

    OpenRing ring() {
        return ring;
    }

    BurstStream records() {
        return stream;
    }

    /** The log file that is written now. */
    String file() {
        return stream.currentFile();
    }

    /**
     * Encodes an event and appends it.
     *
     * @param durableOnReturn whether to return only after it is durable
     * @param rule what to do if the ring is full, and for how long to wait; if it discards, the call returns normally
     *     and the event is counted
     * @throws BurstException if the event was not logged, or is not known to be durable
     */
    void append(
            final LogEvent event,
            final Layout<? extends Serializable> layout,
            final boolean durableOnReturn,
            final StreamConfig rule) {
        final boolean isOfShipper = Shippers.isThreadOfOne();
        if (isOfShipper && !ofShippers.take(event, layout)) {
            return;
        }
        if (rolling != null) {
            rolling.beforeEvent(event);
        }
        final RecordEncoder encoder = RecordEncoders.acquire();
        try {
            final RecordBuffer record = encoder.encode(layout, event, ring.maxRecordBytes());
            final OnFull onFull = isOfShipper ? OnFull.DISCARD : rule.onFull();
            if (onFull == OnFull.DISCARD) {
                discards.write();
            }
            final long time = nanosOf(event.getInstant());
            final Duration timeout = rule.blockTimeout().isZero() ? FOREVER : rule.blockTimeout();
            final long sequence = durableOnReturn
                    ? stream.append(record, time, onFull, timeout)
                    : stream.enqueue(record, time, onFull, timeout);
            if (sequence == 0) {
                discards.add(layout);
            } else if (rolling != null) {
                rolling.accepted(record.length());
            }
        } finally {
            RecordEncoders.release(encoder);
        }
    }

    /** Enqueues a line about discarded events. Returns whether there was space for it within that time. */
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

    private void writeFooter(final byte[] footer, final Duration timeout) {
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

    private static long now() {
        return TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
    }

    private static long nanosOf(final Instant instant) {
        return instant.getEpochSecond() * 1_000_000_000L + instant.getNanoOfSecond();
    }

    /**
     * Writes the last lines, makes everything durable, waits for the log file and lets go of it, all that within the
     * ring's shutdown timeout. What the log file has not taken then goes there as long as the ring is open, or at its
     * next open.
     *
     * @param footer the layout whose footer ends the log file
     * @return whether everything is durable
     * @throws BurstException if the ring has failed; the stream is closed all the same
     */
    boolean close(final Layout<? extends Serializable> footer) {
        final long begin = System.nanoTime();
        try {
            return end(footer, begin, () -> ring.commit(leftSince(begin)));
        } finally {
            if (!stream.close(leftSince(begin))) {
                tellWhatIsLeft();
            }
            endRolling(begin);
            shippers.close(leftSince(begin));
        }
    }

    /**
     * Writes the last lines and closes the ring, of which this is the last stream, all that within the ring's shutdown
     * timeout.
     *
     * @param footer the layout whose footer ends the log file
     * @return true, everything is durable
     * @throws BurstException as {@link OpenRing#close}
     */
    boolean closeWithRing(final Layout<? extends Serializable> footer) {
        final long begin = System.nanoTime();
        ring.addLeftFile(file());
        try {
            return end(footer, begin, () -> {
                try {
                    ring.close(leftSince(begin));
                } finally {
                    endRolling(begin);
                }
                return true;
            });
        } finally {
            shippers.close(leftSince(begin));
        }
    }

    private void endRolling(final long begin) {
        if (rolling != null) {
            rolling.end(leftSince(begin));
        }
    }

    private boolean end(
            final Layout<? extends Serializable> footer, final long begin, final BooleanSupplier makeDurable) {
        final Duration tenth = ring.shutdownTimeout().dividedBy(10);
        final Duration patience = tenth.compareTo(PATIENCE_FOR_SPACE) < 0 ? tenth : PATIENCE_FOR_SPACE;
        management.end();
        if (rolling != null) {
            rolling.stopPolicy(patience);
        }
        boolean isDurable;
        try {
            discards.writeBeforeClose(patience);
            ofShippers.tellBeforeClose();
            writeFooter(footer.getFooter(), OpenRing.left(patience, begin));
        } finally {
            try {
                isDurable = makeDurable.getAsBoolean();
            } finally {
                discards.tellOperator("there was no space until the ring was closed.");
            }
        }
        return isDurable;
    }

    private Duration leftSince(final long begin) {
        return OpenRing.left(ring.shutdownTimeout(), begin);
    }

    /** They are durable and nobody waits for them, so that this is no ERROR. */
    private void tellWhatIsLeft() {
        ring.addLeftFile(file());
        LOGGER.warn(
                "Burst: records of the ring {} were not yet in the log file {} after shutdownTimeout, {}, when the last"
                        + " appender that writes it was stopped. They get there while the ring is open, or at its next"
                        + " start; until then no log file gets the {} back that they hold of the ring.",
                ring.name(),
                file(),
                Units.of(ring.shutdownTimeout()),
                Units.ofBytes(stream.stats().heldBytes()));
    }
}
