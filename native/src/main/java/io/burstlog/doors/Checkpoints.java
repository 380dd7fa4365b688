// SPDX-License-Identifier: Apache-2.0
package io.burstlog.doors;

import org.crac.Context;
import org.crac.Core;
import org.crac.Resource;

/**
 * Hears of checkpoints of the JVM and of restores. The only class that needs {@code org.crac}, which programs have on
 * their class path if they make checkpoints.
 */
final class Checkpoints implements Resource {

    /** Contexts of CRaC hold their resources weakly. */
    private static final Checkpoints ONE = new Checkpoints();

    private Checkpoints() {}

    static void watch() {
        Core.getGlobalContext().register(ONE);
    }

    @Override
    public void beforeCheckpoint(Context<? extends Resource> context) {
        Suspension.begin();
    }

    @Override
    public void afterRestore(Context<? extends Resource> context) {
        Suspension.end();
    }

    @Override
    public String toString() {
        return "Burstlog";
    }
}
