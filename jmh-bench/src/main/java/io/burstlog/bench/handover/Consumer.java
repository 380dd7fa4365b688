// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.handover;

import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;

/** The thread at the other end: takes what there is, and spins for a while before it sleeps. */
final class Consumer {

    private static final int SPINS = 1000;
    private static final long NAP_NANOS = 50_000;

    private final Thread thread;
    private volatile boolean ended;

    /** @param take takes some messages and tells how many */
    Consumer(String name, IntSupplier take) {
        thread = new Thread(() -> run(take), name + "-consumer");
        thread.setDaemon(true);
        thread.start();
    }

    private void run(IntSupplier take) {
        int idle = 0;
        while (!ended) {
            if (take.getAsInt() > 0) {
                idle = 0;
            } else if (++idle < SPINS) {
                Thread.onSpinWait();
            } else {
                LockSupport.parkNanos(NAP_NANOS);
            }
        }
    }

    void end() {
        ended = true;
        try {
            thread.join();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
