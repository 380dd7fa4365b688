// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bookkeeper;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** A copy in this process, which can fail, and be fenced. It keeps what it acknowledged over all copiers. */
final class MemoryCopy {

    private final List<Block> blocks = new ArrayList<>();
    private Writer newest;
    private int failing;

    /** The next blocks are lost. */
    synchronized void fail(int count) {
        failing = count;
    }

    /** Takes the last blocks back, as a cluster does that has lost them. */
    synchronized void lose(int count) {
        blocks.subList(blocks.size() - count, blocks.size()).clear();
    }

    synchronized List<Block.Entry> entries() {
        return blocks.stream().flatMap(each -> each.entries().stream()).toList();
    }

    Copy writer(Consumer<Block> acknowledging) {
        return new Writer(acknowledging);
    }

    private final class Writer implements Copy {

        private final Consumer<Block> acknowledging;
        private boolean hasFailed;

        Writer(Consumer<Block> acknowledging) {
            this.acknowledging = acknowledging;
        }

        @Override
        public Block fence() {
            synchronized (MemoryCopy.this) {
                newest = this;
                hasFailed = false;
                return blocks.isEmpty() ? null : blocks.get(blocks.size() - 1);
            }
        }

        @Override
        public void send(Block block) throws IOException, FencedException {
            synchronized (MemoryCopy.this) {
                acknowledged();
                if (failing > 0) {
                    failing--;
                    hasFailed = true;
                } else {
                    blocks.add(Block.read(block.bytes(), block.folderId(), "a block"));
                    acknowledging.accept(block);
                }
            }
        }

        @Override
        public long acknowledged() throws IOException, FencedException {
            synchronized (MemoryCopy.this) {
                if (newest != this) {
                    throw new FencedException("as the test wants");
                }
                if (hasFailed) {
                    throw new IOException("the block was lost");
                }
                return blocks.isEmpty() ? 0 : blocks.get(blocks.size() - 1).last();
            }
        }

        @Override
        public void readBack(Consumer<Block> reader) {
            synchronized (MemoryCopy.this) {
                blocks.forEach(reader);
            }
        }

        @Override
        public void close() {}
    }
}
