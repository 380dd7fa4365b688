// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import io.burstlog.doors.OpenRing;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/** A lock whose timed wait is not ended by an interrupt. */
final class PatientLock extends ReentrantLock {

    private static final long serialVersionUID = 1L;

    /** Takes the lock. Returns false if others have it all that time. An interrupt stays. */
    boolean isTakenWithin(final Duration time) {
        final long begin = System.nanoTime();
        boolean isInterrupted = false;
        try {
            while (true) {
                try {
                    return tryLock(OpenRing.left(time, begin).toNanos(), TimeUnit.NANOSECONDS);
                } catch (final InterruptedException stillToBeSeen) {
                    isInterrupted = true;
                }
            }
        } finally {
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
