// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.harness;

import java.io.IOException;

/** Something that takes messages and whose latency is measured. Used by one thread. */
public interface Target extends AutoCloseable {

    /** A short name, also part of file names. */
    String name();

    /**
     * Takes one message; what "taken" means (durable, in the page cache, in a buffer) is what the targets differ in.
     *
     * @param number its number since the start
     */
    void write(int number) throws Exception;

    /** Takes messages and stores how long each took, in nanoseconds. */
    default void run(int first, long[] nanos) throws Exception {
        long begin = System.nanoTime();
        for (int i = 0; i < nanos.length; i++) {
            write(first + i);
            long end = System.nanoTime();
            nanos[i] = end - begin;
            begin = System.nanoTime();
        }
    }

    /** The same target for one more thread, which closes nothing. Null: it takes messages of one thread only. */
    default Target forAnotherThread() {
        return null;
    }

    /** Lets what was begun come to its end, so that the next target does not pay for it. Not timed. */
    default void settle() throws Exception {}

    /** What the medium is said to survive, for the table; empty if nobody says. */
    default String claims() {
        return "";
    }

    @Override
    default void close() throws IOException {}
}
