// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.handover;

import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;

/** The thread at the other end: it takes all messages there are, and spins for a while before it sleeps. */
final class Consumer {

    private static final int SPINS = 1000;
    private static final long NAP_NANOS = 50_000;

    /** The consumer's behaviour while there is no message. */
    enum Idle {
        SPIN,
        YIELD,
        /** Spins for a while, then sleeps for 50 us at a time. */
        NAP,
        /** Sleeps until it is woken. */
        PARK
    }

    private final Thread thread;
    private final Idle idle;
    private volatile boolean parked;
    private volatile boolean ended;

    Consumer(String name, IntSupplier take) {
        this(name, take, Idle.NAP);
    }

    /** @param take takes some messages and tells how many */
    Consumer(String name, IntSupplier take, Idle idle) {
        this.idle = idle;
        thread = new Thread(() -> run(take), name + "-consumer");
        thread.setDaemon(true);
        thread.start();
    }

    private void run(IntSupplier take) {
        int looks = 0;
        while (!ended) {
            if (take.getAsInt() > 0) {
                looks = 0;
            } else if (idle == Idle.YIELD) {
                Thread.yield();
            } else if (idle == Idle.PARK) {
                park(take);
            } else if (idle == Idle.SPIN || ++looks < SPINS) {
                Thread.onSpinWait();
            } else {
                LockSupport.parkNanos(NAP_NANOS);
            }
        }
    }

    /** Looks once more when the producer can see that this thread is about to sleep. */
    private void park(IntSupplier take) {
        parked = true;
        if (take.getAsInt() == 0 && !ended) {
            LockSupport.park(this);
        }
        parked = false;
    }

    /** A producer calls this after each message. It costs something with {@link Idle#PARK} only. */
    void wake() {
        if (idle == Idle.PARK) {
            VarHandle.fullFence(); // the message is stored before this look
            if (parked) {
                LockSupport.unpark(thread);
            }
        }
    }

    void end() {
        ended = true;
        LockSupport.unpark(thread);
        try {
            thread.join();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
