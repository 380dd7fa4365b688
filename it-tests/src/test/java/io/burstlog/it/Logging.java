// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import java.io.FileInputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.logging.LogManager;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.logging.log4j.core.config.ConfigurationSource;
import org.apache.logging.log4j.core.config.xml.XmlConfiguration;
import org.slf4j.LoggerFactory;
import org.springframework.boot.Banner;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** A way in which a program logs, with its configuration. Each stream has a logger of its own. */
interface Logging {

    /** All ways. A child process gets such a name. */
    enum Framework {
        LOG4J,
        SPRING_BOOT,
        JUL;

        /** Prepares the framework before the ring is opened. */
        Logging create(String configuration) throws Exception {
            return switch (this) {
                case LOG4J -> new Log4j(configuration);
                case SPRING_BOOT -> new SpringBoot(configuration);
                case JUL -> new Jul(configuration);
            };
        }
    }

    /** Opens the ring. */
    void start(int streams) throws Exception;

    /** Returns whether the line reached an appender; false once logging is switched off. */
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
            // All of Log4j's work before it starts the appender.
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
            // From its stop on Log4j calls no appender, without an error.
            return logger.isInfoEnabled();
        }

        @Override
        public void stop() {
            context.stop();
        }
    }

    /** Through {@link io.burstlog.logback.BurstAppender}, in a Spring Boot application, whose default is Logback. */
    final class SpringBoot implements Logging {
        private final String file;
        private ConfigurableApplicationContext application;
        private List<Appender<ILoggingEvent>> appenders;

        private SpringBoot(String file) {
            this.file = file;
        }

        @Override
        public void start(int streams) {
            application = new SpringApplicationBuilder(Application.class)
                    .bannerMode(Banner.Mode.OFF)
                    .properties(
                            "logging.config=file:" + file,
                            "it.directory=" + Path.of(file).getParent())
                    .run();
            LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
            appenders = IntStream.rangeClosed(1, streams)
                    .mapToObj(stream -> context.getLogger("stream." + stream).getAppender("LOG" + stream))
                    .toList();
        }

        @Override
        public boolean log(int stream, String line) {
            LoggerFactory.getLogger("stream." + stream).info(line);
            // Logback stops an appender before it takes it from its logger, without an error.
            return appenders.get(stream - 1).isStarted();
        }

        /** As its shutdown hook does. */
        @Override
        public void stop() {
            application.close();
            LoggingSystem.get(getClass().getClassLoader()).getShutdownHandler().run();
        }

        /** A configuration without beans. */
        @Configuration
        static class Application {}
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
            // A reset takes a handler from its logger before it closes it, without an error.
            return loggers[stream - 1].getHandlers().length > 0;
        }

        @Override
        public void stop() {
            LogManager.getLogManager().reset();
        }
    }
}
