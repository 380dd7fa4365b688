// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import io.burstlog.binding.Engine;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * How far the copy of a stream has got, and the threads that wait for it. They wait parked, so virtual threads give
 * their carriers back.
 *
 * <p>A thread links itself into a set, and looks once more before it parks. Taking a waiter out of the set gives the
 * right to release it, as {@link Waiter} says.
 */
final class CopyWatermark implements CopyProgress {

    private final long log;
    private final String ring;
    private final AtomicLong copied = new AtomicLong();
    private final AtomicLong arrivals = new AtomicLong();
    private final ConcurrentSkipListSet<Waiter> waiting = new ConcurrentSkipListSet<>(Waiter.BY_SEQUENCE);

    /**
     * @param log the handle of the log
     * @param ring the id of its ring
     */
    CopyWatermark(long log, String ring) {
        this.log = log;
        this.ring = ring;
    }

    /** Returns the highest sequence up to which the copy has all records of the stream. */
    long sequence() {
        return copied.get();
    }

    @Override
    public void copied(String of, long sequence) {
        if (!of.equals(ring) || copied.accumulateAndGet(sequence, Math::max) != sequence) {
            return;
        }
        for (Waiter first = first(); first != null && first.sequence <= sequence; first = first()) {
            if (waiting.remove(first)) {
                first.release(Waiter.DONE);
            }
        }
    }

    private Waiter first() {
        var entries = waiting.iterator();
        return entries.hasNext() ? entries.next() : null;
    }

    @Override
    public void away(String reason) {
        for (Waiter each : waiting) {
            if (waiting.remove(each)) {
                each.release(Waiter.ASK);
            }
        }
    }

    @Override
    public void back(String place, long behind) {
        // The watermark moves by copied() alone.
    }

    /**
     * Waits until the copy has a record and all before it.
     *
     * @param limitNanos negative: there is no limit
     * @param givesUp asked before each wait, and again after {@link #away}: whether to wait no longer
     * @return whether the copy has it
     */
    boolean await(long sequence, long limitNanos, BooleanSupplier givesUp) {
        long begin = System.nanoTime();
        boolean isLimited = limitNanos >= 0;
        boolean isOver = limitNanos == 0;
        while (copied.get() < sequence && !isOver) {
            Waiter waiter = new Waiter(arrivals.getAndIncrement(), sequence);
            waiting.add(waiter);
            if (givesUp.getAsBoolean() || copied.get() >= sequence) { // the second look
                waiting.remove(waiter);
                break;
            }
            Engine.burst_hurry(log);
            isOver = !waiter.await(begin + limitNanos, isLimited) && waiting.remove(waiter);
        }
        return copied.get() >= sequence;
    }
}
