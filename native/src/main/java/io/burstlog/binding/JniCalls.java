// SPDX-License-Identifier: Apache-2.0
package io.burstlog.binding;

/** JNI methods, bound by the library's own {@code burst_register}: names and parameters are those of its table. */
final class JniCalls implements RecordCalls {

    @Override
    public native long append(long handle, long address, int length, long eventTimeNanos);

    @Override
    public native long enqueue(long handle, long address, int length, long eventTimeNanos);

    @Override
    public native long offer(long handle, long address, int length, long eventTimeNanos);

    @Override
    public native long appendWithin(
            long handle, long address, int length, long eventTimeNanos, int onFull, long timeoutNanos);

    @Override
    public native long enqueueWithin(
            long handle, long address, int length, long eventTimeNanos, int onFull, long timeoutNanos);

    @Override
    public native long durableSequence(long handle);

    @Override
    public native int awaitDurable(long handle, long sequence, long timeoutNanos);
}
