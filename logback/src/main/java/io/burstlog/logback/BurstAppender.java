// SPDX-License-Identifier: Apache-2.0
package io.burstlog.logback;

import ch.qos.logback.core.AsyncAppenderBase;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.LogbackException;
import ch.qos.logback.core.rolling.RollingPolicy;
import ch.qos.logback.core.rolling.TriggeringPolicy;
import ch.qos.logback.core.spi.DeferredProcessingAware;
import ch.qos.logback.core.spi.FilterReply;
import io.burstlog.BurstEvent;
import io.burstlog.BurstException;
import io.burstlog.bridge.LogSink;
import io.burstlog.bridge.Losses;
import io.burstlog.bridge.Settings;

/**
 * A Logback appender: a log call that returned is on the medium.
 *
 * <pre>{@code
 * <appender name="ORDERS" class="io.burstlog.logback.BurstAppender">
 *   <ring>/var/lib/gateway/orders.ring</ring>
 *   <file>logs/orders.log</file>
 *   <encoder><pattern>%d %-5level %logger{0} [%thread] %msg%n</pattern></encoder>
 * </appender>
 * }</pre>
 *
 * <p><b>Durability on return.</b> An event is durable in the ring when the log call returns; with {@code ack} of
 * {@code enqueued} it is accepted. Behind an {@code AsyncAppender}, whose caller has long gone on, it is accepted, too.
 * From the ring the events go to the log file in the background, exactly the bytes of the encoder; after a crash the
 * next start does that. Each log file is a stream of its ring, and several appenders may share a ring.
 *
 * <p><b>Errors.</b> A log call whose event was not logged throws a {@link LogbackException}, unlike elsewhere in
 * Logback, unless {@code failClosed} is false. So does every call of an appender that could not be started, of which an
 * ERROR status says why. A status tells the first event that was not logged, and once a minute how many there were. An
 * {@code AsyncAppender} would end its thread for an exception: there, only the status tells.
 *
 * <p>It is a {@link FileAppender} for what looks for one: rolling policies, tools, Logback's check that no two
 * appenders have one file. It opens none itself. docs/logback.md has every setting; each setter takes it as it stands
 * in a configuration.
 *
 * <p><b>Thread safety.</b> Any thread may log at any time. Setters are for one thread, before {@link #start()}.
 *
 * @param <E> the kind of event
 */
public class BurstAppender<E> extends FileAppender<E> {

    private final Settings settings = new Settings();
    private final Losses losses = new Losses(sentence -> addError(named(sentence)));
    private RollingPolicy rollingPolicy;
    private TriggeringPolicy<E> triggeringPolicy;
    private boolean failClosed = true;

    /** Stays after stop: what comes late is the ring's to refuse. */
    private volatile LogSink sink;

    private volatile String refusal = "it is not started";

    /** With every setting at its default. */
    public BurstAppender() {
        // Public for Logback.
    }

    /** Opens the ring and the log file, or says in an ERROR status why that cannot be. */
    @Override
    public void start() {
        if (isStarted()) {
            return;
        }
        try {
            complainAboutWhatCannotBe();
            failClosed = settings.flag("failClosed", true);
            if (rollingPolicy != null) {
                new LogbackRolling(settings, getContext()).read(rollingPolicy, triggeringPolicy, hasHeaderOrFooter());
            }
            Settings.Terms terms = settings.terms();
            refusal = settings.complaints();
            if (terms != null) {
                open(terms);
            }
        } catch (RuntimeException | LinkageError failure) {
            // Whatever an encoder or a class path may do: Logback would go on without the appender.
            refusal = sentenceOf(failure);
        }
        if (refusal != null) {
            addError(named("it is not started: " + refusal));
        }
    }

    private static String sentenceOf(Throwable failure) {
        return failure instanceof BurstException ? failure.getMessage() : failure.toString();
    }

    private void complainAboutWhatCannotBe() {
        if (getEncoder() == null) {
            settings.complain("encoder is missing: add the element <encoder>");
        }
        if (!isAppend()) {
            settings.complain("append=\"false\" cannot be used: existing events are never overwritten; remove it, or"
                    + " move the old file away");
        }
        if (isPrudent()) {
            settings.complain("prudent=\"true\" cannot be used: one process writes the log file; remove it");
        }
        if (rollingPolicy == null && triggeringPolicy != null) {
            settings.complain("triggeringPolicy says nothing without rollingPolicy: add one, or remove it");
        }
    }

    private boolean hasHeaderOrFooter() {
        return getEncoder() != null
                && (isSomething(getEncoder().headerBytes())
                        || isSomething(getEncoder().footerBytes()));
    }

    private static boolean isSomething(byte[] bytes) {
        return bytes != null && bytes.length > 0;
    }

    private void open(Settings.Terms terms) {
        LogSink opened = LogSink.open(terms, this::tell);
        try {
            byte[] header = getEncoder().headerBytes();
            if (opened.isNew() && isSomething(header)) {
                opened.append(header, true);
            }
        } catch (RuntimeException | Error failure) {
            opened.close(() -> null);
            throw failure;
        }
        sink = opened;
        started = true;
    }

    private void tell(BurstEvent event) {
        switch (event.severity()) {
            case INFO -> addInfo(named(event.text()));
            case WARN -> addWarn(named(event.text()));
            case ERROR -> addError(named(event.text()));
        }
    }

