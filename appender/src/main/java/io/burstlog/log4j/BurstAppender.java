// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import io.burstlog.BurstException;
import java.io.Serializable;
import java.util.concurrent.TimeUnit;
import org.apache.logging.log4j.LoggingException;
import org.apache.logging.log4j.core.Appender;
import org.apache.logging.log4j.core.Core;
import org.apache.logging.log4j.core.Filter;
import org.apache.logging.log4j.core.Layout;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.appender.AppenderLoggingException;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.config.ConfigurationException;
import org.apache.logging.log4j.core.config.Property;
import org.apache.logging.log4j.core.config.plugins.Plugin;
import org.apache.logging.log4j.core.config.plugins.PluginBuilderFactory;

/**
 * The appender {@code <Burst>}: a log call that returned is on the medium.
 *
 * <pre>{@code
 * <Burst name="Orders" ring="/var/lib/app/orders.ring" fileName="logs/orders.log">
 *   <PatternLayout pattern="%d{ISO8601} %p %c{1} [%t] %m%n"/>
 * </Burst>
 * }</pre>
 *
 * <p><b>Durability on return.</b> An event that its own thread logs is durable in the ring when the log call returns,
 * whatever {@link LogEvent#isEndOfBatch()} says; {@code ack} and {@code ackLevel} relax that. An event that another
 * thread carries (async loggers, {@code AsyncAppender}) is accepted at once, and the last event of a batch waits for all
 * before it. Stopping the appender makes the rest durable. From the ring the events go to the log file in the
 * background, exactly the bytes of the layout; after a crash the next start does that.
 *
 * <p><b>Errors.</b> {@code ignoreExceptions} is {@code false} unless set, unlike elsewhere in Log4j: whoever logs an
 * event that could not be logged sees an {@link AppenderLoggingException} that says why. An appender that cannot start
 * (a wrong attribute, a ring in use, a medium that survives too little) says so once through Log4j's status logger and
 * then refuses every event in the same way, so that a {@code Failover} around it works.
 *
 * <p><b>Reconfiguration.</b> The appender of the new configuration attaches to the open ring. Layout, filters,
 * {@code ack}, {@code ackLevel}, {@code onFull} and {@code blockTimeout} change at once. A change of what is fixed while
 * a ring is open, for instance of {@code fileName}, is refused with a sentence, and events go on to where they went.
 *
 * <p><b>After stop</b> an event is durable on the same terms as long as another appender has the ring open, and throws
 * otherwise. Once Log4j itself is shut down its loggers are off and call no appender at all; {@code
 * shutdownHook="disable"} keeps them on for threads that log that late.
 *
 * <p><b>Thread safety.</b> Any thread may log at any time. Encoding takes no lock that threads share, and allocates
 * nothing if the layout allocates nothing.
 */
@Plugin(
        name = BurstAppender.PLUGIN_NAME,
        category = Core.CATEGORY_NAME,
        elementType = Appender.ELEMENT_TYPE,
        printObject = true)
public final class BurstAppender extends AbstractAppender {

    /** The name of the element in a configuration. */
    public static final String PLUGIN_NAME = "Burst";

    private final Configuration configuration;
    private final Attributes attributes;

    /** Stays after stop: whether a late event can still be durable is the ring's to say. */
    private volatile BurstManager manager;

    private volatile String refusal;
    private boolean attached;

    /** What the attributes of the element amount to. */
    record Attributes(RingAttributes ring, AckRule ackRule, FullRingRule fullRingRule) {}

    BurstAppender(
            final String name,
            final Filter filter,
            final Layout<? extends Serializable> layout,
            final boolean ignoreExceptions,
            final Property[] properties,
            final Configuration configuration,
            final Attributes attributes) {
        super(name, filter, layout, ignoreExceptions, properties);
        this.configuration = configuration;
        this.attributes = attributes;
    }

    /** An appender whose attributes cannot be used: it never starts, and says why to whoever logs. */
    static BurstAppender refused(
            final String name,
            final Filter filter,
            final Layout<? extends Serializable> layout,
            final boolean ignoreExceptions,
            final Property[] properties,
            final String sentence) {
        final BurstAppender appender =
                new BurstAppender(name, filter, layout, ignoreExceptions, properties, null, null);
        appender.refuse(sentence);
        return appender;
    }

    /**
     * A builder with every attribute at its default.
     *
     * @return a new builder
     */
    @PluginBuilderFactory
    public static BurstAppenderBuilder newBuilder() {
        return new BurstAppenderBuilder();
    }

    private void refuse(final String sentence) {
        LOGGER.error(sentence);
        refusal = sentence;
        setHandler(new RefusingErrorHandler(this, sentence));
    }

    private void refuseStart(final String reason) {
        refuse("Burst '" + getName() + "' is not started: " + reason);
    }

    /** Opens the ring, or attaches to it where it is open. If that fails the appender is not started. */
    @Override
    public synchronized void start() {
        if (attached || attributes == null) {
            return;
        }
        try {
            manager = OpenRings.attach(this, configuration, attributes.ring());
        } catch (final BurstException | ConfigurationException | LoggingException failure) {
            refuseStart(failure.getMessage());
            return;
        } catch (final RuntimeException | LinkageError failure) {
            // Whatever a layout, a path or a class path may do: what is thrown here ends the start of all of Log4j.
            refuseStart(failure.toString());
            return;
        }
        attached = true;
        super.start();
    }

    /**
     * Makes durable what was only enqueued. If no other appender has the ring open, it is drained and closed.
     *
     * @param timeout ignored: Log4j gives 0 ms at a reconfiguration and 50 ms at shutdown, which are no measure for a
     *     medium. The attribute {@code shutdownTimeout} bounds the wait
     */
    @Override
    public synchronized boolean stop(final long timeout, final TimeUnit timeUnit) {
        if (isStopped()) {
            return true;
        }
        setStopping();
        boolean stopped = super.stop(timeout, timeUnit, false);
        if (attached) {
            attached = false;
            stopped &= OpenRings.detach(manager, this);
        }
        setStopped();
        return stopped;
    }

    /**
     * Logs one event; see the class for when it is durable.
     *
     * @throws AppenderLoggingException if the event was not logged or, where it says so, is not known to be durable
     */
    @Override
    public void append(final LogEvent event) {
        final BurstManager ring = manager;
        if (ring == null) {
            throw new AppenderLoggingException(
                    refusal != null ? refusal : "Burst '" + getName() + "' was never started; the event was not logged.");
        }
        try {
            ring.append(
                    event,
                    getLayout(),
                    attributes.ackRule().isDurableOnReturn(event),
                    attributes.fullRingRule());
        } catch (final BurstException failure) {
            throw new AppenderLoggingException("Burst '" + getName() + "': " + failure.getMessage(), failure);
        }
    }

    BurstManager manager() {
        return manager;
    }
}
