// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import io.burstlog.binding.Engine;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The threads that wait for the second copy of a log. A platform thread waits in the engine. A virtual thread links
 * itself into a set, looks once more, and parks; {@link CopyFeed}, through which everything goes that the copy says,
 * releases it, and it asks the engine again. Taking a waiter out of the set gives the right to release it, as
 * {@link Waiter} says.
 */
final class CopyWaits {

    private static final int ENODATA = 61;

    private final long log;
    private final Waker waker;
    private final AtomicLong arrivals = new AtomicLong();
    private final ConcurrentSkipListSet<Waiter> waiting = new ConcurrentSkipListSet<>(Waiter.BY_SEQUENCE);

    CopyWaits(long log, Waker waker) {
        this.log = log;
        this.waker = waker;
    }

    /** Returns the highest sequence that the copy has together with all before it. */
    long copiedSequence() {
        long sequence = Engine.burst_copied_sequence(log);
        return sequence >= 0 ? sequence : BurstStream.fail(sequence);
    }

    /**
     * Waits until a record is durable, and stored in the copy.
     *
     * @param limitNanos negative: there is no limit
     * @return false if the time was over first
     * @throws BurstException if that does not come any more
     */
    boolean await(long sequence, long limitNanos) {
        if (!VirtualThreads.isCurrent()) {
            return ask(sequence, limitNanos);
        }
        long begin = System.nanoTime();
        boolean isLimited = limitNanos >= 0;
        if (limitNanos != 0 && !waker.awaitDurable(sequence, limitNanos)) {
            return false;
        }
        boolean isOver = limitNanos == 0;
        while (!isOver && !ask(sequence, 0)) {
            Waiter waiter = new Waiter(arrivals.getAndIncrement(), sequence);
            waiting.add(waiter);
            if (looksOnceMore(waiter)) {
                isOver = !waiter.await(begin + limitNanos, isLimited) && waiting.remove(waiter);
            }
        }
        return ask(sequence, 0);
    }

    /** Returns whether the waiter has to wait; otherwise it is in the set no more. */
    private boolean looksOnceMore(Waiter waiter) {
        if (Engine.burst_await_copied(log, waiter.sequence, 0) == 0) {
            return true;
        }
        waiting.remove(waiter);
        return false;
    }

    private boolean ask(long sequence, long limitNanos) {
        int result = Engine.burst_await_copied(log, sequence, limitNanos);
        if (result == -ENODATA) {
            throw new BurstException(BurstException.Code.COPY_AWAY, ENODATA, Engine.lastError());
        }
        return BurstStream.check(result) > 0;
    }

    /** The copy has more records. Only platform threads release. */
    void releaseCopied() {
        if (!waiting.isEmpty()) {
            release(Math.max(0, Engine.burst_copied_sequence(log)));
        }
    }

    /** The copy is away, or begins again, or the log is closed. */
    void releaseAll() {
        release(Long.MAX_VALUE);
    }

    private void release(long upTo) {
        for (Waiter waiter : waiting) {
            if (waiter.sequence > upTo) {
                return;
            }
            if (waiting.remove(waiter)) {
                waiter.release(Waiter.ASK);
            }
        }
    }

    /** For tests: how many virtual threads wait. */
    int waiters() {
        return waiting.size();
    }
}
