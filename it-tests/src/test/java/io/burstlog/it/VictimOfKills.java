// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;

/**
 * A child process that its parent kills at a place of its choice. It opens the ring when it gets a byte on its standard
 * input, logs with several threads, and stops logging at the next byte. Arguments: run; threads; whether all lines of a
 * thread are equal; streams, to which the threads log in turns (default: 1); framework (default: Log4j). With
 * {@code -Dit.virtual=true} its threads are virtual ones.
 */
final class VictimOfKills {

    private VictimOfKills() {}

    public static void main(String[] arguments) throws Exception {
        int run = Integer.parseInt(arguments[0]);
        boolean areEqual = Boolean.parseBoolean(arguments[2]);
        int streams = arguments.length > 3 ? Integer.parseInt(arguments[3]) : 1;
        Logging.Framework framework =
                arguments.length > 4 ? Logging.Framework.valueOf(arguments[4]) : Logging.Framework.LOG4J;
        Logging logging = framework.create(System.getProperty("log4j2.configurationFile"));
        System.in.read();
        Phase.OPEN_AND_RECOVERY.tell();
        logging.start(streams);
        Phase.LOAD.tell();
        List<Thread> threads = new ArrayList<>();
        for (int number = 1; number <= Integer.parseInt(arguments[1]); number++) {
            int thread = number;
            int stream = streamOf(thread, streams);
            Runnable task = () ->
                    LoggingThreads.log(line -> logging.log(stream, line), run, thread, Integer.MAX_VALUE - 1, areEqual);
            threads.add(
                    Boolean.getBoolean("it.virtual") ? VirtualThreads.start(Executors.callable(task)) : start(task));
        }
        System.in.read();
        Phase.SHUTDOWN_AND_DRAIN.tell();
        logging.stop();
        Phase.CLOSED.tell();
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private static Thread start(Runnable task) {
        Thread thread = new Thread(task);
        thread.start();
        return thread;
    }

    /** The stream that a thread logs to; both count from 1. */
    static int streamOf(int thread, int streams) {
        return 1 + (thread - 1) % streams;
    }
}
