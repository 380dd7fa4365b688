// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

/** What {@code append} and {@code enqueue} do when the ring is full. {@code offer} never waits and never discards. */
public enum OnFull {
    /** Wait for space, at most {@link BurstConfig#blockTimeout()} if that is set. */
    BLOCK,
    /** Throw {@link RingFullException}. */
    FAIL,
    /** Drop the record, count it in {@link BurstStats#discarded()} and return 0. */
    DISCARD
}
