// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.ArrayBlockingQueue;

/**
 * Hands out encoders without allocation and without a lock that threads share: each thread has its own. It has a
 * further one for each depth of nesting, because a layout may log (in a {@code toString} of the application, or a
 * converter) while its text is only half written.
 *
 * <p>Virtual threads come in millions and live for one task, so they borrow from a pool instead.
 */
final class RecordEncoders {

    private static final MethodHandle IS_VIRTUAL = findIsVirtual();

    private static final ThreadLocal<RecordEncoder> OF_THREAD = ThreadLocal.withInitial(RecordEncoder::new);

    /**
     * Holds as many encoders as virtual threads can usefully use at a time; the garbage collector gets those that do
     * not fit.
     */
    private static final ArrayBlockingQueue<RecordEncoder> POOL = new ArrayBlockingQueue<>(64);

    private RecordEncoders() {}

    /**
     * Makes this class ready for use. If memory ran out at its first use, within a log call, it would be unusable for
     * the rest of the JVM's life.
     */
    static void prepare() {
        release(acquire());
    }

    /** Returns an empty encoder, which belongs to this thread until it is released. */
    static RecordEncoder acquire() {
        if (isVirtual(Thread.currentThread())) {
            return borrow();
        }
        RecordEncoder encoder = OF_THREAD.get();
        while (encoder.inUse) {
            if (encoder.nested == null) {
                encoder.nested = new RecordEncoder();
            }
            encoder = encoder.nested;
        }
        encoder.inUse = true;
        return encoder;
    }

    /** Returns an encoder of the pool, for a virtual thread. */
    static RecordEncoder borrow() {
        final RecordEncoder pooled = POOL.poll();
        return pooled != null ? pooled : new RecordEncoder();
    }

    static void release(final RecordEncoder encoder) {
        if (encoder.inUse) {
            // Before the clear, because the stack may overflow there.
            encoder.inUse = false;
            encoder.clear();
        } else {
            encoder.clear();
            POOL.offer(encoder);
        }
    }

    private static boolean isVirtual(final Thread thread) {
        try {
            return (boolean) IS_VIRTUAL.invokeExact(thread);
        } catch (final Error outOfMemoryOrStack) {
            throw outOfMemoryOrStack;
        } catch (final Throwable unexpected) {
            throw new LinkageError("Thread.isVirtual failed", unexpected);
        }
    }

    /**
     * Returns {@code Thread::isVirtual} if the JDK has virtual threads (from 21 on), else a method that is always
     * {@code false}.
     */
    private static MethodHandle findIsVirtual() {
        try {
            return MethodHandles.publicLookup()
                    .findVirtual(Thread.class, "isVirtual", MethodType.methodType(boolean.class));
        } catch (final NoSuchMethodException | IllegalAccessException olderJdk) {
            return MethodHandles.dropArguments(MethodHandles.constant(boolean.class, false), 0, Thread.class);
        }
    }
}
