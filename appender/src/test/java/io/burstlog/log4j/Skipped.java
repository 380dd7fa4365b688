// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import org.junit.jupiter.api.Assumptions;

/** Skips a test and says so where everybody looks: the build's own summary only counts. */
final class Skipped {

    private Skipped() {}

    static void unless(final boolean possible, final String reason) {
        if (!possible) {
            System.out.println("SKIPPED: " + reason);
            Assumptions.abort(reason);
        }
    }
}
