// SPDX-License-Identifier: Apache-2.0
package io.burstlog.logback;

import static java.util.Objects.requireNonNullElse;

import ch.qos.logback.core.AsyncAppenderBase;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.LogbackException;
import ch.qos.logback.core.joran.util.ConfigurationWatchListUtil;
import ch.qos.logback.core.rolling.RollingPolicy;
import ch.qos.logback.core.rolling.TriggeringPolicy;
import ch.qos.logback.core.spi.DeferredProcessingAware;
import ch.qos.logback.core.spi.FilterReply;
import io.burstlog.BurstEvent;
import io.burstlog.BurstException;
import io.burstlog.Rolling;
import io.burstlog.doors.Holder;
import io.burstlog.doors.LossReport;
import io.burstlog.doors.RecordStream;
import io.burstlog.doors.RecordTerms;
import io.burstlog.doors.Settings;
import io.burstlog.doors.StreamTerms;
import io.burstlog.doors.Wording;
import java.net.URL;
import java.util.SortedMap;
import java.util.TreeMap;

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
 * <p><b>Durability on return.</b> An event is durable in the ring when the log call returns; if {@code ack} is
 * {@code enqueued}, it is only accepted. Behind an {@code AsyncAppender} it is also only accepted, since the caller has
 * long gone on. The drain moves the events from the ring to the log file in the background, exactly the bytes of the
 * encoder; after a crash the next start does so. Each log file is a stream of its ring, and several appenders may share
 * a ring.
 *
 * <p><b>Errors.</b> A log call whose event was not logged throws a {@link LogbackException}, unlike elsewhere in
 * Logback, unless {@code failClosed} is false. Every call of an appender that could not be started throws, too; an
 * ERROR status gives the reason. A status tells the first event that was not logged, and then their number once a
 * minute. Behind an {@code AsyncAppender} only the status tells, because an exception would end that appender's thread.
 *
 * <p>The class is a {@link FileAppender} because rolling policies, tools, and Logback's check for two appenders with
 * one file look for one. It opens no file of a {@code FileAppender}. docs/logback.md has every setting; each setter
 * takes the text that would stand in a configuration.
 *
 * <p><b>Thread safety.</b> Any thread may log at any time. Only one thread may call setters, before {@link #start()}.
 *
 * @param <E> the kind of event
 */
public class BurstAppender<E> extends FileAppender<E> {

    /** So many events of a thread may be under way, each logged while the one before gets its text. */
    private static final int MOST_NESTED = 8;

    private static final ThreadLocal<int[]> NESTED = ThreadLocal.withInitial(() -> new int[1]);

    private final SortedMap<String, String> texts = new TreeMap<>();
    private final LossReport losses = new LossReport(sentence -> addError(named(sentence)));
    private final Holder holder = new AsHolder();
    private RollingPolicy rollingPolicy;
    private TriggeringPolicy<E> triggeringPolicy;
    private boolean failClosed = true;

    /** Not null after the stop: the ring refuses late events. */
    private volatile RecordStream stream;

    private volatile String refusal = "it is not started";

    /** Makes an appender with every setting at its default. */
    public BurstAppender() {
        // Public, because Logback calls it.
    }

    /** Opens the ring and the log file, or says in an ERROR status why that is impossible. */
    @Override
    public void start() {
        if (isStarted()) {
            return;
        }
        Settings settings = new Settings(texts, Wording.of("setting"));
        try {
            complainAboutWhatCannotBe(settings);
            failClosed = Settings.orDefault(settings.flag("failClosed"), true);
            StreamTerms terms = RecordTerms.read(settings, rolling(settings));
            refusal = settings.complaints();
            if (terms != null) {
                open(terms);
            }
        } catch (RuntimeException | LinkageError failure) {
            // An encoder or a class path may throw anything, and Logback would then go on without the appender.
            refusal = sentenceOf(failure);
        }
        if (refusal != null) {
            addError(named("it is not started: " + refusal));
        }
    }

    private Rolling rolling(Settings settings) {
        return rollingPolicy == null
                ? null
                : new LogbackRolling(settings, getContext())
                        .read(rollingPolicy, triggeringPolicy, getFile() != null, hasHeaderOrFooter());
    }

    private static String sentenceOf(Throwable failure) {
        return failure instanceof BurstException ? failure.getMessage() : failure.toString();
    }

    private void complainAboutWhatCannotBe(Settings settings) {
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

    private void open(StreamTerms terms) {
        RecordStream opened = RecordStream.open(terms, holder);
        try {
            byte[] header = getEncoder().headerBytes();
            if (opened.isNew() && isSomething(header)) {
                opened.append(header, false);
            }
        } catch (RuntimeException | Error failure) {
            opened.close(() -> null);
            throw failure;
        }
        stream = opened;
        started = true;
    }

    /** Presents this appender to the core of the doors. */
    private final class AsHolder implements Holder {
        @Override
        public String name() {
            return getName();
        }

        @Override
        public String place() {
            URL file = ConfigurationWatchListUtil.getMainWatchURL(getContext());
            return "Burst '" + getName() + "' of "
                    + (file != null
                            ? file
                            : "the context '" + requireNonNullElse(getContext().getName(), "default") + "'");
        }

        @Override
        public void tell(BurstEvent.Severity severity, String sentence) {
            switch (severity) {
                case INFO -> addInfo(named(sentence));
                case WARN -> addWarn(named(sentence));
                case ERROR -> addError(named(sentence));
            }
        }

        @Override
        public void hear(BurstEvent event) {
            tell(event.severity(), event.text());
        }
    }

    private String named(String sentence) {
        return "Burst '" + getName() + "': " + sentence;
    }

    /**
     * Logs one event; see the class for when it is durable.
     *
     * @throws LogbackException if {@code failClosed} is not false and the event was not logged. If it may be durable
     *     all the same, the message says so
     */
    @Override
    public void doAppend(E event) {
        int[] nested = NESTED.get();
        nested[0]++;
        try {
            requireAnEnd(nested[0]); // a filter may make the text, too
            if (getFilterChainDecision(event) != FilterReply.DENY) {
                append(event);
            }
        } catch (RuntimeException failure) {
            String sentence = sentenceOf(failure);
            losses.add(() -> sentence);
            if (failClosed && !isHandedOver()) {
                throw new LogbackException(named(sentence), failure);
            }
        } finally {
            nested[0]--;
        }
    }

    /** A toString() that logs its own object has none. */
    private static void requireAnEnd(int nested) {
        if (nested > MOST_NESTED) {
            throw new BurstException(
                    BurstException.Code.INVALID_ARGUMENT,
                    "The event was not logged: its thread logs it while " + MOST_NESTED + " events before it get their"
                            + " text, each from within the one before. Find the toString() that logs its own object.");
        }
    }

    @Override
    protected void append(E event) {
        RecordStream open = stream;
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

    /**
     * Tells whether the thread of an {@code AsyncAppender} carries the event: nobody waits for the event then, or hears
     * an exception.
     */
    private static boolean isHandedOver() {
        return Thread.currentThread().getClass().getEnclosingClass() == AsyncAppenderBase.class;
    }

    /**
     * Makes everything durable, drains the log file and closes it. The last appender of a ring closes the ring, too.
     */
    @Override
    public void stop() {
        if (!isStarted()) {
            return;
        }
        started = false;
        stream.close(getEncoder()::footerBytes);
        losses.tell();
    }

    /** {@inheritDoc} */
    @Override
    public void setFile(String path) {
        super.setFile(path);
        texts.put("file", path);
    }

    /** Sets a rolling policy of Logback's own. The engine rolls by its properties; nobody asks the policy to roll. */
    public void setRollingPolicy(RollingPolicy policy) {
        rollingPolicy = policy;
    }

    /** Sets a triggering policy of Logback's own, as {@link #setRollingPolicy} does for the rolling policy. */
    public void setTriggeringPolicy(TriggeringPolicy<E> policy) {
        triggeringPolicy = policy;
    }

    /** The block device or file that holds the ring. */
    public void setRing(String path) {
        texts.put("ring", path);
    }

    /** The size of a new ring, 16 MB by default. */
    public void setRingSize(String size) {
        texts.put("ringSize", size);
    }

    /**
     * The worst failure that ring and log file must survive: {@code power}, the default, {@code os-crash} or
     * {@code process}.
     */
    public void setDurability(String least) {
        texts.put("durability", least);
    }

    /** The state of an event when its log call returns: {@code durable}, the default, or {@code enqueued}. */
    public void setAck(String choice) {
        texts.put("ack", choice);
    }

    /** Whether a log call whose event was not logged throws, true by default. */
    public void setFailClosed(String choice) {
        texts.put("failClosed", choice);
    }

    /**
     * The way in which a log call acts if the ring is full: {@code block}, the default, {@code fail} or
     * {@code discard}.
     */
    public void setOnFull(String choice) {
        texts.put("onFull", choice);
    }

    /** The longest time that a log call waits for space and for other threads; no limit by default. */
    public void setBlockTimeout(String time) {
        texts.put("blockTimeout", time);
    }

    /** The longest event, 1 MB by default. */
    public void setMaxRecordSize(String size) {
        texts.put("maxRecordSize", size);
    }

    /** The way in which the engine writes the ring, {@code auto} by default. */
    public void setIo(String choice) {
        texts.put("io", choice);
    }

    /** The time within which a durable event reaches the log file, 100 ms by default. */
    public void setDrainInterval(String time) {
        texts.put("drainInterval", time);
    }

    /** The longest time that a stop takes, 10 s by default. */
    public void setShutdownTimeout(String time) {
        texts.put("shutdownTimeout", time);
    }

    /** The way in which the calls for each event reach the library, {@code auto} by default. */
    public void setBinding(String choice) {
        texts.put("binding", choice);
    }

    /** The CPUs of the thread that moves events to the log files. */
    public void setDrainCpu(String cpus) {
        texts.put("drainCpu", cpus);
    }

    /** The CPUs of the thread that makes enqueued events durable. */
    public void setCommitCpu(String cpus) {
        texts.put("commitCpu", cpus);
    }

    /** The priority under SCHED_FIFO of the thread that makes enqueued events durable; none by default. */
    public void setRealtimePriority(String priority) {
        texts.put("realtimePriority", priority);
    }

    /** Whether the thread that makes enqueued events durable spins when nothing is enqueued, false by default. */
    public void setCommitSpin(String choice) {
        texts.put("commitSpin", choice);
    }

    /** The time that the thread that makes enqueued events durable waits for more of them; zero by default. */
    public void setBatchDelay(String time) {
        texts.put("batchDelay", time);
    }

    /** The enqueued bytes that end the wait of {@link #setBatchDelay} early. */
    public void setBatchSize(String size) {
        texts.put("batchSize", size);
    }

    /** The size of the pages of the ring's image in memory, {@code auto} by default. */
    public void setHugePages(String choice) {
        texts.put("hugePages", choice);
    }

    /**
     * An existing folder for the socket that gives the ring's memory to readers in other processes; none by default.
     */
    public void setWindow(String folder) {
        texts.put("window", folder);
    }

    /** The permissions of that socket, such as {@code rw-rw----}; {@code rw-------} by default. */
    public void setWindowPermissions(String permissions) {
        texts.put("windowPermissions", permissions);
    }

    /** The process that moves records to the log files: {@code inner}, the default, or {@code external}. */
    public void setDrain(String choice) {
        texts.put("drain", choice);
    }

    /** Whether management clients see the ring and its log files, true by default. */
    public void setJmx(String choice) {
        texts.put("jmx", choice);
    }

    /** The only native library to load. */
    public void setLibrary(String path) {
        texts.put("library", path);
    }

    /** The permissions of a newly created log file, such as {@code rw-r-----}. */
    public void setFilePermissions(String permissions) {
        texts.put("filePermissions", permissions);
    }

    /** The owner of a newly created log file. */
    public void setFileOwner(String user) {
        texts.put("fileOwner", user);
    }

    /** The group of a newly created log file. */
    public void setFileGroup(String group) {
        texts.put("fileGroup", group);
    }

    /** A folder that receives the events as well, for consumers. */
    public void setSegments(String folder) {
        texts.put("segments", folder);
    }

    /** The bytes of segments by which a consumer may be behind; a status tells of one that is behind more. */
    public void setSegmentsLimit(String size) {
        texts.put("segmentsLimit", size);
    }

    /** The fate of segments beyond the limit: {@code hold}, they stay, or {@code release}, they are deleted. */
    public void setSegmentsOverLimit(String choice) {
        texts.put("segmentsOverLimit", choice);
    }

    /** Whether each log file gets an index, by which readers find an event. */
    public void setIndex(String flag) {
        texts.put("index", flag);
    }
}
