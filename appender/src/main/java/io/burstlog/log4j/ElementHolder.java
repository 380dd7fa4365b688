// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import io.burstlog.BurstEvent;
import io.burstlog.doors.Holder;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.config.ConfigurationSource;
import org.apache.logging.log4j.status.StatusLogger;

/**
 * Presents an appender to the core of the doors. A new configuration of a {@link LoggerContext} replaces the one
 * before: Log4j starts the new appenders before it stops the old ones. All appenders of this class loader may share a
 * log file.
 *
 * @param appender the appender
 */
record ElementHolder(BurstAppender appender) implements Holder {

    private static final Logger LOGGER = StatusLogger.getLogger();

    @Override
    public String name() {
        return appender.getName();
    }

    @Override
    public String place() {
        return "Burst '" + name() + "' of " + placeOf(appender.configuration());
    }

    private static String placeOf(final Configuration configuration) {
        if (configuration == null) {
            return "a program";
        }
        final ConfigurationSource source = configuration.getConfigurationSource();
        if (source != null && source.getLocation() != null) {
            return source.getLocation();
        }
        final LoggerContext context = configuration.getLoggerContext();
        return context == null ? "a configuration" : "the context '" + context.getName() + "'";
    }

    @Override
    public Relation relationTo(final Holder other) {
        final Configuration own = appender.configuration();
        final Configuration its = other instanceof ElementHolder element ? element.appender.configuration() : null;
        if (own == null || its == null || own.getLoggerContext() != its.getLoggerContext()) {
            return Relation.BESIDE;
        }
        return own == its ? Relation.TOGETHER : Relation.REPLACES;
    }

    @Override
    public boolean sharesFileWith(final Holder other) {
        return other instanceof ElementHolder;
    }

    @Override
    public void tell(final BurstEvent.Severity severity, final String sentence) {
        LOGGER.log(levelOf(severity), "Burst '{}': {}", name(), sentence);
    }

    @Override
    public void hear(final BurstEvent event) {
        report(event);
    }

    /** Passes an event of a ring or a shipper on to the operator. */
    static void report(final BurstEvent event) {
        LOGGER.log(levelOf(event.severity()), "Burst: {}", event.text());
    }

    private static Level levelOf(final BurstEvent.Severity severity) {
        return switch (severity) {
            case INFO -> Level.INFO;
            case WARN -> Level.WARN;
            case ERROR -> Level.ERROR;
        };
    }
}
