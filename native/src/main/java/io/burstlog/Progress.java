// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import io.burstlog.binding.RecordCalls;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** A {@code burst_progress_t}: what the waker has read of a log. Only the waker uses it. */
final class Progress {

    private static final int BYTES = 56;
    private static final int IS_FAILED = 4;
    private static final int IS_CLOSING = 8;
    private static final int IS_OVER = 12;
    private static final int SPACE_SINCE = 16;
    private static final int DURABLE_SEQUENCE = 24;
    private static final int DRAINS = 40;

    private final ByteBuffer struct = ByteBuffer.allocateDirect(BYTES).order(ByteOrder.nativeOrder());
    private final long address = Pointer.nativeValue(Native.getDirectBufferPointer(struct));
    private final RecordCalls calls;
    private final long log;

    Progress(RecordCalls calls, long log) {
        this.calls = calls;
        this.log = log;
        struct.putInt(0, BYTES);
    }

    /**
     * Waits until the log has something that was not read yet, and reads it. Meanwhile this thread writes what virtual
     * threads have put into the ring.
     *
     * @param spaceSinceNanos since when a record has waited for space; 0: none does
     * @return false if nothing changes any more
     */
    boolean await(long spaceSinceNanos) {
        struct.putLong(SPACE_SINCE, spaceSinceNanos);
        return calls.awaitProgress(log, address, NativeTime.FOREVER) >= 0;
    }

    long durableSequence() {
        return struct.getLong(DURABLE_SEQUENCE);
    }

    /** Changes when a log file may have more of its records, or may not get them any more. */
    long drains() {
        return struct.getLong(DRAINS);
    }

    boolean isFailed() {
        return struct.getInt(IS_FAILED) != 0;
    }

    boolean isClosing() {
        return struct.getInt(IS_CLOSING) != 0;
    }

    boolean isOver() {
        return struct.getInt(IS_OVER) != 0;
    }

    /** Forgets what was read, so that the next wait returns at once. */
    void forget() {
        struct.putLong(DURABLE_SEQUENCE, -1);
    }
}
