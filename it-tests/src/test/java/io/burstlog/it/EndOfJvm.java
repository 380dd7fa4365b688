// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import java.io.IOException;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * A child process that ends in one of a JVM's ways. Arguments: run, lines, and the way: {@code return} from main;
 * {@code exit}; {@code daemons} (returns from main while daemon threads log, when standard input ends); {@code hook} (a
 * shutdown hook of its own logs, in a race with Log4j's); {@code linger} (logs in daemon threads until it gets
 * SIGTERM).
 */
final class EndOfJvm {
    static final int MAIN = 1;
    static final int HOOK = 2;
    static final int DAEMONS = 3;

    private EndOfJvm() {}

    public static void main(String[] arguments) throws InterruptedException, IOException {
        int run = Integer.parseInt(arguments[0]);
        int lines = Integer.parseInt(arguments[1]);
        Logger logger = LogManager.getLogger("it");
        LoggingThreads.log(logger, run, MAIN, lines);
        switch (arguments[2]) {
            case "return" -> {}
            case "exit" -> System.exit(0);
            case "hook" ->
                Runtime.getRuntime()
                        .addShutdownHook(
                                new Thread(() -> LoggingThreads.log(logger, run, HOOK, Integer.MAX_VALUE - 1)));
            case "daemons" -> {
                startDaemons(logger, run);
                System.in.read();
            }
            case "linger" -> {
                startDaemons(logger, run);
                Thread.currentThread().join();
            }
            default -> throw new IllegalArgumentException(arguments[2]);
        }
    }

    private static void startDaemons(Logger logger, int run) {
        for (int thread = DAEMONS; thread < DAEMONS + 4; thread++) {
            int daemonNumber = thread;
            Thread daemon = new Thread(() -> LoggingThreads.log(logger, run, daemonNumber, Integer.MAX_VALUE - 1));
            daemon.setDaemon(true);
            daemon.start();
        }
    }
}
