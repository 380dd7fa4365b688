// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.handover;

import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.WaitStrategy;
import com.lmax.disruptor.dsl.Disruptor;
import com.lmax.disruptor.dsl.ProducerType;
import com.lmax.disruptor.util.DaemonThreadFactory;

/** A Disruptor whose events hold a message's bytes. */
final class DisruptorRing implements HandOver {

    private final Disruptor<byte[]> disruptor;
    private final RingBuffer<byte[]> ring;

    DisruptorRing(int bytes, int producers, WaitStrategy wait) {
        disruptor = new Disruptor<>(
                () -> new byte[bytes],
                CAPACITY,
                DaemonThreadFactory.INSTANCE,
                producers == 1 ? ProducerType.SINGLE : ProducerType.MULTI,
                wait);
        disruptor.handleEventsWith((event, sequence, endOfBatch) -> {});
        ring = disruptor.start();
    }

    @Override
    public void offer(byte[] message) {
        long sequence = ring.next();
        try {
            System.arraycopy(message, 0, ring.get(sequence), 0, message.length);
        } finally {
            ring.publish(sequence);
        }
    }

    @Override
    public void awaitEmpty() {
        while (ring.remainingCapacity() < CAPACITY) {
            Thread.onSpinWait();
        }
    }

    @Override
    public void close() {
        disruptor.shutdown();
    }
}
