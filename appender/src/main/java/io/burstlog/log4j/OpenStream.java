// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import io.burstlog.BurstConfig;
import io.burstlog.BurstException;
import io.burstlog.BurstLog;
import io.burstlog.OnFull;
import io.burstlog.RecordBuffer;
import java.io.Serializable;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.logging.log4j.core.Layout;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.time.Instant;

/**
 * One log file of an {@link OpenRing}, and what all appenders that write to it share. {@link RingRegistry} opens it for
 * the first of them and closes it after the last.
 *
 * <p>Safe for use by any thread, also after it was closed: every call throws then.
 */
final class OpenStream {

    /**
     * For the last lines, if the ring is full at stop: the drain needs less, unless the log file cannot be written. At
     * most a tenth of the shutdown timeout, for both of them.
     */
    private static final Duration PATIENCE_FOR_SPACE = Duration.ofSeconds(1);

    private static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE);

    private final OpenRing ring;
    private final BurstLog log;
    private final DiscardNotice discards = new DiscardNotice(this);

    private OpenStream(final OpenRing ring) {
        this.ring = ring;
        this.log = ring.log();
    }

    /**
     * Opens the ring and the log file.
     *
     * @param header the layout whose header begins a new or empty log file
     * @throws BurstException if they cannot be opened
     */
    static OpenStream open(final RingAttributes attributes, final Layout<? extends Serializable> header) {
        final OpenRing ring = new OpenRing(attributes);
        try {
            RecordEncoders.prepare();
            final OpenStream stream = new OpenStream(ring);
            if (ring.log().destinationEmpty()) {
                stream.writeHeader(header.getHeader());
            }
            return stream;
        } catch (final RuntimeException | Error failure) {
            ring.giveUp();
            throw failure;
        }
    }

    OpenRing ring() {
        return ring;
    }

    /** The log file that is written now. */
    String file() {
        return log.currentFile();
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
            final BurstConfig rule) {
        final RecordEncoder encoder = RecordEncoders.acquire();
        try {
            final RecordBuffer record = encoder.encode(layout, event, ring.maxRecordBytes());
            if (rule.onFull() == OnFull.DISCARD) {
                discards.write();
            }
            final long time = nanosOf(event.getInstant());
            final Duration timeout = rule.blockTimeout().isZero() ? FOREVER : rule.blockTimeout();
            final long sequence = durableOnReturn
                    ? log.append(record, time, rule.onFull(), timeout)
                    : log.enqueue(record, time, rule.onFull(), timeout);
            if (sequence == 0) {
                discards.add(layout);
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
            return log.offer(record, eventTimeNanos) > 0;
        }
        try {
            log.enqueue(record, eventTimeNanos, OnFull.BLOCK, patience);
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
            log.append(encoder.encode(header, ring.maxRecordBytes()), now());
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
            log.enqueue(record, now(), OnFull.BLOCK, timeout);
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
     * Writes the last lines and closes the ring, all that within the ring's shutdown timeout.
     *
     * @param footer the layout whose footer ends the log file
     * @throws BurstException as {@link OpenRing#close}
     */
    void close(final Layout<? extends Serializable> footer) {
        final long begin = System.nanoTime();
        final Duration tenth = ring.shutdownTimeout().dividedBy(10);
        final Duration patience = tenth.compareTo(PATIENCE_FOR_SPACE) < 0 ? tenth : PATIENCE_FOR_SPACE;
        try {
            discards.writeBeforeClose(patience);
            writeFooter(footer.getFooter(), OpenRing.left(patience, begin));
        } finally {
            try {
                ring.close(OpenRing.left(ring.shutdownTimeout(), begin));
            } finally {
                discards.tellOperator("there was no space until the ring was closed.");
            }
        }
    }
}
