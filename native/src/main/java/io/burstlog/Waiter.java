// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import java.util.Comparator;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * A virtual thread that waits, parked. It links itself into a set of {@link Waker}, and looks once more before it
 * parks. The waker releases a waiter that has what it waits for, and then takes it out of the set; the thread itself
 * takes its waiter out when its time is over.
 *
 * <p>The value of the superclass says how far it has got.
 */
final class Waiter extends AtomicInteger {

    private static final long serialVersionUID = 1L;

    static final Comparator<Waiter> BY_SEQUENCE =
            Comparator.<Waiter>comparingLong(waiter -> waiter.sequence).thenComparingLong(waiter -> waiter.number);
    static final Comparator<Waiter> BY_ARRIVAL = Comparator.comparingLong(waiter -> waiter.number);

    static final int WAITING = 0;

    /** The waker tries to put its record into the ring. */
    static final int TAKEN = 1;

    /** The waker has put its record into the ring, and it waits for durability. */
    static final int IN_RING = 2;

    /** The waker has released it: its record is durable, or {@link #result} says what became of it. */
    static final int DONE = 3;

    /** The waker has released it without an answer: it asks the engine itself. */
    static final int ASK = 4;

    /** Its time was over. */
    static final int GONE = 5;

    /** Tells waiters for the same sequence apart, and gives waiters for space their order. */
    final long number;

    final long beginNanos = System.nanoTime();

    private final transient Thread thread = Thread.currentThread();

    /** The record that waits for space; null: it waits for something else. */
    transient WaitingRecord record;

    /** The sequence that it waits for; changes only while it is in no set that is ordered by it. */
    long sequence;

    /** The stream whose log file it waits for; 0: those of all streams. */
    long stream;

    /** The engine's answer for a record that waited for space, and the sentence if that is negative. */
    long result;

    String sentence;

    Waiter(long number, long sequence) {
        this.number = number;
        this.sequence = sequence;
    }

    /** Releases the thread. A second call does no harm if it says the same, or comes when the thread has gone on. */
    void release(int how) {
        set(how);
        LockSupport.unpark(thread);
    }

    private boolean isReleased() {
        return get() == DONE || get() == ASK;
    }

    /**
     * Parks until this waiter is released, or until the deadline. An interrupt ends no wait. Its flag is cleared
     * meanwhile, since a thread whose flag is set cannot park, and set again before this method returns.
     *
     * @param deadlineNanos of {@link System#nanoTime()}
     * @param isLimited false: there is no deadline
     * @return whether it is released
     */
    boolean await(long deadlineNanos, boolean isLimited) {
        boolean interrupted = false;
        while (!isReleased()) {
            if (!isLimited) {
                LockSupport.park(this);
            } else {
                long left = deadlineNanos - System.nanoTime();
                if (left <= 0) {
                    break;
                }
                LockSupport.parkNanos(this, left);
            }
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return isReleased();
    }
}
