// SPDX-License-Identifier: Apache-2.0
package io.burstlog.jul;

import io.burstlog.BurstEvent;
import io.burstlog.BurstException;
import io.burstlog.bridge.LogSink;
import io.burstlog.bridge.Losses;
import io.burstlog.bridge.Settings;
import java.io.UnsupportedEncodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.logging.ErrorManager;
import java.util.logging.Filter;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.SimpleFormatter;

/**
 * A handler of {@code java.util.logging}: a log call that returned is on the medium.
 *
 * <pre>{@code
 * handlers = io.burstlog.jul.BurstHandler
 * io.burstlog.jul.BurstHandler.ring = /var/lib/gateway/orders.ring
 * io.burstlog.jul.BurstHandler.file = logs/orders.log
 * }</pre>
 *
 * <p><b>Durability on return.</b> A record is durable in the ring when the log call returns; with {@code ack} of
 * {@code enqueued} it is accepted. From the ring the records go to the log file in the background, exactly the bytes of
 * the formatter; after a crash the next start does that. Each log file is a stream of its ring, and several handlers
 * may share a ring: a subclass, which may be empty, has properties by its own name.
 *
 * <p><b>Errors.</b> A log call whose record was not logged throws a {@link BurstException}, unlike elsewhere in
 * {@code java.util.logging}, unless {@code failClosed} is false. So does every call of a handler that could not be
 * opened: its constructor does not throw, because the {@link LogManager} would go on without the handler. The
 * {@link ErrorManager} is told the first record that was not logged, and once a minute how many there were; so it is of
 * what the ring has to tell. The one that is set at first prints each sentence to {@code System.err}.
 *
 * <p>docs/jul.md has every property. The {@link LogManager} closes the handler when it is reset, for instance at the
 * end of the JVM.
 *
 * <p><b>Thread safety.</b> Any thread may log at any time; none waits for another's formatting.
 */
public class BurstHandler extends Handler {

    private final Losses losses = new Losses(sentence -> tell(sentence, ErrorManager.WRITE_FAILURE));
    private final boolean failClosed;

    /** Null if it could not be opened. */
    private final LogSink sink;

    private final String refusal;
    private volatile boolean isOpen;

    /**
     * Opens what the properties of the {@link LogManager} say that begin with the name of the class. If they cannot be
     * used, the {@link ErrorManager} is told why, and each log call throws.
     */
    public BurstHandler() {
        this(null);
    }

    /**
     * As {@link #BurstHandler()}, for a program that says itself what it wants.
     *
     * @param properties their names, without that of the class, and their values; null: those of the {@link LogManager}
     */
    public BurstHandler(Map<String, String> properties) {
        setErrorManager(new SentencesToStandardError());
        Settings settings = new Settings();
        LogSink opened = null;
        String complaint;
        try {
            Properties given = properties == null ? Properties.ofLogManager(getClass()) : new Properties(properties);
            given.read(settings);
            settings.flag("failClosed", true);
            configure(given, settings);
            Settings.Terms terms = settings.terms();
            complaint = settings.complaints();
            opened = terms == null ? null : open(terms);
        } catch (RuntimeException | LinkageError failure) {
            // Whatever a formatter or a class path may do: the LogManager would go on without the handler.
            complaint = sentenceOf(failure);
        }
        failClosed = settings.flag("failClosed", true);
        sink = opened;
        refusal = complaint;
        isOpen = opened != null;
        if (opened == null) {
            tell("It is not open: " + complaint, ErrorManager.OPEN_FAILURE);
        }
    }

    private static String sentenceOf(Throwable failure) {
        return failure instanceof BurstException ? failure.getMessage() : failure.toString();
    }

    private void configure(Properties given, Settings settings) {
        setLevel(given.level("level", settings));
        setFilter(given.instance("filter", Filter.class, null, settings));
        setFormatter(given.instance("formatter", Formatter.class, SimpleFormatter::new, settings));
        String encoding = given.text("encoding");
        try {
            setEncoding(encoding == null ? StandardCharsets.UTF_8.name() : encoding);
        } catch (UnsupportedEncodingException unknown) {
            settings.complain("encoding=\"" + encoding + "\" cannot be used: use a name such as UTF-8");
        }
        if (settings.text("rollPattern") != null && (!head().isEmpty() || !tail().isEmpty())) {
            settings.complain("formatter " + getFormatter().getClass().getName() + " cannot be used with rollPattern:"
                    + " it has a head or a tail, and files that the engine begins have none; use another formatter");
        }
    }

    private LogSink open(Settings.Terms terms) {
        LogSink opened = LogSink.open(terms, this::tell);
        try {
            if (opened.isNew() && !head().isEmpty()) {
                opened.append(bytes(head()), true);
            }
            return opened;
        } catch (RuntimeException | Error failure) {
            opened.close(() -> null);
            throw failure;
        }
    }

    private String head() {
        return Objects.requireNonNullElse(getFormatter().getHead(this), "");
    }

    private String tail() {
        return Objects.requireNonNullElse(getFormatter().getTail(this), "");
    }

    private byte[] bytes(String text) {
        return text.getBytes(Charset.forName(getEncoding()));
    }

    private void tell(BurstEvent event) {
        if (event.severity() != BurstEvent.Severity.INFO) {
            tell(event.text(), ErrorManager.GENERIC_FAILURE);
        }
    }

    private void tell(String sentence, int code) {
        reportError(getClass().getName() + ": " + sentence, null, code);
    }

    /**
     * Logs one record; see the class for when it is durable.
     *
     * @throws BurstException if it was not logged or, where it says so, is not known to be durable, and
     *     {@code failClosed} is not false
     */
    @Override
    public void publish(LogRecord record) {
        if (!isLoggable(record)) {
            return;
        }
        try {
            append(record);
        } catch (RuntimeException failure) {
            losses.add(sentenceOf(failure));
            if (failClosed) {
                throw failure;
            }
        }
    }

    private void append(LogRecord record) {
        if (sink == null) {
            throw new BurstException(
                    BurstException.Code.CLOSED, "The record was not logged, its handler is not open: " + refusal);
        }
        sink.append(bytes(getFormatter().format(record)), true);
    }

    /** Makes durable what is only accepted, within {@code shutdownTimeout}. */
    @Override
    public void flush() {
        if (isOpen) {
            report("Not everything is durable", () -> {
                if (!sink.flush()) {
                    throw new BurstException(
                            BurstException.Code.TIMED_OUT, "shutdownTimeout was over; look at the medium of the ring.");
                }
            });
        }
    }

    /** Makes everything durable, brings the log file up to date and closes it; with the last handler the ring. */
    @Override
    public synchronized void close() {
        if (isOpen) {
            isOpen = false;
            report("Not everything could be written at close", () -> sink.close(() -> bytes(tail())));
            losses.end();
        }
    }

    private void report(String what, Runnable work) {
        try {
            work.run();
        } catch (RuntimeException failure) {
            tell(what + ": " + sentenceOf(failure), ErrorManager.FLUSH_FAILURE);
        }
    }

    /** The JDK's own tells the first error alone. */
    private static final class SentencesToStandardError extends ErrorManager {
        @Override
        public synchronized void error(String sentence, Exception failure, int code) {
            System.err.println(sentence);
        }
    }
}
