// SPDX-License-Identifier: Apache-2.0
package io.burstlog.jul;

import io.burstlog.BurstEvent;
import io.burstlog.BurstException;
import io.burstlog.doors.Holder;
import io.burstlog.doors.LossReport;
import io.burstlog.doors.OneAtATime;
import io.burstlog.doors.RecordStream;
import io.burstlog.doors.RecordTerms;
import io.burstlog.doors.Settings;
import io.burstlog.doors.StreamTerms;
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
 * <p><b>Durability on return.</b> A record is durable in the ring when the log call returns; if {@code ack} is
 * {@code enqueued}, it is only accepted. The drain moves the records from the ring to the log file in the background,
 * exactly the bytes of the formatter; after a crash the next start does so. Each log file is a stream of its ring, and
 * several handlers may share a ring: a subclass, which may be empty, has properties by its own name.
 *
 * <p><b>Errors.</b> A log call whose record was not logged throws a {@link BurstException}, unlike elsewhere in
 * {@code java.util.logging}, unless {@code failClosed} is false. Every call of a handler that could not be opened
 * throws, too. Its constructor does not throw, because the {@link LogManager} would go on without the handler. The
 * {@link ErrorManager} gets a sentence about the first record that was not logged, and then their number once a minute.
 * It also gets the events of the ring. The initial {@code ErrorManager} prints each sentence to {@code System.err}.
 *
 * <p>docs/jul.md has every property. The {@link LogManager} closes the handler when it is reset, for instance at the
 * end of the JVM.
 *
 * <p><b>Thread safety.</b> Any thread may log at any time, and waits for no other thread's formatting.
 */
public class BurstHandler extends Handler {

    private final LossReport losses = new LossReport(sentence -> tell(sentence, ErrorManager.WRITE_FAILURE));
    private final boolean failClosed;

    /** Null if the handler could not be opened. */
    private final RecordStream stream;

    private final String refusal;
    private final OneAtATime closing = new OneAtATime();
    private volatile boolean isOpen;

    /**
     * Opens ring and log file by the properties of the {@link LogManager} that begin with the name of the class. If
     * they cannot be used, the {@link ErrorManager} gets the reason, and each log call throws.
     */
    public BurstHandler() {
        this(null);
    }

    /**
     * Opens ring and log file as {@link #BurstHandler()} does, by properties that a program gives.
     *
     * @param properties the values by the names of the properties, without the name of the class; null: the properties
     *     of the {@link LogManager}
     */
    public BurstHandler(Map<String, String> properties) {
        setErrorManager(new SentencesToStandardError());
        Settings settings = properties == null ? Properties.ofLogManager(getClass()) : Properties.of(properties);
        Boolean throwing = settings.flag("failClosed");
        RecordStream opened = null;
        String complaint;
        try {
            configure(settings);
            StreamTerms terms = RecordTerms.read(settings, RecordTerms.rolling(settings));
            complaint = settings.complaints();
            opened = terms == null ? null : open(terms, new AsHolder(properties == null));
        } catch (RuntimeException | LinkageError failure) {
            // A formatter or a class path may throw anything, and the LogManager would then go on without the handler.
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
            settings.refuse("encoding", encoding, "use a name such as UTF-8 or UTF-16BE; UTF-16 marks each record");
        }
        if (settings.text("rollPattern") != null && (!head().isEmpty() || !tail().isEmpty())) {
            settings.complain("formatter " + getFormatter().getClass().getName() + " cannot be used with rollPattern:"
                    + " it has a head or a tail, and files that the engine begins have none; use another formatter");
        }
    }

    private RecordStream open(StreamTerms terms, Holder holder) {
        RecordStream opened = RecordStream.open(terms, holder);
        try {
            if (opened.isNew() && !head().isEmpty()) {
                opened.append(bytes(head()), false);
            }
            return opened;
        } catch (RuntimeException | Error failure) {
            opened.close(() -> null);
            throw failure;
        }
    }

    /** Presents this handler to the core of the doors. */
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

    /**
     * Sets the encoding of the records that come.
     *
     * @param encoding the name of a charset; null: the default charset of the JVM
     * @throws UnsupportedEncodingException if there is no such charset, it only reads, or it is one that begins each
     *     record with a byte order mark, such as UTF-16; the handler keeps the encoding that it had
     */
    @Override
    public synchronized void setEncoding(String encoding) throws UnsupportedEncodingException {
        if (!isForRecords(encoding)) {
            throw new UnsupportedEncodingException(encoding);
        }
        super.setEncoding(encoding);
    }

    private static boolean isForRecords(String encoding) {
        try {
            Charset charset = charset(encoding);
            return charset.canEncode() && "aa".getBytes(charset).length == 2 * "a".getBytes(charset).length;
        } catch (IllegalArgumentException unknown) {
            return false;
        }
    }

    private static Charset charset(String encoding) {
        return encoding == null ? Charset.defaultCharset() : Charset.forName(encoding);
    }

    private byte[] bytes(String text) {
        return text.getBytes(charset(getEncoding()));
    }

    private void tell(String sentence, int code) {
        reportError(getClass().getName() + ": " + sentence, null, code);
    }

    /**
     * Logs one record; see the class for when it is durable.
     *
     * @throws BurstException if {@code failClosed} is not false and the record was not logged. If it may be durable all
     *     the same, the message says so
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

    /** Makes every accepted record durable, within {@code shutdownTimeout}. */
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

    /** Makes everything durable, drains the log file and closes it. The last handler of a ring closes the ring, too. */
    @Override
    public void close() {
        closing.call(() -> {
            if (isOpen) {
                isOpen = false;
                stream.close(() -> bytes(tail()));
                losses.tell();
            }
            return null;
        });
    }

    /** Prints each sentence; the JDK's own ErrorManager prints only the first error. */
    private static final class SentencesToStandardError extends ErrorManager {
        @Override
        public synchronized void error(String sentence, Exception failure, int code) {
            System.err.println(sentence);
        }
    }
}
