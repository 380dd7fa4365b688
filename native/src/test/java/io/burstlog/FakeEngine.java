// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import com.sun.jna.Pointer;
import io.burstlog.binding.RecordCalls;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** An engine in which records become durable, and space comes free, when the test says so. */
final class FakeEngine implements RecordCalls {

    static final int EAGAIN = 11;
    static final int EIO = 5;
    static final int ESHUTDOWN = 108;

    /** The first byte of each record that got into the ring, in order. */
    final List<Byte> records = new CopyOnWriteArrayList<>();

    int puts;
    int awaits;
    private long durable;
    private long drained;
    private long room = Long.MAX_VALUE;
    private boolean isFailed;
    private boolean isOver;
    private long changes;
    private int nudges;

    synchronized void makeDurable(long sequence) {
        durable = sequence;
        notifyAll();
    }

    synchronized void drain(long sequence) {
        drained = sequence;
        changes++;
        notifyAll();
    }

    synchronized void giveRoom(long records) {
        room = records;
        changes++;
        notifyAll();
    }

    synchronized void fail() {
        isFailed = true;
        notifyAll();
    }

    synchronized void finish() {
        isOver = true;
        notifyAll();
    }

    /** Waits until the waker has read everything, and awaits a change of it. */
    synchronized void awaitWaker() throws InterruptedException {
        int before = awaits;
        nudges++;
        notifyAll();
        while (awaits < before + 2) {
            wait(10);
            notifyAll();
            if (awaits == before + 1) {
                nudges++;
            }
        }
    }

    @Override
    public synchronized long put(long stream, long address, int length, long eventTimeNanos, int onFull, int choices) {
        puts++;
        if (isOver) {
            return -ESHUTDOWN;
        }
        if (room == 0) {
            return -EAGAIN;
        }
        room--;
        records.add(length == 0 ? 0 : new Pointer(address).getByte(0));
        return records.size();
    }

    @Override
    public synchronized int awaitProgress(long log, long progress, long timeoutNanos) {
        Pointer struct = new Pointer(progress);
        awaits++;
        notifyAll();
        while (struct.getInt(4) == (isFailed ? 1 : 0)
                && struct.getInt(12) == (isOver ? 1 : 0)
                && struct.getLong(24) == durable
                && struct.getLong(40) == changes
                && struct.getInt(48) == nudges) {
            try {
                wait();
            } catch (InterruptedException nobodyDoes) {
                throw new AssertionError(nobodyDoes);
            }
        }
        struct.setInt(4, isFailed ? 1 : 0);
        struct.setInt(12, isOver ? 1 : 0);
        struct.setLong(24, durable);
        struct.setLong(40, changes);
        struct.setInt(48, nudges);
        return 1;
    }

    @Override
    public synchronized void nudge(long log) {
        nudges++;
        notifyAll();
    }

    @Override
    public synchronized int isDrained(long log, long stream, long sequence) {
        return drained >= sequence ? 1 : isOver ? -ESHUTDOWN : 0;
    }

    @Override
    public synchronized long durableSequence(long log) {
        return durable;
    }

    @Override
    public synchronized int awaitDurable(long log, long sequence, long timeoutNanos) {
        return durable >= sequence ? 1 : isFailed ? -EIO : 0;
    }

    @Override
    public long append(long stream, long address, int length, long eventTimeNanos) {
        throw new AssertionError("a virtual thread waits in native code");
    }

    @Override
    public long enqueue(long stream, long address, int length, long eventTimeNanos) {
        throw new AssertionError("a virtual thread waits in native code");
    }

    @Override
    public long offer(long stream, long address, int length, long eventTimeNanos) {
        throw new AssertionError("nobody offers here");
    }

    @Override
    public long appendWithin(long stream, long address, int length, long eventTimeNanos, int onFull, long nanos) {
        throw new AssertionError("a virtual thread waits in native code");
    }

    @Override
    public long enqueueWithin(long stream, long address, int length, long eventTimeNanos, int onFull, long nanos) {
        throw new AssertionError("a virtual thread waits in native code");
    }
}
