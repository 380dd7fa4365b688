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

    long durableSequence(long handle);

    int awaitDurable(long handle, long sequence, long timeoutNanos);
}
