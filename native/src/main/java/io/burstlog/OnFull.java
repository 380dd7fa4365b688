// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

/**
 * The ways in which {@code append} and {@code enqueue} may act when the ring is full. {@code offer} never waits and
 * never discards.
 */
public enum OnFull {
    /** Wait for space, at most {@link BurstConfig#blockTimeout()} if that is set. */
    BLOCK,
    /** Throw {@link RingFullException}. */
    FAIL,
    /** Drop the record, count it in {@link BurstStats#discarded()} and return 0. */
    DISCARD
}
