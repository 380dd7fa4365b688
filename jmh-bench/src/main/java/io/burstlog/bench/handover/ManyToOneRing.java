// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.handover;

import java.nio.ByteBuffer;
import org.agrona.BitUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.ManyToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RecordDescriptor;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;

/** Agrona's ring buffer for many producers. */
final class ManyToOneRing implements HandOver {

    private final ManyToOneRingBuffer ring;
    private final Consumer consumer;
    private final ThreadLocal<UnsafeBuffer> source = ThreadLocal.withInitial(() -> new UnsafeBuffer(new byte[0]));

    ManyToOneRing(int bytes) {
        int record = BitUtil.align(bytes + RecordDescriptor.HEADER_LENGTH, RecordDescriptor.ALIGNMENT);
        int capacity = BitUtil.findNextPositivePowerOfTwo(CAPACITY * record);
        ring = new ManyToOneRingBuffer(
                new UnsafeBuffer(ByteBuffer.allocateDirect(capacity + RingBufferDescriptor.TRAILER_LENGTH)));
        consumer = new Consumer("many-to-one", () -> ring.read((type, buffer, index, length) -> {}, 256));
    }

    @Override
    public void offer(byte[] message) {
        UnsafeBuffer wrapped = source.get();
        wrapped.wrap(message);
        while (!ring.write(1, wrapped, 0, message.length)) {
            Thread.onSpinWait();
        }
    }

    @Override
    public void prepare() {
        source.get();
    }

    @Override
    public void awaitEmpty() {
        while (ring.size() > 0) {
            Thread.onSpinWait();
        }
    }

    @Override
    public void close() {
        consumer.end();
    }
}
