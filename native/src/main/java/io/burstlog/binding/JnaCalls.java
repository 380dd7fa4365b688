// SPDX-License-Identifier: Apache-2.0
package io.burstlog.binding;

/** The C functions themselves, through JNA direct mapping. */
final class JnaCalls implements RecordCalls {

    @Override
    public long append(long handle, long address, int length, long eventTimeNanos) {
        return Engine.burst_append(handle, address, length, eventTimeNanos);
    }

    @Override
    public long enqueue(long handle, long address, int length, long eventTimeNanos) {
        return Engine.burst_enqueue(handle, address, length, eventTimeNanos);
    }

    @Override
    public long offer(long handle, long address, int length, long eventTimeNanos) {
        return Engine.burst_offer(handle, address, length, eventTimeNanos);
    }

    @Override
    public long appendWithin(
            long handle, long address, int length, long eventTimeNanos, int onFull, long timeoutNanos) {
        return Engine.burst_append_within(handle, address, length, eventTimeNanos, onFull, timeoutNanos);
    }

    @Override
    public long enqueueWithin(
            long handle, long address, int length, long eventTimeNanos, int onFull, long timeoutNanos) {
        return Engine.burst_enqueue_within(handle, address, length, eventTimeNanos, onFull, timeoutNanos);
    }

    @Override
    public long durableSequence(long handle) {
        return Engine.burst_durable_sequence(handle);
    }

    @Override
    public int awaitDurable(long handle, long sequence, long timeoutNanos) {
        return Engine.burst_await_durable(handle, sequence, timeoutNanos);
    }
}
