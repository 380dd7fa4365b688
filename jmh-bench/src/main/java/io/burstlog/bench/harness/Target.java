// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.harness;

import java.io.IOException;

/** Takes messages; its latency is measured. Only one thread uses it. */
public interface Target extends AutoCloseable {

    /** A short name, which is also part of file names. */
    String name();

    /**
     * Takes one message. Targets differ in the meaning of "taken": durable, in the page cache, in a buffer.
     *
     * @param number its number since the start
     */
    void write(int number) throws Exception;

    /** Takes messages and stores how long each one took, in nanoseconds. */
    default void run(int first, long[] nanos) throws Exception {
        long begin = System.nanoTime();
        for (int i = 0; i < nanos.length; i++) {
            write(first + i);
            long end = System.nanoTime();
            nanos[i] = end - begin;
            begin = System.nanoTime();
        }
    }

    /** The same target for one more thread, which closes nothing. Null: only one thread may use this target. */
    default Target forAnotherThread() {
        return null;
    }

    /** Ends all work that has begun, so that the next target does not pay for it. It is not timed. */
    default void settle() throws Exception {}

    /** The class that the medium claims to survive, for the table; empty: unknown. */
    default String claims() {
        return "";
    }

    /** Ends the processes of its own at once, without any farewell. A target within this one has none. */
    default void kill() throws IOException {}

    @Override
    default void close() throws IOException {}
}
