// SPDX-License-Identifier: Apache-2.0
package io.burstlog.binding;

/** The C functions themselves, through JNA direct mapping. */
final class JnaCalls implements RecordCalls {

    @Override
    public long append(long stream, long address, int length, long eventTimeNanos) {
        return Engine.burst_stream_append(stream, address, length, eventTimeNanos);
    }

    @Override
    public long enqueue(long stream, long address, int length, long eventTimeNanos) {
        return Engine.burst_stream_enqueue(stream, address, length, eventTimeNanos);
    }

    @Override
    public long offer(long stream, long address, int length, long eventTimeNanos) {
        return Engine.burst_stream_offer(stream, address, length, eventTimeNanos);
    }

    @Override
    public long appendWithin(
            long stream, long address, int length, long eventTimeNanos, int onFull, long timeoutNanos) {
        return Engine.burst_stream_append_within(stream, address, length, eventTimeNanos, onFull, timeoutNanos);
    }

    @Override
    public long enqueueWithin(
            long stream, long address, int length, long eventTimeNanos, int onFull, long timeoutNanos) {
        return Engine.burst_stream_enqueue_within(stream, address, length, eventTimeNanos, onFull, timeoutNanos);
    }

    @Override
    public long durableSequence(long log) {
        return Engine.burst_durable_sequence(log);
    }

    @Override
    public int awaitDurable(long log, long sequence, long timeoutNanos) {
        return Engine.burst_await_durable(log, sequence, timeoutNanos);
    }
}
