// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The record buffers into which byte arrays and byte buffers are copied. A platform thread keeps its own buffer.
 * Virtual threads are many and short-lived, so each borrows a buffer for one call.
 */
final class ScratchBuffers {

    private static final int INITIAL_CAPACITY = 512;
    private static final int MAX_CAPACITY = Integer.MAX_VALUE;
    private static final int LENDABLE = 64;

    private static final ThreadLocal<RecordBuffer> OWN = ThreadLocal.withInitial(ScratchBuffers::create);
    private static final AtomicReferenceArray<RecordBuffer> LENT = new AtomicReferenceArray<>(LENDABLE);

    private ScratchBuffers() {}

    /**
     * Makes this class ready for use. If memory ran out at its first use, within an append, it would be unusable for
     * the rest of the JVM's life.
     */
    static void prepare() {
        release(take());
    }

    static RecordBuffer take() {
        return VirtualThreads.isCurrent() ? borrow() : OWN.get().clear();
    }

    /** Does not move the position of the source: the caller moves it once the record is accepted. */
    static RecordBuffer copyOf(ByteBuffer source) {
        RecordBuffer copy = take();
        copy.ensureRemaining(source.remaining());
        copy.buffer().put(copy.length(), source, source.position(), source.remaining());
        copy.buffer().position(source.remaining());
        return copy;
    }

    static void release(RecordBuffer buffer) {
        if (VirtualThreads.isCurrent()) {
            giveBack(buffer);
        }
    }

    /** Appends a buffer of {@link #take()}, which goes back before a virtual thread waits. */
    static long append(RecordWriter writer, RecordBuffer copy, long eventTimeNanos) {
        return VirtualThreads.isCurrent()
                ? parked(writer).write(copy, eventTimeNanos, true, () -> giveBack(copy))
                : writer.append(copy, eventTimeNanos);
    }

    /** Enqueues a buffer as {@link #append} does. */
    static long enqueue(RecordWriter writer, RecordBuffer copy, long eventTimeNanos) {
        return VirtualThreads.isCurrent()
                ? parked(writer).write(copy, eventTimeNanos, false, () -> giveBack(copy))
                : writer.enqueue(copy, eventTimeNanos);
    }

    private static ParkedWrites parked(RecordWriter writer) {
        return (writer instanceof BurstLog log ? log.mainStream() : (BurstStream) writer).parked();
    }

    static RecordBuffer borrow() {
        for (int i = 0; i < LENDABLE; i++) {
            RecordBuffer buffer = LENT.getAcquire(i);
            if (buffer != null && LENT.compareAndSet(i, buffer, null)) {
                return buffer.clear();
            }
        }
        return create();
    }

    /** Puts a borrowed buffer back; if there is no free place, the garbage collector gets it. */
    static void giveBack(RecordBuffer buffer) {
        for (int i = 0; i < LENDABLE; i++) {
            if (LENT.getPlain(i) == null && LENT.compareAndSet(i, null, buffer)) {
                return;
            }
        }
    }

    private static RecordBuffer create() {
        return RecordBuffer.allocate(INITIAL_CAPACITY, MAX_CAPACITY);
    }
}
