// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import io.burstlog.BurstEvent;
import io.burstlog.BurstException;
import io.burstlog.doors.Holder;
import io.burstlog.doors.RingTerms;
import io.burstlog.doors.Rings;
import io.burstlog.doors.Settings;
import io.burstlog.doors.StreamTerms;
import io.burstlog.doors.Suspension;
import io.burstlog.log4j.rolling.WithoutJvm;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
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
record ElementHolder(BurstAppender appender) implements Holder, Suspension.Part {

    private static final Logger LOGGER = StatusLogger.getLogger();

    @Override
    public String name() {
        return appender.getName();
    }

    @Override
    public String place() {
        return "Burst '" + name() + "' of " + placeOf(appender.configuration());
    }

    /** Returns the appender that this one is to replace, attached or with its first event still to come; null: none. */
    BurstAppender predecessor() {
        return Rings.predecessor(this, appender.element().location()) instanceof ElementHolder found
                ? found.appender
                : null;
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

    /**
     * Returns the settings of the element, with those of its ring that stand in other elements.
     *
     * @throws BurstException if these contradict each other, or if the drain cannot be another process
     */
    StreamTerms terms() {
        final Settings door = new Settings(new TreeMap<>(String.CASE_INSENSITIVE_ORDER), BurstAppenderBuilder.WORDING);
        final StreamTerms own = appender.element().terms().stream();
        final StreamTerms terms = own.on(own.ring().with(othersOfConfiguration(), door));
        if (terms.ring().isDrainedElsewhere()) {
            requireNoJvm(appender.element().terms());
        }
        return terms;
    }

    /** Keeps an element from an external drain if a JVM would have to roll its files, or to ship its records. */
    private static void requireNoJvm(final BurstElement.Terms element) {
        if (!element.shippers().isEmpty()) {
            final String folder = element.stream().config().segments().folder();
            final ShipperSettings first = element.shippers().get(0);
            throw new BurstException(
                    BurstException.Code.INVALID_ARGUMENT,
                    "drain=\"external\" cannot be used with an element that ships in a thread of the application: remove"
                            + " the element, set segments=\"" + folder
                            + "\", and start java -jar "
                            + first.element().command.apply(first.settings()) + ".");
        }
        if (element.rolling() != null) {
            WithoutJvm.require(element.rolling());
        }
    }

    /**
     * Returns the ring's settings of all elements, in the order of the appenders' names: which setting wins is then the
     * same at each start.
     */
    private List<RingTerms> othersOfConfiguration() {
        return appender.configuration() == null
                ? List.of()
                : appender.configuration().getAppenders().values().stream()
                        .filter(BurstAppender.class::isInstance)
                        .map(BurstAppender.class::cast)
                        .filter(other -> other.element().terms() != null)
                        .sorted(Comparator.comparing(BurstAppender::getName))
                        .map(other -> other.element().terms().stream().ring())
                        .toList();
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

    @Override
    public boolean letGo() {
        return appender.letGo();
    }

    @Override
    public boolean isClosed() {
        return appender.ring().isClosed();
    }

    @Override
    public void takeUp() {
        appender.takeUp();
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
