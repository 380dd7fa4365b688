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
    public long put(long stream, long address, int length, long eventTimeNanos, int onFull, int choices) {
        return Engine.burst_stream_put(stream, address, length, eventTimeNanos, onFull, choices);
    }

    @Override
    public int awaitProgress(long log, long progress, long timeoutNanos) {
        return Engine.burst_await_progress(log, progress, timeoutNanos);
    }

    @Override
    public void nudge(long log) {
        Engine.burst_nudge(log);
    }

    @Override
    public int isDrained(long log, long stream, long sequence) {
        return stream == 0 ? Engine.burst_is_drained(log, sequence) : Engine.burst_stream_is_drained(stream, sequence);
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
