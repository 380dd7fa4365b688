// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import java.util.concurrent.atomic.LongAdder;

/**
 * What the engine cannot tell about a full ring, because appenders also offer: it takes each offer for a call of its own,
 * and does not know that an event was discarded after it. Safe for use by any thread.
 */
final class FullRingCount {

    private final LongAdder discarded = new LongAdder();
    private final LongAdder repeated = new LongAdder();

    /** An event was discarded, whoever decided that. */
    void discarded() {
        discarded.increment();
    }

    /** An offer found the ring full, for an event that had found it full before or for no event at all. */
    void repeated() {
        repeated.increment();
    }

    long discardedEvents() {
        return discarded.sum();
    }

    long repeatedOffers() {
        return repeated.sum();
    }
}
