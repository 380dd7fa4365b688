// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import io.burstlog.binding.Engine;
import io.burstlog.binding.RecordCalls;
import java.util.Iterator;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Waits for the engine on behalf of the virtual threads of a log: a virtual thread that waited in native code would
 * hold its carrier. Its platform thread sleeps in Java while nobody waits; the first virtual thread that waits starts
 * it.
 *
 * <p><b>Why no wake-up is lost.</b> What is durable is a prefix, so this thread reads the watermark, takes out the
 * waiters that it covers, and awaits in native code any change of what it has read. A virtual thread links itself in,
 * and then looks at the watermark once more. If it looks too early to see its record durable, the watermark moves
 * later, and this thread takes waiters out after that: it finds the one that is linked. In the same way a virtual
 * thread links itself in and then looks whether this thread sleeps, or whether all is over; this thread announces that,
 * and then looks for waiters. The model parked.pml checks this.
 *
 * <p>Only platform threads release: this one, and the one that closes the log. So a virtual thread that is pinned to
 * its carrier holds that carrier, and never the thread that is to release it.
 *
 * <p><b>Space</b> is given in the order of arrival. This thread puts the records of waiting threads into the ring
 * itself, as many as fit. So no thread wakes for space that it does not get, and none needs a buffer meanwhile.
 */
final class Waker {

    private static final int BUFFER_BYTES = 512;
    private static final long AGAIN_NANOS = 1_000_000;
    private static final String NO_MEMORY = "There is no memory to copy a record that waited for space; nothing was"
            + " written. Give the JVM more memory outside the heap (-XX:MaxDirectMemorySize).";

    private final String name;
    private final long log;
    private final RecordCalls calls;

    private final AtomicLong arrivals = new AtomicLong();
    private final ConcurrentSkipListSet<Waiter> durable = new ConcurrentSkipListSet<>(Waiter.BY_SEQUENCE);
    private final ConcurrentSkipListSet<Waiter> space = new ConcurrentSkipListSet<>(Waiter.BY_ARRIVAL);
    private final ConcurrentSkipListSet<Waiter> drained = new ConcurrentSkipListSet<>(Waiter.BY_ARRIVAL);

    private final AtomicBoolean isAsleep = new AtomicBoolean();

    /** Whether the engine knows that a record waits for space. */
    private volatile boolean watchesSpace;

    /** Whether the ring has failed: it acknowledges no further record. */
    private volatile boolean hasFailed;

    /** Whether the log is closed, or its close was given up. */
    private volatile boolean isOver;

    private final Lock starting = new ReentrantLock();
    private volatile Thread thread;

    Waker(String ring, long log, RecordCalls calls) {
        this.name = "burstlog-waker " + ring;
        this.log = log;
        this.calls = calls;
    }

    /** Makes sure that the thread runs. Called before a record is put in, because it may throw. */
    void start() {
        if (thread != null) {
            return;
        }
        starting.lock();
        try {
            if (thread == null) {
                // All that the thread needs comes first: it never ends for lack of memory.
                Progress progress = new Progress(calls, log);
                RecordBuffer buffer = RecordBuffer.allocate(BUFFER_BYTES, Integer.MAX_VALUE);
                Thread started = new Thread(() -> run(progress, buffer), name);
                started.setDaemon(true);
                started.start();
                thread = started;
            }
        } finally {
            starting.unlock();
        }
    }

    /** Returns how many threads wait. For tests: it counts them all. */
    int waiters() {
        return durable.size() + space.size() + drained.size();
    }

    /** Tells whether records wait for space: one that comes later has to wait behind them. */
    boolean isSpaceAwaited() {
        return !space.isEmpty();
    }

    /**
     * Waits until a record is durable.
     *
     * @param sequence the record's sequence, which {@link RecordCalls#put} has returned
     * @param deadlineNanos of {@link System#nanoTime()}
     * @param isLimited false: there is no deadline
     * @return false if the deadline came first
     * @throws BurstException if the record did not become durable
     */
    boolean awaitDurable(long sequence, long deadlineNanos, boolean isLimited) {
        Waiter waiter = linkedForDurability(sequence);
        return waiter == null || awaitDurable(waiter, deadlineNanos, isLimited);
    }

    /**
     * Waits until a record is durable that may have been enqueued; otherwise as {@link BurstLog#awaitDurable}. It has
     * to be committed at once now.
     *
     * @param limitNanos negative: there is no limit
     */
    boolean awaitDurable(long sequence, long limitNanos) {
        if (isDurable(sequence) || limitNanos == 0) {
            return isDurable(sequence);
        }
        start();
        Waiter waiter = linkedForDurability(sequence);
        if (waiter == null) {
            return true;
        }
        calls.nudge(log);
        wake();
        return awaitDurable(waiter, deadlineOf(limitNanos), limitNanos >= 0);
    }