    private String named(String sentence) {
        return "Burst '" + getName() + "': " + sentence;
    }

    /**
     * Logs one event; see the class for when it is durable.
     *
     * @throws LogbackException if the event was not logged or, where it says so, is not known to be durable, and
     *     {@code failClosed} is not false
     */
    @Override
    public void doAppend(E event) {
        try {
            if (getFilterChainDecision(event) != FilterReply.DENY) {
                append(event);
            }
        } catch (RuntimeException failure) {
            String sentence = sentenceOf(failure);
            losses.add(sentence);
            if (failClosed && !isHandedOver()) {
                throw new LogbackException(named(sentence), failure);
            }
        }
    }

    @Override
    protected void append(E event) {
        LogSink open = sink;
        if (open == null) {
            throw new BurstException(BurstException.Code.CLOSED, "The event was not logged: " + refusal);
        }
        if (event instanceof DeferredProcessingAware aware) {
            aware.prepareForDeferredProcessing();
        }
        byte[] record = getEncoder().encode(event);
        if (isSomething(record)) {
            open.append(record, !isHandedOver());
        }
    }

    /** Whether the thread of an {@code AsyncAppender} carries the event: nobody waits for it, and nobody hears. */
    private static boolean isHandedOver() {
        return Thread.currentThread().getClass().getEnclosingClass() == AsyncAppenderBase.class;
    }

    /** Makes everything durable, brings the log file up to date and closes it; with the last appender the ring. */
    @Override
    public void stop() {
        if (!isStarted()) {
            return;
        }
        started = false;
        try {
            sink.close(getEncoder()::footerBytes);
        } catch (RuntimeException failure) {
            addError(named("not everything could be written at stop: " + sentenceOf(failure)));
        }
        losses.end();
    }

    /** {@inheritDoc} */
    @Override
    public void setFile(String path) {
        super.setFile(path);
        settings.set("file", path);
    }

    /** A policy of Logback's own, of which the properties are taken; it is never asked to roll. */
    public void setRollingPolicy(RollingPolicy policy) {
        rollingPolicy = policy;
    }

    /** As {@link #setRollingPolicy}. */
    public void setTriggeringPolicy(TriggeringPolicy<E> policy) {
        triggeringPolicy = policy;
    }

    /** The block device or file that holds the ring. */
    public void setRing(String path) {
        settings.set("ring", path);
    }

    /** The size of a new ring, 16 MB by default. */
    public void setRingSize(String size) {
        settings.set("ringSize", size);
    }

    /** What ring and log file must survive: {@code power}, the default, {@code os-crash} or {@code process}. */
    public void setDurability(String least) {
        settings.set("durability", least);
    }

    /** What a log call promises when it returns: {@code durable}, the default, or {@code enqueued}. */
    public void setAck(String choice) {
        settings.set("ack", choice);
    }

    /** Whether a log call whose event was not logged throws, true by default. */
    public void setFailClosed(String choice) {
        settings.set("failClosed", choice);
    }

    /** What a log call does if the ring is full: {@code block}, the default, {@code fail} or {@code discard}. */
    public void setOnFull(String choice) {
        settings.set("onFull", choice);
    }

    /** How long a log call waits at most for space and for other threads; for ever by default. */
    public void setBlockTimeout(String time) {
        settings.set("blockTimeout", time);
    }

    /** The longest event, 1 MB by default. */
    public void setMaxRecordSize(String size) {
        settings.set("maxRecordSize", size);
    }

    /** How the ring is written, {@code auto} by default. */
    public void setIo(String choice) {
        settings.set("io", choice);
    }

    /** Within which time a durable event reaches the log file, 100 ms by default. */
    public void setDrainInterval(String time) {
        settings.set("drainInterval", time);
    }

    /** How long a stop takes at most, 10 s by default. */
    public void setShutdownTimeout(String time) {
        settings.set("shutdownTimeout", time);
    }

    /** The CPUs of the thread that moves events to the log files. */
    public void setDrainCpu(String cpus) {
        settings.set("drainCpu", cpus);
    }

    /** The CPUs of the thread that makes enqueued events durable. */
    public void setCommitCpu(String cpus) {
        settings.set("commitCpu", cpus);
    }

    /** The only native library to load. */
    public void setLibrary(String path) {
        settings.set("library", path);
    }

    /** Permissions of a newly created log file, as {@code rw-r-----}. */
    public void setFilePermissions(String permissions) {
        settings.set("filePermissions", permissions);
    }

    /** The owner of a newly created log file. */
    public void setFileOwner(String user) {
        settings.set("fileOwner", user);
    }

    /** The group of a newly created log file. */
    public void setFileGroup(String group) {
        settings.set("fileGroup", group);
    }

    /** A folder that receives the events as well, for consumers. */
    public void setSegments(String folder) {
        settings.set("segments", folder);
    }

    /** A consumer that lacks segments with more bytes than this is told of. */
    public void setSegmentsLimit(String size) {
        settings.set("segmentsLimit", size);
    }

    /** What becomes of segments beyond the limit: {@code hold}, they stay, or {@code release}, they are deleted. */
    public void setSegmentsOverLimit(String choice) {
        settings.set("segmentsOverLimit", choice);
    }
}
