// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * A reusable buffer outside the Java heap. The caller encodes a record in it; appending the record then needs no
 * further copy in Java and allocates nothing.
 *
 * <pre>{@code
 * RecordBuffer record = RecordBuffer.allocate(512, 1 << 20);      // once for each thread
 * record.clear();
 * record.ensureRemaining(16).putLong(orderId).putLong(price);
 * long sequence = log.append(record, eventTimeNanos);
 * }</pre>
 *
 * <p>The record is the bytes between the start of the buffer and its position. The buffer grows on demand up to its
 * limit and never shrinks. Appending does not change it: call {@link #clear()} before the next record.
 *
 * <p>Not thread-safe: one buffer belongs to one thread at a time, and to the appending thread during an append.
 */
public final class RecordBuffer {

    private static final int SMALLEST_CAPACITY = 64;

    private final int maxCapacity;
    private ByteBuffer bytes;
    private long address;

    private RecordBuffer(int capacity, int maxCapacity) {
        this.maxCapacity = maxCapacity;
        replaceWith(ByteBuffer.allocateDirect(capacity));
    }

    /**
     * Makes an empty buffer.
     *
     * @param initialCapacity bytes to begin with, 0 to {@code maxCapacity}
     * @param maxCapacity the most it may grow to, in bytes
     * @return a new buffer
     * @throws BurstException with code {@link BurstException.Code#INVALID_ARGUMENT} if a size is out of range
     */
    public static RecordBuffer allocate(int initialCapacity, int maxCapacity) {
        if (initialCapacity < 0 || maxCapacity < 1 || initialCapacity > maxCapacity) {
            throw new BurstException(
                    BurstException.Code.INVALID_ARGUMENT,
                    "A record buffer of " + initialCapacity
                            + " bytes that may grow to " + maxCapacity
                            + " bytes is not possible; the first must be 0 or more and not above the second.");
        }
        return new RecordBuffer(Math.max(initialCapacity, Math.min(SMALLEST_CAPACITY, maxCapacity)), maxCapacity);
    }

    /**
     * Returns the buffer to write into. The bytes before its position are the record. The method returns the same
     * object until {@link #ensureRemaining(int)} or a {@code put} has to grow it.
     *
     * @return a direct buffer, writable up to its limit
     */
    public ByteBuffer buffer() {
        return bytes;
    }

    /**
     * Makes room, and keeps the written bytes and the byte order. A limit that leaves too little rises to the capacity.
     *
     * @param count bytes that must fit after the position
     * @return the buffer to write into, with at least {@code count} bytes remaining
     * @throws BurstException with code {@link BurstException.Code#RECORD_TOO_LARGE} if the record would outgrow the
     *     limit of this buffer; it is left unchanged
     */
    public ByteBuffer ensureRemaining(int count) {
        if (bytes.remaining() < count) {
            grow(count);
        }
        return bytes;
    }

    /**
     * Appends bytes to the record.
     *
     * @param source the array that holds the bytes
     * @param offset the index of the first byte
     * @param length the number of bytes
     * @return this
     * @throws IndexOutOfBoundsException if the range is not within {@code source}
     * @throws BurstException as {@link #ensureRemaining(int)}
     */
    public RecordBuffer put(byte[] source, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, source.length);
        ensureRemaining(length).put(source, offset, length);
        return this;
    }

    /**
     * Appends the remaining bytes of a buffer to the record and moves that buffer's position to its limit.
     *
     * @param source the buffer
     * @return this
     * @throws BurstException as {@link #ensureRemaining(int)}; {@code source} is left unchanged then
     */
    public RecordBuffer put(ByteBuffer source) {
        ensureRemaining(source.remaining()).put(source);
        return this;
    }

    /**
     * Returns the length of the record.
     *
     * @return the bytes written since {@link #clear()}
     */
    public int length() {
        return bytes.position();
    }

    /**
     * Returns the size to which this buffer may grow.
     *
     * @return a number of bytes
     */
    public int maxCapacity() {
        return maxCapacity;
    }

    /**
     * Empties the record and keeps the memory.
     *
     * @return this
     */
    public RecordBuffer clear() {
        bytes.clear();
        return this;
    }

    /** Returns a copy of the record on the heap. */
    byte[] copy() {
        byte[] copy = new byte[bytes.position()];
        bytes.get(0, copy);
        return copy;
    }

    /** Returns the memory address of the record; valid while this object is reachable and does not grow. */
    long address() {
        return address;
    }

    private void grow(int count) {
        int length = bytes.position();
        long needed = (long) length + count;
        if (needed > maxCapacity) {
            throw new BurstException(
                    BurstException.Code.RECORD_TOO_LARGE,
                    "The record has at least " + needed
                            + " bytes, more than the " + maxCapacity
                            + " bytes to which this buffer may grow; nothing was written. Allocate one that may grow further.");
        }
        if (needed <= bytes.capacity()) {
            bytes.limit(bytes.capacity());
            return;
        }
        ByteBuffer larger =
                ByteBuffer.allocateDirect((int) Math.min(maxCapacity, Math.max(needed, 2L * bytes.capacity())));
        larger.order(bytes.order());
        larger.put(bytes.duplicate().flip());
        replaceWith(larger);
    }

    /**
     * Replaces buffer and address together. If memory ran out in between, the old address would point to memory that
     * was given back.
     */
    private void replaceWith(ByteBuffer buffer) {
        long newAddress = Pointer.nativeValue(Native.getDirectBufferPointer(buffer));
        bytes = buffer;
        address = newAddress;
    }
}
