// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import java.time.Duration;

/** Rolls of a test that compares file by file: on a slow disk they wait, and no file goes on in place of a roll. */
public final class PatientRolls {

    private PatientRolls() {}

    /** Lets each roll wait so long for the deletions of the rolls before it. */
    public static void await(final FileRolling rolling, final Duration wait) {
        rolling.jobs().limit(StreamJobs.MOST_PENDING, wait);
    }
}
