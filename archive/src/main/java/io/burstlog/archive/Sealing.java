// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import java.time.Duration;
import java.util.List;

/**
 * The promise of an archive: how much may lie behind the last head that an anchor has confirmed. A leaf states it, so
 * that verification knows what was promised.
 *
 * @param anchors their names; none: nothing is promised
 * @param every so many leaves, or more for the time that an answer may take
 * @param withinSeconds so long, by the monotonic clock
 */
record Sealing(List<String> anchors, long every, long withinSeconds) {

    /** So long an anchor has for its answer when leaves come too fast for it. */
    static final Duration ANSWER = Duration.ofMinutes(1);

    /** {@return how long until an anchor is asked, in nanoseconds; at most 0 if it is due} */
    long nanosUntilAsked(long leavesBehind, long pendingNanos) {
        return 2 * leavesBehind >= every ? 0 : Duration.ofSeconds(withinSeconds).toNanos() / 2 - pendingNanos;
    }

    /** {@return the text of the leaf that states it} */
    String text() {
        return "anchors: " + String.join(",", anchors) + "\nleaves: " + every + "\nseconds: " + withinSeconds
                + "\nanswer-seconds: " + ANSWER.toSeconds() + "\n";
    }

    /** {@return how it was broken, as the end of a sentence; null if it was not} */
    static String brokenBy(Leaf promise, long leaves, long nanos) {
        long every = number(promise, "leaves");
        Duration within = Duration.ofSeconds(number(promise, "seconds"));
        Duration answer = Duration.ofSeconds(number(promise, "answer-seconds"));
        Duration time = Duration.ofNanos(nanos);
        boolean isTooMuch = leaves > every && time.compareTo(answer) > 0;
        boolean isTooLate = time.compareTo(within) > 0;
        return isTooMuch || isTooLate
                ? "were taken in " + time.toSeconds() + " s, and the archive promised a confirmed head behind " + every
                        + " leaves or " + within.toSeconds() + " s; no anchor confirmed one of the heads in between"
                : null;
    }

    private static long number(Leaf leaf, String name) {
        String value = leaf.value(name);
        return value != null && value.matches("\\d{1,18}") ? Math.min(Long.parseLong(value), 1L << 32) : 0;
    }

    static boolean isPromise(Leaf leaf) {
        return leaf.value("anchors") != null && !leaf.value("anchors").isEmpty();
    }
}
