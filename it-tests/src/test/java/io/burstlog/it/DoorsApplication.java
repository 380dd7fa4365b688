// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.joran.spi.JoranException;
import io.burstlog.jul.BurstHandler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.logging.Formatter;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.config.ConfigurationFactory;

/**
 * An application that logs by Log4j, Logback and {@code java.util.logging}, each to a log file of its own on one ring.
 */
public final class DoorsApplication implements UnaryOperator<String> {

    /** The log files in the folder, one for each framework. */
    static final List<String> FILES = List.of("log4j.log", "logback.log", "jul.log");

    private final LoggerContext log4j = new LoggerContext("application");
    private final ch.qos.logback.classic.LoggerContext logback = new ch.qos.logback.classic.LoggerContext();
    private final Logger jul = Logger.getAnonymousLogger();

    private static final class Lines extends Formatter {
        @Override
        public String format(LogRecord record) {
            return record.getMessage() + "\n";
        }
    }

    /** One log file of the application. */
    record Door(String file, Consumer<String> logger) {}

    /** {@return a logger for each of the files} */
    List<Door> doors() {
        return List.of(
                new Door(FILES.get(0), line -> log4j.getLogger("orders").info(line)),
                new Door(FILES.get(1), line -> logback.getLogger("orders").info(line)),
                new Door(FILES.get(2), jul::info));
    }

    /**
     * Runs a command: {@code start FOLDER RING}, {@code log LINE} or {@code stop}.
     *
     * @return the answer of each framework: done, or the reason why not
     */
    @Override
    public String apply(String what) {
        String[] words = what.split(" ");
        switch (words[0]) {
            case "start" -> start(Path.of(words[1]), Path.of(words[2]), "");
            case "log" -> {
                List<String> said = new ArrayList<>();
                doors().forEach(door -> said.add(tried(door, words[1])));
                return String.join("\n", said);
            }
            default -> stop();
        }
        return "done";
    }

    private static String tried(Door door, String line) {
        try {
            door.logger().accept(line);
            return "done";
        } catch (RuntimeException refused) {
            return refused.getMessage();
        }
    }

    /** @param ofLogback further settings of Logback's appender */
    void start(Path folder, Path ring, String ofLogback) {
        try {
            Path ofLog4j =
                    Files.writeString(folder.resolve("log4j2.xml"), """
                <Configuration status="off"><Appenders>
                  <Burst name="Log" ring="%s" ringSize="4 MB" fileName="%s" drainInterval="50 ms"><PatternLayout pattern="%%m%%n"/></Burst>
                </Appenders><Loggers><Root level="info"><AppenderRef ref="Log"/></Root></Loggers></Configuration>
                """.formatted(ring, folder.resolve(FILES.get(0))));
            log4j.start(ConfigurationFactory.getInstance().getConfiguration(log4j, "application", ofLog4j.toUri()));
            Path configuration = Files.writeString(
                    folder.resolve("logback.xml"), """
                <configuration scan="true" scanPeriod="1 day"><appender name="LOG" class="io.burstlog.logback.BurstAppender">
                  <ring>%s</ring><ringSize>4 MB</ringSize><file>%s</file>%s<encoder><pattern>%%msg%%n</pattern></encoder>
                </appender><root level="info"><appender-ref ref="LOG"/></root></configuration>
                """.formatted(ring, folder.resolve(FILES.get(1)), ofLogback).replace(
                            "io.burstlog.logback.BurstAppender", io.burstlog.logback.BurstAppender.class.getName()));
            logback.setMDCAdapter(new LogbackMDCAdapter());
            JoranConfigurator configurator = new JoranConfigurator();
            configurator.setContext(logback);
            configurator.doConfigure(configuration.toFile());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } catch (JoranException failure) {
            throw new IllegalStateException(failure);
        }
        BurstHandler handler = new BurstHandler(Map.of(
                "ring",
                ring.toString(),
                "ringSize",
                "4 MB",
                "file",
                folder.resolve(FILES.get(2)).toString()));
        handler.setFormatter(new Lines());
        jul.setUseParentHandlers(false);
        jul.addHandler(handler);
    }

    void stop() {
        log4j.stop();
        logback.stop();
        for (var handler : jul.getHandlers()) {
            handler.close();
        }
    }

    /**
     * Runs the application as a program of its own: logs a line to each file of a folder, and prints the answer of each
     * framework.
     */
    public static void main(String[] arguments) {
        DoorsApplication application = new DoorsApplication();
        application.apply("start " + arguments[0] + " " + arguments[0] + "/it.ring");
        System.out.println(application.apply("log " + arguments[1]));
        application.apply("stop");
    }
}
