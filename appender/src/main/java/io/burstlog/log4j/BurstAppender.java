// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import io.burstlog.BurstException;
import io.burstlog.doors.ClientThreads;
import io.burstlog.doors.Holder;
import io.burstlog.doors.LossReport;
import io.burstlog.doors.OneAtATime;
import io.burstlog.doors.OpenRing;
import io.burstlog.doors.Rings;
import io.burstlog.doors.StreamTerms;
import io.burstlog.doors.Suspension;
import io.burstlog.log4j.rolling.RollingSettings;
import java.io.Serializable;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.logging.log4j.LoggingException;
import org.apache.logging.log4j.core.Appender;
import org.apache.logging.log4j.core.Core;
import org.apache.logging.log4j.core.Filter;
import org.apache.logging.log4j.core.Layout;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.appender.AppenderLoggingException;
import org.apache.logging.log4j.core.appender.rolling.RollingFileManager;
import org.apache.logging.log4j.core.appender.rolling.TriggeringPolicy;
import org.apache.logging.log4j.core.config.Configuration;
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
 * thread carries (async loggers, {@code AsyncAppender}) is accepted at once, and the last event of a batch waits for
 * all before it. Stopping the appender makes the rest durable. The drain moves the events from the ring to the log file
 * in the background, exactly the bytes of the layout; after a crash the next start does so.
 *
 * <p><b>Errors.</b> {@code ignoreExceptions} is {@code false} unless set, unlike elsewhere in Log4j: a log call whose
 * event could not be logged throws an {@link AppenderLoggingException} that says why. An appender that cannot start
 * (wrong attributes, a ring in use, a medium that survives too little) says so once through Log4j's status logger. It
 * then refuses every event by such an exception, so that a {@code Failover} around it works. It counts as started all
 * the same, since Log4j does not call an appender that is not. The status logger gets one ERROR for the first event
 * that was not logged, and then their number once a minute. In the thread of an async logger the appender throws
 * nothing: nobody would hear the exception there, and Log4j would print a stack trace for each event.
 *
 * <p><b>Reconfiguration.</b> The appender of the new configuration attaches to the open ring. Layout, filters,
 * {@code ack}, {@code ackLevel}, {@code onFull} and {@code blockTimeout} change at once, and with another
 * {@code fileName} events go to another log file of the ring. Some attributes, for instance {@code drainInterval}, are
 * fixed while a ring or a log file is open: a change of these is refused with a sentence. If an element cannot be used
 * at all (a mistyped attribute, another ring that cannot be opened), all its changes are refused: the appender goes on
 * as before, with its old layout and filters.
 *
 * <p><b>Several elements</b> may share a ring, each with a log file, layout, {@code ack} and {@code onFull} of its own:
 * one commit makes the events of all of them durable. The attributes of the ring may stand in any of these elements. An
 * element whose attributes differ from those of the open ring is not started.
 *
 * <p><b>After stop</b> a log call still makes its event durable as before, as long as another appender has the log file
 * open; otherwise it throws. Once Log4j itself is shut down, its loggers are off and call no appender.
 * {@code shutdownHook="disable"} keeps the loggers on for threads that log that late.
 *
 * <p><b>Thread safety.</b> Any thread may log at any time. Encoding takes no lock that threads share, and allocates
 * nothing if the layout allocates nothing.
 */
@Plugin(
        name = BurstAppender.PLUGIN_NAME,
        category = Core.CATEGORY_NAME,
        elementType = Appender.ELEMENT_TYPE,
        printObject = true,
        deferChildren = true)
public final class BurstAppender extends AbstractAppender {

    /** The name of the element in a configuration. */
    public static final String PLUGIN_NAME = "Burst";

    private final Configuration configuration;
    private final BurstElement element;
    private final LossReport losses = new LossReport(sentence -> LOGGER.error("{}", sentence));
    private final ElementHolder holder = new ElementHolder(this);
    private final OneAtATime life = new OneAtATime();

    /**
     * The appender whose element applies: this one, or its predecessor if the change of the configuration was refused.
     */
    private BurstAppender inForce = this;

    /** Not null after the stop: the ring decides whether a late event can still be durable. */
    private volatile EventStream stream;

    private volatile String refusal;
    private boolean attached;

    /** Whether the first event still has to open the log file. */
    private volatile boolean isToBeAttached;

    private boolean filterIsPassedOn;
    private Runnable withdrawAdvertisement = () -> {};

    BurstAppender(
            final String name,
            final Filter filter,
            final Layout<? extends Serializable> layout,
            final boolean ignoreExceptions,
            final Property[] properties,
            final Configuration configuration,
            final BurstElement element) {
        super(name, filter, layout, ignoreExceptions, properties);
        this.configuration = configuration;
        this.element = element;
        this.refusal = element.complaint();
        setHandler(new BurstErrorHandler(this));
    }

    /**
     * Returns a builder with every attribute at its default.
     *
     * @return a new builder
     */
    @PluginBuilderFactory
    public static BurstAppenderBuilder newBuilder() {
        return new BurstAppenderBuilder();
    }

