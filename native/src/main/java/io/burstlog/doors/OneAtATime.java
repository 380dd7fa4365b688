// SPDX-License-Identifier: Apache-2.0
package io.burstlog.doors;

import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Lets one thread at a time do something that may wait, as a monitor does. But a virtual thread that waits for it, or
 * in it, is parked on every JDK.
 */
public final class OneAtATime {

    private final Lock lock = new ReentrantLock();

    /** {@return what the step returns} A thread may call this within its own step. */
    public <T> T call(Supplier<T> step) {
        lock.lock();
        try {
            return step.get();
        } finally {
            lock.unlock();
        }
    }
}
