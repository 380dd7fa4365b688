// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import java.time.Duration;

/** Durations as the engine reads them. The engine adds them to its clock, so no sum may exceed 64 bits. */
final class NativeTime {

    /** The time that the engine takes for a wait without end. */
    static final long FOREVER = -1;

    /** The longest duration, 146 years. */
    static final long LONGEST_NANOS = Long.MAX_VALUE / 2;

    private static final Duration LONGEST = Duration.ofNanos(LONGEST_NANOS);

    private NativeTime() {}

    static boolean isForever(Duration duration) {
        return duration.compareTo(LONGEST) > 0;
    }

    /**
     * Turns a timeout into nanoseconds. A negative one becomes no wait, and one that is too long to count a wait
     * without end.
     */
    static long nanosOf(Duration timeout) {
        if (timeout.isNegative()) {
            return 0;
        }
        return isForever(timeout) ? FOREVER : timeout.toNanos();
    }
}
