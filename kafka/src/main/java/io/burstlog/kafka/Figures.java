// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import io.burstlog.ConsumerLag;
import io.burstlog.kafka.ShipperStats.State;

/** The figures of a shipper. The shipper's thread alone changes them; any thread may look at them. */
final class Figures {

    private volatile ShipperStats now = new ShipperStats(State.CONNECTING, 0, 0, 0, 0, 0, 0, 0, 0);

    ShipperStats now() {
        return now;
    }

    /** Adds to the counters, and sets the rest. */
    void add(State state, long shipped, long records, long bytes, long transactions, long failures) {
        ShipperStats old = now;
        now = new ShipperStats(
                state,
                shipped,
                old.records() + records,
                old.bytes() + bytes,
                old.transactions() + transactions,
                old.failures() + failures,
                old.lagRecords(),
                old.lagBytes(),
                old.lagSeconds());
    }

    void setLag(ConsumerLag lag) {
        long oldest = lag.oldestEventTimeNanos();
        double seconds = oldest == 0 ? 0 : Math.max(0, System.currentTimeMillis() / 1e3 - oldest / 1e9);
        ShipperStats old = now;
        now = new ShipperStats(
                old.state(),
                old.shippedNumber(),
                old.records(),
                old.bytes(),
                old.transactions(),
                old.failures(),
                lag.records(),
                lag.bytes(),
                seconds);
    }
}
