// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;

/**
 * Lets one call of the file system fail, or that one and all later ones; or ends the process there: see
 * {@link FailingLog4j}.
 */
public final class FailingCalls {

    enum Fault {
        ONCE,
        FOREVER,
        /** The process ends before the call. */
        DEAD
    }

    /** The process has ended: the code under test has no effect any more. */
    static final class Dead extends Error {

        private static final long serialVersionUID = 1L;
    }

    private static Fault fault = Fault.ONCE;
    private static int number;
    private static int calls;

    private FailingCalls() {}

    /** @param call the number of the call that fails, from 1; 0: none */
    static synchronized void arm(final Fault wanted, final int call) {
        fault = wanted;
        number = call;
        calls = 0;
    }

    static synchronized boolean hasStruck() {
        return number > 0 && calls >= number;
    }

    static synchronized boolean isDead() {
        return fault == Fault.DEAD && hasStruck();
    }

    /** Is called before each call of the file system. */
    public static synchronized void before(final String what) throws IOException {
        calls++;
        if (isDead()) {
            throw new Dead();
        }
        if (number > 0 && (fault == Fault.FOREVER ? calls >= number : calls == number)) {
            final IOException failure = new IOException("Input/output error in " + what);
            if (what.equals("DirectoryStream.iterator")) {
                // As the JDK while it lists a folder.
                throw new DirectoryIteratorException(failure);
            }
            throw failure;
        }
    }
}
