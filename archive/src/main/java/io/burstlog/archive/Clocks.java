// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import java.time.Instant;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The clocks of an archiver, and what there is to say about them.
 *
 * @param day nanoseconds since 1970
 * @param monotonic nanoseconds since anything
 * @param evidence lines about the state of the clock of the day; it may take seconds
 */
record Clocks(LongSupplier day, LongSupplier monotonic, Supplier<String> evidence) {

    static Clocks ofHost() {
        return new Clocks(Clocks::now, System::nanoTime, ClockEvidence::take);
    }

    /** {@return the nanoseconds since 1970} */
    static long now() {
        Instant now = Instant.now();
        return now.getEpochSecond() * 1_000_000_000 + now.getNano();
    }
}
