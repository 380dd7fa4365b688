// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bookkeeper;

import java.io.IOException;
import java.util.function.Consumer;

/**
 * A second copy of a folder of segments, wherever it is. One thread calls it.
 *
 * <p>Methods throw {@link FencedException} if another writer has begun, {@link RefusedException} if trying again cannot
 * help, and {@link IOException} if it may. After an {@code IOException} only {@link #fence} begins anew.
 */
interface Copy extends AutoCloseable {

    /** Thrown when another writer of this folder has begun. */
    final class FencedException extends Exception {
        private static final long serialVersionUID = 1L;

        FencedException(String reason) {
            super(reason);
        }
    }

    /**
     * Begins: from the return on no earlier writer of this folder can add a block.
     *
     * @return the last block of the copy; null if it has none
     */
    Block fence() throws IOException, FencedException, InterruptedException;

    /**
     * Sends the block that follows the one before. It returns before the block is acknowledged, and waits while too
     * many are not.
     */
    void send(Block block) throws IOException, FencedException, InterruptedException;

    /**
     * {@return the number up to which all records are acknowledged: they survive what the class of the copy says; 0
     * before the first one}
     *
     * <p>It throws what a block has met since {@link #fence}.
     */
    long acknowledged() throws IOException, FencedException;

    /** Passes on all blocks that are acknowledged, in order. It fences nobody. */
    void readBack(Consumer<Block> reader) throws IOException, InterruptedException;

    /** Ends the copy in good order, if that takes no more than some seconds. */
    @Override
    void close();
}
