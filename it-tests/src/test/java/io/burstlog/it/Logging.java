// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import java.io.FileInputStream;
import java.util.logging.LogManager;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.logging.log4j.core.config.ConfigurationSource;
import org.apache.logging.log4j.core.config.xml.XmlConfiguration;

/** One of the ways in which a program logs, from its configuration on. What goes to a stream has a logger of its own. */
interface Logging {

    /** All of them, by the name that a child process is given. */
    enum Framework {
        LOG4J,
        LOGBACK,
        JUL;

        /** Made before the ring is to be opened. */
        Logging create(String configuration) throws Exception {
            return switch (this) {
                case LOG4J -> new Log4j(configuration);
                case LOGBACK -> new Logback(configuration);
                case JUL -> new Jul(configuration);
            };
        }
    }

    /** Opens the ring. */
    void start(int streams) throws Exception;

    /** Returns whether the line reached an appender; false once all is switched off. */
    boolean log(int stream, String line);

    void stop() throws Exception;

    /** By {@code <Burst>}. */
    final class Log4j implements Logging {
        private final org.apache.logging.log4j.core.LoggerContext context =
                new org.apache.logging.log4j.core.LoggerContext("it");
        private final XmlConfiguration configuration;

        private Log4j(String file) throws Exception {
            try (FileInputStream content = new FileInputStream(file)) {
                configuration = new XmlConfiguration(context, new ConfigurationSource(content));
            }
            // All that Log4j has to do before it starts the appender.
            configuration.initialize();
        }

        @Override
        public void start(int streams) {
            context.start(configuration);
        }

        @Override
        public boolean log(int stream, String line) {
            var logger = context.getLogger("stream." + stream);
            logger.info(line);
            // From its stop on Log4j calls no appender, and says so to nobody.
            return logger.isInfoEnabled();
        }

        @Override
        public void stop() {
            context.stop();
        }
    }

    /** By {@link io.burstlog.logback.BurstAppender}. */
    final class Logback implements Logging {
        private final LoggerContext context = new LoggerContext();
        private final String file;
        private ch.qos.logback.core.Appender<?>[] appenders;

        private Logback(String file) {
            this.file = file;
            context.setMDCAdapter(new LogbackMDCAdapter());
        }

        @Override
        public void start(int streams) throws Exception {
            JoranConfigurator configurator = new JoranConfigurator();
            configurator.setContext(context);
            configurator.doConfigure(file);
            appenders = IntStream.rangeClosed(1, streams)
                    .mapToObj(stream -> context.getLogger("stream." + stream).getAppender("LOG" + stream))
                    .toArray(ch.qos.logback.core.Appender<?>[]::new);
        }

        @Override
        public boolean log(int stream, String line) {
            context.getLogger("stream." + stream).info(line);
            // Logback stops an appender before it takes it from its logger, and says so to nobody.
            return appenders[stream - 1].isStarted();
        }

        @Override
        public void stop() {
            context.stop();
        }
    }

    /** By {@link io.burstlog.jul.BurstHandler}. */
    final class Jul implements Logging {
        private final String file;
        private java.util.logging.Logger[] loggers;

        private Jul(String file) {
            this.file = file;
        }

        @Override
        public void start(int streams) throws Exception {
            try (FileInputStream content = new FileInputStream(file)) {
                LogManager.getLogManager().readConfiguration(content);
            }
            loggers = Stream.iterate(1, stream -> stream + 1)
                    .limit(streams)
                    .map(stream -> java.util.logging.Logger.getLogger("stream." + stream))
                    .toArray(java.util.logging.Logger[]::new);
        }

        @Override
        public boolean log(int stream, String line) {
            loggers[stream - 1].info(line);
            // A reset takes a handler from its logger before it closes it, and says so to nobody.
            return loggers[stream - 1].getHandlers().length > 0;
        }

        @Override
        public void stop() {
            LogManager.getLogManager().reset();
        }
    }
}
