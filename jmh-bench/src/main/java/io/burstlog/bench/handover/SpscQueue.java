// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.handover;

import org.jctools.queues.SpscArrayQueue;

/**
 * JCTools' queue for one producer. Messages are copied into arrays that are made beforehand, so nothing is allocated.
 */
final class SpscQueue implements HandOver {

    private final SpscArrayQueue<byte[]> queue = new SpscArrayQueue<>(CAPACITY);
    private final byte[][] arrays;
    private final Consumer consumer;
    private int next;

    SpscQueue(int bytes) {
        // one more than fit, and one for the consumer to read
        arrays = new byte[CAPACITY + 2][bytes];
        consumer = new Consumer("spsc", () -> queue.drain(message -> {}, 256));
    }

    @Override
    public void offer(byte[] message) {
        byte[] copy = arrays[next];
        next = next + 1 == arrays.length ? 0 : next + 1;
        System.arraycopy(message, 0, copy, 0, message.length);
        while (!queue.offer(copy)) {
            Thread.onSpinWait();
        }
    }

    @Override
    public void awaitEmpty() {
        while (!queue.isEmpty()) {
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
