// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import io.burstlog.BurstException;
import java.time.Duration;

/** The work on the rolls that a ring has accepted. Safe for use by any thread. */
interface RollWork {

    /** Called once before the first roll, when those of earlier processes are performed. */
    void begin();

    /**
     * Takes another configuration, before the manager does, and under its lock.
     *
     * @throws BurstException if rolls cannot be performed as it says; then the one before stays in force
     */
    void update(RollingSettings settings);

    /** Called once a configuration is taken, without a lock. */
    default void updated() {}

    /**
     * Called when the stream is closed.
     *
     * @return whether the work that was due is done
     */
    boolean end(Duration timeout);
}
