// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.handover;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The lock-free queue for one producer, as people write it by hand: slots of bytes that are made beforehand, and two
 * counters. Its cost depends on how the producer stores its counter: by an ordered store ({@code lazySet},
 * {@code setRelease}), or by a volatile one ({@code set}), which waits until all stores before it are seen.
 */
final class SlotQueue implements HandOver {

    /** So far apart that producer and consumer do not share a cache line. */
    private static final int SENT = 16;

    private static final int TAKEN = 48;
    private static final int CELLS = 64;
    private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] cells = new long[CELLS];
    private final byte[][] slots;
    private final boolean ordered;
    private final Consumer consumer;
    private long sent;
    private long takenSeen;

    /** @param ordered whether the counter is stored without waiting for the stores before it */
    SlotQueue(int bytes, boolean ordered, Consumer.Idle idle) {
        this.ordered = ordered;
        slots = new byte[CAPACITY][bytes];
        consumer = new Consumer("slots", this::take, idle);
    }

    private int take() {
        long taken = (long) CELL.getOpaque(cells, TAKEN);
        long until = (long) CELL.getAcquire(cells, SENT);
        CELL.setRelease(cells, TAKEN, until);
        return (int) (until - taken);
    }

    @Override
    public void offer(byte[] message) {
        while (sent - takenSeen == CAPACITY) {
            takenSeen = (long) CELL.getAcquire(cells, TAKEN);
            Thread.onSpinWait();
        }
        System.arraycopy(message, 0, slots[(int) sent & CAPACITY - 1], 0, message.length);
        sent++;
        if (ordered) {
            CELL.setRelease(cells, SENT, sent);
        } else {
            CELL.setVolatile(cells, SENT, sent);
        }
        consumer.wake();
    }

    @Override
    public void awaitEmpty() {
        while ((long) CELL.getAcquire(cells, TAKEN) < sent) {
            Thread.onSpinWait();
        }
    }

    @Override
    public int producers() {
        return 1;
    }

    @Override
    public void close() {
        consumer.end();
    }
}
