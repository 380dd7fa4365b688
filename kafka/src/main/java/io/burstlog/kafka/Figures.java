// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import io.burstlog.ConsumerLag;
import io.burstlog.kafka.ShipperStats.State;
import java.util.function.LongSupplier;

/** The figures of a shipper. The shipper's thread alone changes them; any thread may look at them. */
final class Figures {

    private final LongSupplier clockMillis;

    /** Without a lag. */
    private volatile ShipperStats counted = new ShipperStats(State.CONNECTING, 0, 0, 0, 0, 0, 0, 0, 0);

    private volatile ConsumerLag lag;

    /** @param clockMillis the time since 1970 */
    Figures(LongSupplier clockMillis) {
        this.clockMillis = clockMillis;
        leaveFolder();
    }

    /** The first record that waits grows older, also when nobody looks for it any more. */
    ShipperStats now() {
        ConsumerLag seen = lag;
        long oldest = seen.oldestEventTimeNanos();
        double seconds = oldest == 0 ? 0 : Math.max(0, clockMillis.getAsLong() / 1e3 - oldest / 1e9);
        ShipperStats last = counted;
        return new ShipperStats(
                last.state(),
                last.shippedNumber(),
                last.records(),
                last.bytes(),
                last.transactions(),
                last.failures(),
                seen.records(),
                seen.bytes(),
                seconds);
    }

    long transactions() {
        return counted.transactions();
    }

    /** Adds to the counters, and sets the rest. */
    void add(State state, long shipped, long records, long bytes, long transactions, long failures) {
        ShipperStats old = counted;
        counted = new ShipperStats(
                state,
                shipped,
                old.records() + records,
                old.bytes() + bytes,
                old.transactions() + transactions,
                old.failures() + failures,
                0,
                0,
                0);
    }

    /** Lost and missing records have no time: if no other one waits, they are no younger than the first one before. */
    void setLag(ConsumerLag seen) {
        boolean isTimed = seen.records() == 0 || seen.oldestEventTimeNanos() != 0;
        lag = isTimed ? seen : new ConsumerLag(seen.records(), seen.bytes(), lag.oldestEventTimeNanos());
    }

    /** Without a folder no record waits. */
    void leaveFolder() {
        lag = new ConsumerLag(0, 0, 0);
    }
}
