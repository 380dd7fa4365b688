// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import io.burstlog.RecordBuffer;
import java.nio.ByteBuffer;
import org.apache.logging.log4j.core.Layout;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.appender.AppenderLoggingException;
import org.apache.logging.log4j.core.layout.ByteBufferDestination;

/**
 * Collects what a layout writes for one event in a buffer outside the heap, which then goes to the ring in one call. A
 * layout without an encoder of its own writes its {@code toByteArray} here, as it does with Log4j's file appenders.
 *
 * <p>An event longer than the limit is not cut, and it does not throw in the middle either, because Log4j's text
 * encoder answers an exception by writing the whole text once more. The excess is counted, and the event is refused at
 * the end with its full length.
 *
 * <p>Belongs to one thread from {@link RecordEncoders#acquire()} to {@link RecordEncoders#release}. Layouts synchronize
 * on their destination when a text outgrows their own buffers; no other thread ever holds this one, so they never wait.
 */
final class RecordEncoder implements ByteBufferDestination {

    private static final int INITIAL_BYTES = 4 * 1024;

    /** A thread that once logged a huge event does not keep its memory for ever. */
    private static final int RETAINED_BYTES = 256 * 1024;

    /**
     * After so many events in a row that need no more, the memory for huge ones is let go. One that logs them time and
     * again would else leave a buffer for each to the garbage collector, which does not notice how much that is.
     */
    private static final int EVENTS_BEFORE_SHRINKING = 1_000;

    private RecordBuffer record = emptyRecord();
    private int limitBytes;
    private long excessBytes;
    private int smallInARow;

    /** The next deeper encoder of the same thread, for events logged while a layout writes into this one. */
    RecordEncoder nested;

    /** Whether this thread is between acquire and release. Always false for one borrowed from the pool. */
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

    /** As {@link #encode}, for bytes that a layout has already made: a header or a footer. */
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

    void clear() {
        if (record.buffer().capacity() <= RETAINED_BYTES) {
            return;
        }
        smallInARow = record.length() > RETAINED_BYTES ? 0 : smallInARow + 1;
        if (smallInARow >= EVENTS_BEFORE_SHRINKING) {
            shrink();
        }
    }

    /** The event before may be durable, so that nothing may be thrown here. */
    private void shrink() {
        smallInARow = 0;
        try {
            record = emptyRecord();
        } catch (final OutOfMemoryError noMemoryForLess) {
            // What is there will do.
        }
    }

    private static RecordBuffer emptyRecord() {
        return RecordBuffer.allocate(INITIAL_BYTES, Integer.MAX_VALUE);
    }

    @Override
    public ByteBuffer getByteBuffer() {
        return record.buffer();
    }

    /** Called by an encoder that has filled the buffer and has more to write. */
    @Override
    public ByteBuffer drain(final ByteBuffer full) {
        if (excessBytes > 0 || record.length() >= limitBytes) {
            excessBytes += record.length();
            record.clear();
            return record.buffer();
        }
        // Twice the room: one byte more could still be too little for the next character, for ever.
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
