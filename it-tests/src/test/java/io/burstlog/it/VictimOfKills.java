// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import java.io.FileInputStream;
import java.util.ArrayList;
import java.util.List;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.config.ConfigurationSource;
import org.apache.logging.log4j.core.config.xml.XmlConfiguration;

/**
 * A child process that is killed wherever its parent wants it: it opens the ring when it gets a byte on its standard
 * input, logs with several threads, and stops Log4j at the next byte. Arguments: run, threads, whether all lines of a
 * thread are equal, and streams, to which the threads log in turns; 1 if left out.
 */
final class VictimOfKills {

    private VictimOfKills() {}

    public static void main(String[] arguments) throws Exception {
        int run = Integer.parseInt(arguments[0]);
        boolean areEqual = Boolean.parseBoolean(arguments[2]);
        String file = System.getProperty("log4j2.configurationFile");
        LoggerContext context = new LoggerContext("it");
        XmlConfiguration configuration;
        try (FileInputStream content = new FileInputStream(file)) {
            configuration = new XmlConfiguration(context, new ConfigurationSource(content));
        }
        // All that Log4j has to do before it starts the appender.
        configuration.initialize();
        System.in.read();
        Phase.OPEN_AND_RECOVERY.tell();
        context.start(configuration);
        Phase.LOAD.tell();
        List<Thread> threads = new ArrayList<>();
        int streams = arguments.length > 3 ? Integer.parseInt(arguments[3]) : 1;
        for (int number = 1; number <= Integer.parseInt(arguments[1]); number++) {
            int thread = number;
            Logger logger = context.getLogger("stream." + streamOf(thread, streams));
            threads.add(new Thread(() -> LoggingThreads.log(logger, run, thread, Integer.MAX_VALUE - 1, areEqual)));
        }
        threads.forEach(Thread::start);
        System.in.read();
        Phase.SHUTDOWN_AND_DRAIN.tell();
        context.stop();
        Phase.CLOSED.tell();
        for (Thread thread : threads) {
            thread.join();
        }
    }

    /** Which of the streams a thread logs to; both count from 1. */
    static int streamOf(int thread, int streams) {
        return 1 + (thread - 1) % streams;
    }
}
