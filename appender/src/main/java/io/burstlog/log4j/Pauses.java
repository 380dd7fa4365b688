// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import java.util.concurrent.locks.LockSupport;

/**
 * The pauses of one thread that looks again and again whether it can go on. An interrupt would turn them into spinning;
 * it is kept for the caller until they are over. Not thread-safe.
 */
final class Pauses implements AutoCloseable {

    private final long nanos;
    private boolean interrupted;

    Pauses(final long nanos) {
        this.nanos = nanos;
    }

    void pause() {
        interrupted |= Thread.interrupted();
        LockSupport.parkNanos(nanos);
    }

    @Override
    public void close() {
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
