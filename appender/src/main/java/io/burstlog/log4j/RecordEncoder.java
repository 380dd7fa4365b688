// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import io.burstlog.RecordBuffer;
import java.nio.ByteBuffer;
import org.apache.logging.log4j.core.Layout;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.appender.AppenderLoggingException;
import org.apache.logging.log4j.core.layout.ByteBufferDestination;

/**
 * Collects the bytes that a layout writes for one event. They lie in a buffer outside the heap, and go to the ring in
 * one call. A layout without an encoder of its own writes its {@code toByteArray} here, as it does with Log4j's file
 * appenders.
 *
 * <p>The encoder refuses an event that is longer than the limit, but only at its end, with its full length; until then
 * it counts the excess bytes. An exception in the middle would make Log4j's text encoder write the whole text once
 * more.
 *
 * <p>An encoder belongs to one thread from {@link RecordEncoders#acquire()} to {@link RecordEncoders#release}. A layout
 * locks its destination when a text outgrows the layout's buffer; it never waits for that, since no other thread has
 * this encoder.
 */
final class RecordEncoder implements ByteBufferDestination, Runnable {

    private static final int INITIAL_BYTES = 4 * 1024;

    /**
     * The size of a buffer that a thread may keep for ever. A huge event makes the buffer larger, and the thread lets
     * go of a larger one later.
     */
    private static final int RETAINED_BYTES = 256 * 1024;

    /**
     * The number of small events in a row after which the encoder lets go of the memory for a huge one. A thread that
     * logs huge events time and again would otherwise leave a buffer for each to the garbage collector, which does not
     * see memory outside the heap.
     */
    private static final int EVENTS_BEFORE_SHRINKING = 1_000;

    private RecordBuffer record = emptyRecord();
    private int limitBytes;
    private long excessBytes;
    private int smallInARow;

    /** The encoder of the same thread for events that are logged while a layout writes into this one. */
    RecordEncoder nested;

    /** Whether the thread is between acquire and release. Always false for an encoder of the pool. */
    boolean inUse;

    /**
     * Encodes one event.
     *
     * @param limitBytes the longest record allowed
     * @return the record, valid until the encoder is released
     * @throws AppenderLoggingException if the event is longer than the limit
     */
    RecordBuffer encode(final Layout<?> layout, final LogEvent event, final int limitBytes) {
        begin(limitBytes);
        layout.encode(event, this);
        return end("An event");
    }

    /** Returns a record of bytes that a layout has already made, a header or a footer; otherwise as {@link #encode}. */
    RecordBuffer encode(final byte[] bytes, final int limitBytes) {
        begin(limitBytes);
        writeBytes(bytes, 0, bytes.length);
        return end("A header or footer");
    }

    private void begin(final int limit) {
        limitBytes = limit;
        excessBytes = 0;
        record.clear();
    }

    private RecordBuffer end(final String what) {
        final long length = excessBytes + record.length();
        if (length > limitBytes) {
            throw new AppenderLoggingException(what + " of " + length + " bytes is longer than the largest record, "
                    + limitBytes + " bytes, and was not logged: raise maxRecordSize (at most a quarter of the ring) or"
                    + " shorten it.");
        }
        return record;
    }

    /** Releases this encoder. */
    @Override
    public void run() {
        RecordEncoders.release(this);
    }

    void clear() {
        if (record.buffer().capacity() <= RETAINED_BYTES) {
            return;
        }
        smallInARow = record.length() > RETAINED_BYTES ? 0 : smallInARow + 1;
        if (smallInARow >= EVENTS_BEFORE_SHRINKING) {
            shrink();
        }
    }

    /**
     * Lets go of the memory for a huge event. It throws nothing, because the event that was just logged may be durable.
     */
    private void shrink() {
        smallInARow = 0;
        try {
            record = emptyRecord();
        } catch (final OutOfMemoryError noMemoryForLess) {
            // The larger buffer serves as well.
        }
    }

    private static RecordBuffer emptyRecord() {
        return RecordBuffer.allocate(INITIAL_BYTES, Integer.MAX_VALUE);
    }

    @Override
    public ByteBuffer getByteBuffer() {
        return record.buffer();
    }

    /** A layout's encoder calls this when it has filled the buffer and has more to write. */
    @Override
    public ByteBuffer drain(final ByteBuffer full) {
        if (excessBytes > 0 || record.length() >= limitBytes) {
            excessBytes += record.length();
            record.clear();
            return record.buffer();
        }
        // Doubles the room: with one byte more, the next character might never fit, and the encoder would call for
        // ever.
        return record.ensureRemaining(record.buffer().capacity());
    }

    @Override
    public void writeBytes(final ByteBuffer data) {
        if (accepts(data.remaining())) {
            record.put(data);
        } else {
            data.position(data.limit());
        }
    }

    @Override
    public void writeBytes(final byte[] data, final int offset, final int length) {
        if (accepts(length)) {
            record.put(data, offset, length);
        }
    }

    private boolean accepts(final int length) {
        if (excessBytes == 0 && length <= limitBytes - record.length()) {
            return true;
        }
        excessBytes += record.length() + (long) length;
        record.clear();
        return false;
    }
}