    /**
     * Opens the ring and the log file, or attaches to them if they are open. If that fails, the appender goes on with
     * the settings of the one that it was to replace; if there is none, it refuses every event.
     */
    @Override
    public void start() {
        life.call(() -> attached || startHere());
    }

    private boolean startHere() {
        final BurstAppender before = holder.predecessor();
        // An open one goes on if this appender cannot be used, which must show before that one is stopped.
        if (rolling() != null && rolling().createOnDemand() && (before == null || before.stream == null)) {
            awaitFirstEvent();
        } else {
            refusal = element.complaint() != null ? element.complaint() : reasonNotToAttach();
            if (refusal != null && before != null) {
                goOnAs(before);
            }
            tellRefusal();
        }
        super.start();
        return true;
    }

    private void awaitFirstEvent() {
        isToBeAttached = true;
        Rings.expect(holder, terms().stream());
    }

    /** Opens the log file with the first event if that is still to do. Returns null if this appender cannot be used. */
    private EventStream attachNow() {
        Suspension.awaitEnd();
        return life.call(() -> {
            if (isToBeAttached) {
                refusal = reasonNotToAttach();
                isToBeAttached = false;
                Rings.expectNoMore(holder);
                tellRefusal();
            }
            return stream;
        });
    }

    private void tellRefusal() {
        if (refusal != null) {
            LOGGER.error("Burst '{}' is not started: {}", getName(), refusal);
            losses.wasTold();
        }
    }

    private String reasonNotToAttach() {
        try {
            return reasonNotToAttach(inForce.holder.terms(), terms().rolling());
        } catch (final BurstException contradiction) {
            return contradiction.getMessage();
        }
    }

    /** Attaches to a log file and its ring. Returns null, or a sentence that says why that is impossible. */
    private String reasonNotToAttach(final StreamTerms wanted, final RollingSettings rolling) {
        try {
            stream = Rings.attach(
                    holder,
                    wanted,
                    EventStream.class,
                    ring -> EventStream.open(ring, wanted, rolling, getLayout(), holder));
            attached = true;
            Suspension.add(holder);
            stream.update(wanted, rolling);
            stream.attached(this, terms().shippers());
            withdrawAdvertisement = terms().advertisement().publish(this, configuration);
            return null;
        } catch (final BurstException | LoggingException failure) {
            return failure.getMessage();
        } catch (final RuntimeException | LinkageError failure) {
            // A layout, a path or a class path may throw anything, and an exception from here would end the start of
            // all of Log4j.
            return failure.toString();
        }
    }

    /** Tells whether the two appenders are in force side by side; false if one replaces the other. */
    boolean isBeside(final BurstAppender other) {
        return holder.relationTo(other.holder) != Holder.Relation.REPLACES;
    }

    /** Takes back the refusal if this appender can go on with the settings of the one that it was to replace. */
    private void goOnAs(final BurstAppender before) {
        final EventStream open = before.stream;
        inForce = before.inForce;
        if (open == null) {
            awaitFirstEvent();
        } else if (reasonNotToAttach(open.terms(), open.settings()) != null) {
            inForce = this;
            return;
        }
        removeFilter(getFilter());
        addFilter(before.passOnFilter());
        LOGGER.error(
                "Burst '{}': the change of its configuration is refused, and it goes on as before, to {}: {}",
                getName(),
                open == null ? terms().stream().location().file() : stream.file(),
                refusal);
        refusal = null;
    }

    /** Hands the filter over to a successor. The stop of this appender then leaves the filter started. */
    private Filter passOnFilter() {
        return life.call(() -> {
            filterIsPassedOn = true;
            return getFilter();
        });
    }

    BurstElement.Terms terms() {
        return inForce.element.terms();
    }

    /** {@inheritDoc} After a refused change it is the layout that was in force before. */
    @Override
    public Layout<? extends Serializable> getLayout() {
        return inForce == this ? super.getLayout() : inForce.getLayout();
    }

    /** {@inheritDoc} After a refused change it is the value that was in force before. */
    @Override
    public boolean ignoreExceptions() {
        return inForce == this ? super.ignoreExceptions() : inForce.ignoreExceptions();
    }

    /**
     * Makes every enqueued event durable. If no other appender writes the log file, the stop also drains the file and
     * closes it, and closes the ring if no other appender has it open.
     *
     * @param timeout ignored: Log4j gives 0 ms at a reconfiguration and 50 ms at shutdown, too little for a medium. The
     *     attribute {@code shutdownTimeout} bounds the wait
     */
    @Override
    public boolean stop(final long timeout, final TimeUnit timeUnit) {
        return life.call(() -> stopHere(timeout, timeUnit));
    }

    private boolean stopHere(final long timeout, final TimeUnit timeUnit) {
        if (isStopped()) {
            return true;
        }
        setStopping();
        isToBeAttached = false;
        Rings.expectNoMore(holder);
        boolean stopped = filterIsPassedOn || super.stop(timeout, timeUnit, false);
        Suspension.remove(holder);
        stopped &= isDetached(left -> stream.writeFooter(getLayout().getFooter(), left));
        losses.tell();
        setStopped();
        return stopped;
    }

