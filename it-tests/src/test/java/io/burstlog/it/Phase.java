// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import java.io.IOException;

/** The steps in the life of a logging process. It tells the witness each step before it takes it. */
enum Phase {
    /** The JVM and Log4j have started; the ring is not open. */
    START_UP,
    /** The ring is being opened, which begins with recovery. */
    OPEN_AND_RECOVERY,
    /** Threads log, the drain moves. */
    LOAD,
    /** Log4j stops: it accepts nothing more; the rest is committed and drained. */
    SHUTDOWN_AND_DRAIN,
    /** The ring is closed, and the process still runs. */
    CLOSED;

    /** The thread number in {@link Acknowledged} under which phases are told. */
    private static final int TELLER = 0;

    private static final Phase[] ALL = values();

    /** In the child. */
    void tell() throws IOException {
        Acknowledged.tell(TELLER, ordinal());
    }

    static Phase lastOf(Acknowledged child) {
        return ALL[child.lastNumber(TELLER)];
    }

    /** Says whether the child has come so far within that time. */
    boolean isReachedBy(Acknowledged child, long timeoutMillis) throws InterruptedException {
        return child.await(TELLER, ordinal(), timeoutMillis);
    }
}
