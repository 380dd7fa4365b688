// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import io.burstlog.binding.RecordCalls;

/** A record that waits for space. It lies on the heap, because the buffers outside the heap are few. */
final class WaitingRecord {

    final long stream;
    final byte[] bytes;
    final long eventTimeNanos;

    /** Whether its thread waits for durability, too. */
    final boolean isAwaited;

    /** Whether the engine has counted that it found the ring full. Only one thread at a time changes it. */
    boolean isRetry;

    WaitingRecord(long stream, byte[] bytes, long eventTimeNanos, boolean isAwaited) {
        this.stream = stream;
        this.bytes = bytes;
        this.eventTimeNanos = eventTimeNanos;
        this.isAwaited = isAwaited;
    }

    int choices() {
        return (isAwaited ? 0 : RecordCalls.ENQUEUED) | (isRetry ? RecordCalls.RETRY : 0);
    }
}
