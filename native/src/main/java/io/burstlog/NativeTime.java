// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import java.time.Duration;

/** Durations as the engine reads them. It adds them to its clock, so none may come near the end of 64 bits. */
final class NativeTime {

    /** Waits without end. */
    static final long FOREVER = -1;

    /** 146 years. */
    static final long LONGEST_NANOS = Long.MAX_VALUE / 2;

    private static final Duration LONGEST = Duration.ofNanos(LONGEST_NANOS);

    private NativeTime() {}

    static boolean isForever(Duration duration) {
        return duration.compareTo(LONGEST) > 0;
    }

    /** A timeout: a negative one does not wait, and one too long to count has no end. */
    static long nanosOf(Duration timeout) {
        if (timeout.isNegative()) {
            return 0;
        }
        return isForever(timeout) ? FOREVER : timeout.toNanos();
    }
}
