// SPDX-License-Identifier: Apache-2.0
package io.burstlog.binding;

/**
 * The calls made for each record. They take and return primitives only, so that a call allocates nothing; a negative
 * result is a negated errno, and {@link Engine#lastError()} then holds the sentence.
 */
public interface RecordCalls {

    long append(long handle, long address, int length, long eventTimeNanos);

    long enqueue(long handle, long address, int length, long eventTimeNanos);

    long offer(long handle, long address, int length, long eventTimeNanos);

    /** As {@link #append}, under a rule of this call's own: {@code enum burst_on_full}; a negative time: for ever. */
    long appendWithin(long handle, long address, int length, long eventTimeNanos, int onFull, long timeoutNanos);

    /** As {@link #enqueue}, under such a rule. */
    long enqueueWithin(long handle, long address, int length, long eventTimeNanos, int onFull, long timeoutNanos);

    long durableSequence(long handle);

    int awaitDurable(long handle, long sequence, long timeoutNanos);
}
