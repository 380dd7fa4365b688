// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import io.burstlog.BurstLog;
import java.util.concurrent.atomic.LongAdder;

/**
 * What the engine cannot tell about a full ring, because appenders also offer: it takes each offer for a call of its
 * own, and knows neither that an event was discarded after it nor that a log call waits. Safe for use by any thread.
 */
final class FullRingCount {

    private final LongAdder discarded = new LongAdder();
    private final LongAdder repeated = new LongAdder();
    private final LossReport waits = new LossReport(LossReport.ONE_MINUTE);

    /** An event was discarded, whoever decided that. */
    void discarded() {
        discarded.increment();
    }

    /** An offer found the ring full, for an event that had found it full before or for no event at all. */
    void repeated() {
        repeated.increment();
    }

    /** A log call waits for space. */
    void waits(final BurstLog log) {
        waits.add(() -> "Burst: a log call waits, because the ring is full: " + whatToDo(log)
                + " The attribute blockTimeout bounds such waits.");
    }

    static String whatToDo(final BurstLog log) {
        return "its records do not get to the log file " + log.currentFile()
                + " as fast as they come. Make room there, or"
                + " find out what slows its disk; a larger ring (ringSize) takes longer bursts.";
    }

    long discardedEvents() {
        return discarded.sum();
    }

    long repeatedOffers() {
        return repeated.sum();
    }
}
