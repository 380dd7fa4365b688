// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.core.Appender;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.config.ConfigurationSource;
import org.apache.logging.log4j.core.config.xml.XmlConfiguration;

/** Log4j as an application has it: one context with an XML configuration, from start to shutdown. */
final class RunningLog4j implements AutoCloseable {

    private static final String NO_APPENDERS = xml("", "<Root level=\"off\"/>");

    private final StatusLines status = new StatusLines();
    private final LoggerContext context;
    private final boolean ownsContext;

    private RunningLog4j(final LoggerContext context, final boolean ownsContext) {
        this.context = context;
        this.ownsContext = ownsContext;
        logger(); // if two threads ask for a context's first logger at once, Log4j 2.17.2 gives one of them null
    }

    static RunningLog4j with(final String xml) {
        final RunningLog4j log4j = new RunningLog4j(new LoggerContext("test"), true);
        log4j.context.start(log4j.configuration(xml));
        return log4j;
    }

    /** The context of this JVM. It can be shut down only once, so it is left without appenders at the end. */
    static RunningLog4j ofThisJvm(final String xml) {
        final RunningLog4j log4j = new RunningLog4j((LoggerContext) LogManager.getContext(false), false);
        log4j.reconfigure(xml);
        return log4j;
    }

    /** A whole configuration whose root logger writes to the appender Orders. These elements define the appender. */
    static String xml(final String appenders) {
        return xml(appenders, "<Root level=\"all\"><AppenderRef ref=\"Orders\"/></Root>");
    }

    static String xml(final String appenders, final String loggers) {
        return "<Configuration status=\"off\"><Appenders>" + appenders + "</Appenders><Loggers>" + loggers
                + "</Loggers></Configuration>";
    }

    private Configuration configuration(final String xml) {
        try {
            return new XmlConfiguration(
                    context, new ConfigurationSource(new ByteArrayInputStream(xml.getBytes(StandardCharsets.UTF_8))));
        } catch (final IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    void reconfigure(final String xml) {
        context.reconfigure(configuration(xml));
    }

    /** Logs "order FROM" to "order TO", without the last one. */
    void logOrders(final int from, final int to) {
        IntStream.range(from, to).forEach(i -> logger().info("order {}", i));
    }

    Logger logger() {
        return logger("com.example.Trading");
    }

    Logger logger(final String name) {
        return context.getLogger(name);
    }

    LoggerContext context() {
        return context;
    }

    <T extends Appender> T appender(final String name) {
        return context.getConfiguration().getAppender(name);
    }

    BurstAppender orders() {
        return appender("Orders");
    }

    /** Says whether all accepted events are durable at this moment. */
    boolean allIsDurable() {
        final var stats = orders().ring().log().stats();
        return stats.durableSequence() == stats.acceptedSequence();
    }

    void awaitDrained() {
        if (!orders().ring().log().awaitDrained(Patience.TIME)) {
            throw new AssertionError("not drained within " + Patience.TIME);
        }
    }

    /** The status lines of Log4j since the start, at this level or worse. */
    List<String> status(final Level level) {
        return status.atLeast(level);
    }

    @Override
    public void close() {
        if (ownsContext) {
            context.stop();
        } else {
            reconfigure(NO_APPENDERS);
        }
        status.stopListening();
    }
}
