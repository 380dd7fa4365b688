// SPDX-License-Identifier: Apache-2.0
package io.burstlog.copy;

import io.burstlog.BurstException;
import io.burstlog.CopyFeed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;

/**
 * The time from one fence of a store to its next failure: takes records, sends them, and confirms those that the store
 * has. Blocks are sent without waiting for those before; the store limits how many are under way.
 *
 * <p>One thread calls it. The store's threads call {@link #acknowledged}, and after {@link #end} that does nothing: a
 * late word of the store must not confirm what the next session sends anew.
 */
final class CopySession {

    /** How soon a failure of a block under way is seen while no records come. */
    private static final Duration TAKE = Duration.ofMillis(100);

    private final CopyFeed feed;
    private final CopyStore store;
    private final String ring;
    private final AtomicLong blocks;
    private boolean isOver;
    private BurstException refusal;

    /** @param blocks counts those that were acknowledged */
    CopySession(CopyFeed feed, CopyStore store, String ring, AtomicLong blocks) {
        this.feed = feed;
        this.store = store;
        this.ring = ring;
        this.blocks = blocks;
    }

    /** Begins behind the copy's newest block, and says so with marks. */
    CopyFeed.Begun begin(CopyBlock newest) throws IOException, CopyStore.FencedException, InterruptedException {
        if (newest != null && !newest.ring().equals(ring)) {
            throw new CopyStore.RefusedException("it holds the copy of another ring, " + newest.ring());
        }
        long last = newest == null ? 0 : newest.lastSequence();
        int epoch = newest == null ? 0 : newest.epoch();
        long durable = newest == null ? 0 : newest.durableSequence();
        CopyFeed.Begun begun = feed.begin(last, epoch, durable);
        for (CopyBlock mark : marks(begun, ring)) {
            store.send(mark, () -> {});
        }
        return begun;
    }

    /** One mark. If void records stand before a gap, another one before that, where the gap begins. */
    static List<CopyBlock> marks(CopyFeed.Begun begun, String ring) {
        LongStream sequences = begun.surplus() > 0 && begun.missing() > 0
                ? LongStream.of(begun.nextSequence() - begun.missing(), begun.nextSequence())
                : LongStream.of(begun.nextSequence());
        return sequences
                .mapToObj(
                        each -> CopyBlock.mark(ring, each, begun.epoch(), Math.min(each - 1, begun.durableSequence())))
                .toList();
    }

    /**
     * Sends the records that come within a moment.
     *
     * @param buffer for records
     * @param blockBytes the most bytes of records in a block; a longer record has a block for itself
     * @return the buffer; a larger one if the next record needs it
     */
    ByteBuffer step(ByteBuffer buffer, int blockBytes)
            throws IOException, CopyStore.FencedException, InterruptedException {
        boolean isTaken;
        try {
            isTaken = feed.take(buffer, TAKE);
        } catch (BurstException failure) {
            if (failure.code() != BurstException.Code.RECORD_TOO_LARGE) {
                throw failure;
            }
            return ByteBuffer.allocateDirect((int) Math.min(Integer.MAX_VALUE, 2L * buffer.capacity()));
        }
        if (!isTaken) {
            store.check();
        }
        while (buffer.hasRemaining()) {
            CopyBlock block = CopyBlock.of(ring, CopyRecords.cut(buffer, blockBytes), feed::streamName);
            long last = block.lastSequence();
            store.send(block, () -> acknowledged(last));
        }
        throwRefusal();
        return buffer;
    }

    private synchronized void acknowledged(long last) {
        if (isOver || refusal != null) {
            return;
        }
        try {
            feed.confirm(last);
            blocks.incrementAndGet();
        } catch (BurstException failure) {
            refusal = failure;
        }
    }

    private synchronized void throwRefusal() {
        if (refusal != null) {
            throw refusal;
        }
    }

    synchronized void end() {
        isOver = true;
    }
}