    private boolean isDetached(final Consumer<Duration> lastLines) {
        if (!attached) {
            return true;
        }
        attached = false;
        withdrawAdvertisement.run();
        return Rings.detach(stream, holder, lastLines);
    }

    /** Closes the log file before a checkpoint of the JVM. Returns whether everything is durable. */
    boolean letGo() {
        return life.call(() -> isDetached(left -> {}));
    }

    /** Opens the log file after the restore of the JVM. */
    void takeUp() {
        life.call(() -> {
            if (stream != null && !attached && !isStopping() && !isStopped()) {
                refusal = reasonNotToAttach(stream.terms(), stream.settings());
                if (refusal != null) {
                    throw new BurstException(BurstException.Code.CLOSED, refusal);
                }
            }
            return null;
        });
    }

    /**
     * Logs one event; see the class for when it is durable.
     *
     * @throws AppenderLoggingException if the event was not logged. If it may be durable all the same, the message says
     *     so
     */
    @Override
    public void append(final LogEvent event) {
        try {
            EventStream attachedTo = isToBeAttached ? attachNow() : stream;
            while (!isAppended(event, attachedTo)) {
                attachedTo = stream;
            }
        } catch (final BurstException failure) {
            report(event, new AppenderLoggingException("Burst '" + getName() + "': " + failure.getMessage(), failure));
        } catch (final AppenderLoggingException failure) {
            report(event, failure);
        }
    }

    /** Returns false if the log file was closed for a checkpoint of the JVM, and was to be opened again. */
    private boolean isAppended(final LogEvent event, final EventStream attachedTo) {
        if (attachedTo == null || refusal != null) {
            throw new AppenderLoggingException("Burst '" + getName() + "' is not started"
                    + (refusal != null ? ": " + refusal : "; the event was not logged."));
        }
        try {
            attachedTo.append(event, getLayout(), terms());
            return true;
        } catch (final BurstException failure) {
            // The checkpoint waits until these have ended.
            if (failure.code() == BurstException.Code.CLOSED && !ClientThreads.isOne()) {
                Suspension.awaitEnd();
                if (stream != attachedTo || refusal != null) {
                    return false;
                }
            }
            throw failure;
        }
    }

    private void report(final LogEvent event, final AppenderLoggingException failure) {
        losses.add(() -> sentenceOf(failure));
        if (!UnheardEvents.contain(event)) {
            throw failure;
        }
    }

    /**
     * Returns the log file as the element names it. The file that is written now may have another name, which
     * {@code getManager()} and the MBeans show.
     *
     * @return null if the strategy names each file, or if the element cannot be used
     */
    public String getFileName() {
        final RollingSettings rolling = rolling();
        if (terms() == null) {
            return null;
        }
        return rolling != null ? rolling.fileName() : terms().stream().config().fileName();
    }

    /** Returns the pattern of the names of rolled files, as the element has it; null if the file is not rolled. */
    public String getFilePattern() {
        final RollingSettings rolling = rolling();
        return rolling == null ? null : rolling.filePattern();
    }

    /**
     * Returns the policy that decides when the log file is rolled.
     *
     * @return the policy in force, which may come from another appender on this file; before the file is open, the
     *     element's policy; null if the file is not rolled
     */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // Log4j's rolling appenders have this signature.
    public <T extends TriggeringPolicy> T getTriggeringPolicy() {
        final RollingFileManager manager = getManager();
        final RollingSettings rolling = rolling();
        return manager != null ? manager.getTriggeringPolicy() : rolling == null ? null : (T) rolling.policy();
    }

    private RollingSettings rolling() {
        return terms() == null ? null : terms().rolling();
    }

    /**
     * Counts an event that Log4j is about to drop, and tells the operator.
     *
     * @throws AppenderLoggingException the given exception, unless the appender ignores exceptions
     */
    void refuse(final AppenderLoggingException dropped) {
        losses.add(dropped::getMessage);
        if (!ignoreExceptions() && !ClientThreads.isOne()) {
            throw dropped;
        }
    }

    private String sentenceOf(final AppenderLoggingException failure) {
        final String name = "Burst '" + getName() + "'";
        final String reason = String.valueOf(failure.getMessage());
        return reason.startsWith(name) ? reason : name + ": " + reason;
    }

    /**
     * Returns the manager by which policies and strategies of rolling see the log file, for instance to add a rollover
     * listener or to roll now. Its {@code rollover()} returns when the roll is durable in the ring; the files get their
     * names soon after.
     *
     * @return null if the file is not rolled, or is not open
     */
    public RollingFileManager getManager() {
        final EventStream attachedTo = stream;
        return attachedTo == null ? null : attachedTo.manager();
    }

    /** Returns the element of this appender, even if a change of the configuration was refused. */
    BurstElement element() {
        return element;
    }

    /** Returns the configuration of this appender; null if it belongs to none. */
    Configuration configuration() {
        return configuration;
    }

    OpenRing ring() {
        return stream.ring();
    }

    EventStream stream() {
        return stream;
    }
}
