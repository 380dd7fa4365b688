// SPDX-License-Identifier: Apache-2.0
package io.burstlog.copy;

import java.io.Closeable;
import java.io.IOException;

/**
 * Keeps the second copy of a ring, on other hosts: blocks, one after the other, of one writer at a time.
 *
 * <p>One thread calls it, that of {@link BurstCopier}; or one thread reads it back. The messages of its exceptions are
 * parts of a sentence, without a full stop: {@code ledger 12 takes no block}.
 */
public interface CopyStore extends Closeable {

    /** Gets the blocks of a copy. */
    interface Reader {

        /**
         * Gets the next block.
         *
         * @param block as it was sent
         * @throws IOException if it cannot be used; it ends the reading
         */
        void block(CopyBlock block) throws IOException;
    }

    /** Another writer has begun: this one can add nothing more. */
    final class FencedException extends Exception {

        private static final long serialVersionUID = 1L;

        /** @param message who, and where */
        public FencedException(String message) {
            super(message);
        }
    }

    /** The store cannot be used as it is configured, and trying again cannot help. */
    final class RefusedException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        /** @param message why */
        public RefusedException(String message) {
            super(message);
        }

        /**
         * With a cause.
         *
         * @param message why
         * @param cause what the store's client has thrown
         */
        public RefusedException(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /**
     * Becomes the one writer: from its return on no earlier writer of this ring's copy can add a block. The first call,
     * and again after each IOException.
     *
     * @return the newest block, which may be one that was never acknowledged; null: there is none
     * @throws IOException if that cannot be done now
     * @throws FencedException if a later writer has begun
     * @throws InterruptedException if the thread was interrupted
     */
    CopyBlock fence() throws IOException, FencedException, InterruptedException;

    /**
     * Adds a block. The call returns before the block is stored, and waits while too many are under way.
     *
     * @param block the next one
     * @param acknowledged runs once this block and all before it are stored as {@link #place()} says; in any thread, in
     *     the order of the blocks, and never after one has failed
     * @throws IOException if this block or one before it cannot be stored now
     * @throws FencedException if a later writer has begun
     * @throws InterruptedException if the thread was interrupted
     */
    void send(CopyBlock block, Runnable acknowledged) throws IOException, FencedException, InterruptedException;

    /**
     * Tells what any block has met since the last {@link #fence}. Does not wait. The copier calls it several times a
     * second while it has nothing to send.
     *
     * @throws IOException if a block could not be stored
     * @throws FencedException if a later writer has begun
     */
    void check() throws IOException, FencedException;

    /**
     * Gives all stored blocks, in order. It fences nobody, and needs no {@link #fence}.
     *
     * @param reader gets them
     * @throws IOException if a stored block cannot be read, or the reader's
     * @throws InterruptedException if the thread was interrupted
     */
    void readBack(Reader reader) throws IOException, InterruptedException;

    /** {@return where its blocks are; valid after {@link #fence}} */
    CopyPlace place();

    /**
     * Tells how long a block may be; valid after {@link #fence}. A block that has one record only may be longer.
     *
     * @return so many bytes; by default there is no limit
     */
    default int mostBlockBytes() {
        return Integer.MAX_VALUE;
    }

    /** Lets go of the store's client. Blocks under way may still be stored. */
    @Override
    void close();
}
