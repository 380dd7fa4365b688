// SPDX-License-Identifier: Apache-2.0
package io.burstlog.copy;

import io.burstlog.copy.CopyPlace.Medium;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;

/**
 * Servers that keep a copy in memory. A writer's blocks stay under way until later sends, or a look, let them in; a
 * failure loses any number of the last of them, and some that were never acknowledged are stored all the same.
 */
final class MemoryCopy {

    private record UnderWay(CopyBlock block, Runnable acknowledged) {}

    private final List<byte[]> stored = new ArrayList<>();
    private final Deque<UnderWay> underWay = new ArrayDeque<>();
    private final Random random;
    private Writer writer;
    private int mostUnderWay;
    private boolean losesAll;
    private int sends;
    private int failAtSend = -1;
    private boolean goesAway;
    private boolean isReachable = true;
    private Runnable late;
    int mostBlockBytes = Integer.MAX_VALUE;
    CopyPlace place = new CopyPlace(Medium.MEMORY, 2, 3, "servers");

    MemoryCopy(long seed) {
        random = new Random(seed);
    }

    CopyStore open() {
        return new Writer();
    }

    synchronized void setReachable(boolean reachable) {
        isReachable = reachable;
    }

    /** The store acknowledges each block only when so many more have been sent. */
    synchronized MemoryCopy pipelined(int blocks) {
        mostUnderWay = blocks;
        return this;
    }

    /** A failure loses all that is under way, so that the newest block is one that was acknowledged. */
    synchronized MemoryCopy losingAll() {
        losesAll = true;
        return this;
    }

    /** The n-th send from now on fails, and so do the blocks under way. */
    synchronized void failAtSend(int n) {
        failAtSend = sends + n;
    }

    /** The same, and it cannot be reached from then on. */
    synchronized void goAwayAtSend(int n) {
        failAtSend(n);
        goesAway = true;
    }

    /** Runs an acknowledgment of a block that was under way when the store failed. */
    void acknowledgeLate() {
        late.run();
    }

    synchronized List<CopyBlock> blocks() {
        return stored.stream().map(MemoryCopy::read).toList();
    }

    /** Acknowledges all that is under way. */
    private synchronized void letIn(int most) {
        while (underWay.size() > most) {
            UnderWay first = underWay.removeFirst();
            stored.add(first.block.bytes());
            first.acknowledged.run();
        }
    }

    private synchronized void lose() {
        int kept = losesAll || underWay.isEmpty() ? 0 : random.nextInt(underWay.size() + 1);
        while (!underWay.isEmpty()) {
            UnderWay first = underWay.removeFirst();
            late = first.block.isMark() ? late : first.acknowledged;
            if (kept-- > 0) {
                stored.add(first.block.bytes());
            }
        }
    }

    private static CopyBlock read(byte[] bytes) {
        try {
            return CopyBlock.read(ByteBuffer.wrap(bytes), "a block in memory");
        } catch (IOException damaged) {
            throw new AssertionError(damaged);
        }
    }

    private final class Writer implements CopyStore {

        private boolean hasFailed;
        private boolean hasBegun;

        @Override
        public CopyBlock fence() throws IOException, FencedException {
            synchronized (MemoryCopy.this) {
                requireReachable();
                if (hasBegun && writer != this) {
                    throw new FencedException("the copy in memory has another writer");
                }
                if (writer != this) {
                    lose();
                }
                writer = this;
                hasBegun = true;
                hasFailed = false;
                return stored.isEmpty() ? null : read(stored.get(stored.size() - 1));
            }
        }

        private void requireReachable() throws IOException {
            if (!isReachable) {
                fail("the copy in memory cannot be reached");
            }
        }

        private void fail(String message) throws IOException {
            hasFailed = true;
            lose();
            throw new IOException(message);
        }

        @Override
        public void send(CopyBlock block, Runnable acknowledged) throws IOException, FencedException {
            synchronized (MemoryCopy.this) {
                check();
                if (++sends == failAtSend) {
                    underWay.add(new UnderWay(block, acknowledged));
                    isReachable = !goesAway;
                    fail("the copy in memory failed at send " + sends);
                }
                underWay.add(new UnderWay(block, acknowledged));
                letIn(mostUnderWay);
            }
        }

        @Override
        public void check() throws IOException, FencedException {
            synchronized (MemoryCopy.this) {
                if (writer != this) {
                    throw new FencedException("the copy in memory has another writer");
                }
                requireReachable();
                if (hasFailed) {
                    throw new IOException("the copy in memory must be fenced first");
                }
                letIn(0);
            }
        }

        @Override
        public void readBack(Reader reader) throws IOException {
            for (CopyBlock block : blocks()) {
                reader.block(block);
            }
        }

        @Override
        public CopyPlace place() {
            return place;
        }

        @Override
        public int mostBlockBytes() {
            return mostBlockBytes;
        }

        @Override
        public void close() {}
    }
}
