// SPDX-License-Identifier: Apache-2.0
package io.burstlog.jul;

import io.burstlog.BurstEvent;
import io.burstlog.BurstException;
import io.burstlog.doors.Holder;
import io.burstlog.doors.LossReport;
import io.burstlog.doors.RecordStream;
import io.burstlog.doors.RecordTerms;
import io.burstlog.doors.Settings;
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

    private final LossReport losses = new LossReport(sentence -> tell(sentence, ErrorManager.WRITE_FAILURE));
    private final boolean failClosed;

    /** Null if it could not be opened. */
    private final RecordStream stream;

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
        Settings settings = properties == null ? Properties.ofLogManager(getClass()) : Properties.of(properties);
        Boolean throwing = settings.flag("failClosed");
        RecordStream opened = null;
        String complaint;
        try {
            configure(settings);
            RecordTerms terms = RecordTerms.read(settings, RecordTerms.rolling(settings));
            complaint = settings.complaints();
            opened = terms == null ? null : open(terms, new AsHolder(properties == null));
        } catch (RuntimeException | LinkageError failure) {
            // Whatever a formatter or a class path may do: the LogManager would go on without the handler.
            complaint = sentenceOf(failure);
        }
        failClosed = Settings.orDefault(throwing, true);
        stream = opened;
        refusal = complaint;
        isOpen = opened != null;
        if (opened == null) {
            tell("It is not open: " + complaint, ErrorManager.OPEN_FAILURE);
        }
    }

    private static String sentenceOf(Throwable failure) {
        return failure instanceof BurstException ? failure.getMessage() : failure.toString();
    }

    private void configure(Settings settings) {
        setLevel(Properties.level("level", settings));
        setFilter(Properties.instance("filter", Filter.class, null, settings));
        setFormatter(Properties.instance("formatter", Formatter.class, SimpleFormatter::new, settings));
        String encoding = settings.text("encoding");
        try {
            setEncoding(encoding == null ? StandardCharsets.UTF_8.name() : encoding);
        } catch (UnsupportedEncodingException unknown) {
            settings.refuse("encoding", encoding, "use a name such as UTF-8");
        }
        if (settings.text("rollPattern") != null && (!head().isEmpty() || !tail().isEmpty())) {
            settings.complain("formatter " + getFormatter().getClass().getName() + " cannot be used with rollPattern:"
                    + " it has a head or a tail, and files that the engine begins have none; use another formatter");
        }
    }

    private RecordStream open(RecordTerms terms, Holder holder) {
        RecordStream opened = RecordStream.open(terms, holder);
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

    /** To the core of the doors. */
    private final class AsHolder implements Holder {
        private final boolean isOfLogManager;

        AsHolder(boolean isOfLogManager) {
            this.isOfLogManager = isOfLogManager;
        }

        @Override
        public String name() {
            return BurstHandler.this.getClass().getName();
        }

        @Override
        public String place() {
            String file = System.getProperty("java.util.logging.config.file", "the LogManager's properties");
            return name() + " of " + (isOfLogManager ? file : "a program");
        }

        @Override
        public void tell(BurstEvent.Severity severity, String sentence) {
            if (severity != BurstEvent.Severity.INFO) {
                BurstHandler.this.tell(sentence, ErrorManager.GENERIC_FAILURE);
            }
        }

        @Override
        public void hear(BurstEvent event) {
            tell(event.severity(), event.text());
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
            losses.add(() -> sentenceOf(failure));
            if (failClosed) {
                throw failure;
            }
        }
    }

    private void append(LogRecord record) {
        if (stream == null) {
            throw new BurstException(
                    BurstException.Code.CLOSED, "The record was not logged, its handler is not open: " + refusal);
        }
        stream.append(bytes(getFormatter().format(record)), true);
    }

    /** Makes durable what is only accepted, within {@code shutdownTimeout}. */
    @Override
    public void flush() {
        if (isOpen) {
            String reason = "shutdownTimeout was over; look at the medium of the ring.";
            try {
                reason = stream.flush() ? null : reason;
            } catch (BurstException failure) {
                reason = failure.getMessage();
            }
            if (reason != null) {
                tell("Not everything is durable: " + reason, ErrorManager.FLUSH_FAILURE);
            }
        }
    }

    /** Makes everything durable, brings the log file up to date and closes it; with the last handler the ring. */
    @Override
    public synchronized void close() {
        if (isOpen) {
            isOpen = false;
            stream.close(() -> bytes(tail()));
            losses.tell();
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
