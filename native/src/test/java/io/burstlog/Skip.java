// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import org.junit.jupiter.api.Assumptions;

/** A test that cannot run here says so where everybody sees it, not only in a report. */
public final class Skip {

    private Skip() {}

    public static void unless(boolean possible, String reason) {
        if (!possible) {
            System.err.println("SKIPPED: " + reason);
        }
        Assumptions.assumeTrue(possible, reason);
    }
}