    /** Returns null if the record is durable. */
    Waiter linkedForDurability(long sequence) {
        Waiter waiter = new Waiter(arrivals.getAndIncrement(), sequence);
        durable.add(waiter);
        if (calls.durableSequence(log) >= sequence) { // the second look
            durable.remove(waiter);
            return null;
        }
        if ((hasFailed || isOver) && durable.remove(waiter)) {
            waiter.set(Waiter.ASK);
        }
        wake();
        return waiter;
    }

    private boolean awaitDurable(Waiter waiter, long deadlineNanos, boolean isLimited) {
        if (!waiter.await(deadlineNanos, isLimited) && !durable.remove(waiter)) {
            waiter.await(0, false); // it is being released
        }
        return waiter.get() == Waiter.DONE || isDurable(waiter.sequence);
    }

    /** Asks the engine what became of a record, without waiting. */
    private boolean isDurable(long sequence) {
        int result = calls.awaitDurable(log, sequence, 0);
        if (result < 0) {
            BurstStream.fail(result);
        }
        if (result == 0 && isOver) {
            throw new BurstException(
                    BurstException.Code.UNDECIDED,
                    "The log was closed before record " + sequence + " was durable on the ring of " + name
                            + "; it may still become so.");
        }
        return result > 0;
    }

    /**
     * Waits until the record has space, and if its thread waits for that, until it is durable.
     *
     * @return its sequence; -ETIMEDOUT if there was no space until the deadline, -EINPROGRESS if it was not durable
     *     then
     * @throws BurstException if the record was not accepted, or did not become durable
     */
    long awaitSpace(WaitingRecord record, long deadlineNanos, boolean isLimited) {
        Waiter waiter = new Waiter(arrivals.getAndIncrement(), 0);
        waiter.record = record;
        space.add(waiter);
        if (isOver && waiter.compareAndSet(Waiter.WAITING, Waiter.GONE)) {
            space.remove(waiter);
            return -Engine.ESHUTDOWN;
        }
        if (!watchesSpace) {
            calls.nudge(log);
        }
        wake();
        while (!waiter.await(deadlineNanos, isLimited)) {
            if (waiter.compareAndSet(Waiter.WAITING, Waiter.GONE)) {
                space.remove(waiter);
                return -Engine.ETIMEDOUT;
            }
            if (waiter.get() != Waiter.TAKEN) {
                break;
            }
            Thread.yield(); // the waker puts its record in at this moment
        }
        if (waiter.sequence == 0) {
            return waiter.result >= 0 ? waiter.result : fail(waiter);
        }
        return awaitDurable(waiter, deadlineNanos, isLimited) ? waiter.sequence : -Engine.EINPROGRESS;
    }

    private static long fail(Waiter waiter) {
        throw BurstException.ofCall((int) -waiter.result, waiter.sentence);
    }

    /**
     * Waits until all records up to a sequence that was given out are in the log file.
     *
     * @param stream the handle of a stream; 0: all streams
     * @param limitNanos negative: there is no limit
     * @return false if the time was over first
     * @throws BurstException if that does not come any more
     */
    boolean awaitDrained(long stream, long sequence, long limitNanos) {
        long begin = System.nanoTime();
        if (BurstStream.check(calls.isDrained(log, stream, sequence)) > 0) {
            return true;
        }
        if (!awaitDurable(sequence, limitNanos)) {
            return false;
        }
        start();
        boolean isLimited = limitNanos >= 0;
        long deadlineNanos = isLimited ? begin + limitNanos : 0;
        Waiter waiter = new Waiter(arrivals.getAndIncrement(), sequence);
        waiter.stream = stream;
        drained.add(waiter);
        if (calls.isDrained(log, stream, sequence) == 0) { // the second look
            wake();
            waiter.await(deadlineNanos, isLimited);
        }
        drained.remove(waiter);
        return BurstStream.check(calls.isDrained(log, stream, sequence)) > 0;
    }

    private static long deadlineOf(long limitNanos) {
        return limitNanos > 0 ? System.nanoTime() + limitNanos : 0;
    }

    /** Wakes the thread if it sleeps in Java: it sleeps only if it saw no waiter after it had announced that. */
    private void wake() {
        if (isAsleep.get() && isAsleep.compareAndSet(true, false)) {
            LockSupport.unpark(thread);
        }
    }

    private void run(Progress progress, RecordBuffer buffer) {
        for (; ; ) {
            try {
                if (isOver) {
                    releaseAll();
                    return;
                } else if (isNobodyWaiting()) {
                    sleep();
                } else {
                    step(progress, buffer);
                }
            } catch (Throwable outOfMemory) {
                // Nobody else releases those who wait.
                progress.forget();
                LockSupport.parkNanos(AGAIN_NANOS);
            }
        }
    }

    private boolean isNobodyWaiting() {
        return durable.isEmpty() && space.isEmpty() && drained.isEmpty();
    }

    private void sleep() {
        announceSleep();
        while (maySleep()) { // the second look
            LockSupport.park(this);
        }
        isAsleep.set(false);
    }

    void announceSleep() {
        isAsleep.set(true);
    }

    /** Tells whether nobody woke the thread, and nobody waits. */
    boolean maySleep() {
        return isAsleep.get() && isNobodyWaiting() && !isOver;
    }

