// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import java.time.Duration;
import java.util.List;

/**
 * The promise of an archive: how much may lie behind the last head that an anchor has confirmed. A leaf states it, so
 * that verification knows what was promised.
 *
 * @param anchors their names
 * @param every so many leaves
 * @param withinSeconds so long, by the monotonic clock
 */
record Sealing(List<String> anchors, long every, long withinSeconds) {

    /** So long an anchor has for its answer when leaves come too fast for it. */
    static final Duration ANSWER = Duration.ofMinutes(1);

    /** {@return how long until an anchor is asked, in nanoseconds; at most 0 if it is due} */
    long nanosUntilAsked(long leavesBehind, long pendingNanos) {
        return 2 * leavesBehind >= every ? 0 : Duration.ofSeconds(withinSeconds).toNanos() / 2 - pendingNanos;
    }
}
