// SPDX-License-Identifier: Apache-2.0
package io.burstlog.binding;

/** JNI methods, bound by the library's own {@code burst_register}: names and parameters are those of its table. */
final class JniCalls implements RecordCalls {

    @Override
    public native long append(long stream, long address, int length, long eventTimeNanos);

    @Override
    public native long enqueue(long stream, long address, int length, long eventTimeNanos);

    @Override
    public native long offer(long stream, long address, int length, long eventTimeNanos);

    @Override
    public native long appendWithin(
            long stream, long address, int length, long eventTimeNanos, int onFull, long timeoutNanos);

    @Override
    public native long enqueueWithin(
            long stream, long address, int length, long eventTimeNanos, int onFull, long timeoutNanos);

    @Override
    public native long put(long stream, long address, int length, long eventTimeNanos, int onFull, int choices);

    @Override
    public native int awaitProgress(long log, long progress, long timeoutNanos);

    @Override
    public native void nudge(long log);

    @Override
    public native int isDrained(long log, long stream, long sequence);

    @Override
    public native long durableSequence(long log);

    @Override
    public native int awaitDurable(long log, long sequence, long timeoutNanos);
}