    /** For tests: whether nobody has woken the thread since it announced its sleep. */
    boolean isAsleep() {
        return isAsleep.get();
    }

    private void step(Progress progress, RecordBuffer buffer) {
        long spaceSince = spaceSince();
        long drainsBefore = progress.drains();
        boolean goesOn = progress.await(spaceSince);
        releaseDurable(progress.durableSequence());
        if (progress.isFailed()) {
            hasFailed = true;
            releaseUndurable();
        }
        serveSpace(buffer);
        if (progress.drains() != drainsBefore || progress.isFailed() || progress.isClosing()) {
            releaseDrained();
        }
        if (!goesOn || progress.isOver()) {
            isOver = true;
        }
    }

    /** Tells since when a record has waited for space, or 0. */
    private long spaceSince() {
        watchesSpace = true;
        Waiter first = firstOf(space);
        if (first == null) {
            watchesSpace = false;
            first = firstOf(space); // the second look: a thread that linked itself in meanwhile saw that it is watched
            watchesSpace = first != null;
        }
        return first == null ? 0 : Math.max(1, first.beginNanos);
    }

    private static Waiter firstOf(ConcurrentSkipListSet<Waiter> waiters) {
        Iterator<Waiter> first = waiters.iterator();
        return first.hasNext() ? first.next() : null;
    }

    /**
     * Releases each waiter whose record is durable, and no other. Here and below it is released before it is taken out
     * of its set, since that takes memory.
     */
    void releaseDurable(long watermark) {
        for (Waiter waiter : durable) {
            if (waiter.sequence > watermark) {
                return;
            }
            waiter.release(Waiter.DONE);
            durable.remove(waiter);
        }
    }

    private void releaseUndurable() {
        for (Waiter waiter : durable) {
            waiter.release(Waiter.ASK);
            durable.remove(waiter);
        }
    }

    private void releaseDrained() {
        for (Waiter waiter : drained) {
            if (calls.isDrained(log, waiter.stream, waiter.sequence) != 0) {
                waiter.release(Waiter.ASK);
                drained.remove(waiter);
            }
        }
    }

    /** Puts records that wait into the ring, in the order of arrival, as many as fit. */
    private void serveSpace(RecordBuffer buffer) {
        for (Waiter waiter = firstOf(space); waiter != null; waiter = firstOf(space)) {
            if (!waiter.compareAndSet(Waiter.WAITING, Waiter.TAKEN)) {
                space.remove(waiter); // its time was over, or there was no memory to take it out
            } else if (!serve(waiter, buffer)) {
                return;
            }
        }
    }

    /** Returns false if the ring is full. */
    private boolean serve(Waiter waiter, RecordBuffer buffer) {
        WaitingRecord record = waiter.record;
        long sequence;
        try {
            sequence = put(record, buffer);
            waiter.sentence = sequence < 0 ? Engine.lastError() : null;
        } catch (OutOfMemoryError tooLittle) {
            sequence = -Engine.ENOMEM;
            waiter.sentence = NO_MEMORY;
        }
        if (sequence == -Engine.EAGAIN) {
            record.isRetry = true;
            waiter.set(Waiter.WAITING);
            return false;
        }
        waiter.record = null;
        if (sequence > 0 && record.isAwaited) {
            waiter.sequence = sequence;
            linkForDurability(waiter);
        } else {
            waiter.result = sequence;
            waiter.release(Waiter.DONE);
        }
        space.remove(waiter);
        return true;
    }

    /** Tries until there is memory for it: the record is in the ring, and nobody else releases its thread. */
    private void linkForDurability(Waiter waiter) {
        while (!isOver) {
            try {
                durable.add(waiter);
                waiter.compareAndSet(Waiter.TAKEN, Waiter.IN_RING);
                return;
            } catch (OutOfMemoryError tooLittle) {
                LockSupport.parkNanos(AGAIN_NANOS);
            }
        }
        waiter.release(Waiter.ASK);
    }

    private long put(WaitingRecord record, RecordBuffer buffer) {
        buffer.clear().put(record.bytes, 0, record.bytes.length);
        return calls.put(
                record.stream,
                buffer.address(),
                buffer.length(),
                record.eventTimeNanos,
                OnFull.BLOCK.ordinal(),
                record.choices());
    }

    /** Called when the log is closed, or when its close was given up: releases everybody, and ends the thread. */
    void end() {
        isOver = true;
        calls.nudge(log);
        wake();
        releaseAll();
    }

    private void releaseAll() {
        releaseDurable(calls.durableSequence(log));
        releaseUndurable();
        for (Waiter waiter : space) {
            if (waiter.compareAndSet(Waiter.WAITING, Waiter.TAKEN)) {
                waiter.result = -Engine.ESHUTDOWN;
                waiter.sentence = "The log was closed while a record waited for space; nothing was written.";
                waiter.release(Waiter.DONE);
                space.remove(waiter);
            }
        }
        for (Waiter waiter : drained) {
            waiter.release(Waiter.ASK);
            drained.remove(waiter);
        }
    }
}
