// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import java.io.File;
import java.io.IOException;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/** A child process that logs while it starts children of its own, which outlive it. Argument: run. */
final class LeavesChildren {
    static final int THREAD = EndOfJvm.MAIN;
    static final int CHILDREN = 6;

    private LeavesChildren() {}

    public static void main(String[] arguments) throws IOException {
        Logger logger = LogManager.getLogger("it");
        int run = Integer.parseInt(arguments[0]);
        Thread other = new Thread(() -> LoggingThreads.log(logger, run, EndOfJvm.HOOK, Integer.MAX_VALUE - 1));
        other.start();
        for (int i = 0; i < CHILDREN; i++) {
            // They do not get the standard streams, for whose end the witness waits.
            new ProcessBuilder("sleep", "600")
                    .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
        }
        LoggingThreads.log(logger, run, THREAD, Integer.MAX_VALUE - 1);
    }
}
