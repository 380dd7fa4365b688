// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bridge;

import io.burstlog.BurstEvent;
import io.burstlog.BurstException;
import io.burstlog.BurstStream;
import io.burstlog.OnFull;
import io.burstlog.RecordBuffer;
import io.burstlog.jmx.Registration;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A log file on a ring, as one appender writes it. Other appenders of the JVM may have log files on the same ring.
 *
 * <p>Safe for use by any thread, also after it was closed: every call throws then.
 */
public final class LogSink {

    private final SharedRing ring;
    private final BurstStream stream;
    private final Registration shown;
    private final boolean isDurableOnReturn;
    private final Consumer<BurstEvent> operator;
    private final Losses discards;

    private LogSink(SharedRing ring, BurstStream stream, Settings.Terms terms, Consumer<BurstEvent> operator) {
        this.ring = ring;
        this.stream = stream;
        this.shown = ring.show(terms.stream().fileName(), stream, operator);
        this.isDurableOnReturn = terms.ack() == Settings.Ack.DURABLE;
        this.operator = operator;
        this.discards = new Losses(sentence -> tell(BurstEvent.Severity.ERROR, sentence));
    }

    /**
     * Opens the log file, and the ring unless it is open already. What a crash left in the ring goes to its files
     * first.
     *
     * @param terms what is asked for
     * @param operator hears what the ring has to tell, on a thread of the ring, and of discarded events
     * @throws BurstException if they cannot be opened
     */
    public static LogSink open(Settings.Terms terms, Consumer<BurstEvent> operator) {
        SharedRing ring = SharedRing.join(terms, operator);
        try {
            return new LogSink(ring, ring.stream(terms.stream()), terms, operator);
        } catch (RuntimeException | Error failure) {
            ring.leave(operator, ring.shutdownTimeout());
            throw failure;
        }
    }

    /** {@return whether the log file was new or empty; the time for what a file begins with} */
    public boolean isNew() {
        return stream.destinationEmpty();
    }

    /** {@return the log file that is written now} */
    public String file() {
        return stream.currentFile();
    }

    /**
     * Appends a record: durable on return, unless the configuration says otherwise.
     *
     * @param record left as it is
     * @param isAwaited whether anybody waits for this call to promise something
     * @throws BurstException if it was not logged, or is not known to be durable
     */
    public void append(byte[] record, boolean isAwaited) {
        long sequence = isDurableOnReturn && isAwaited ? stream.append(record) : stream.enqueue(record);
        if (sequence == 0) {
            discards.add("An event was discarded, because the ring is full and onFull is discard.");
        }
    }

    /**
     * Waits until everything accepted so far is durable.
     *
     * @return whether it is within the time that a stop may take
     */
    public boolean flush() {
        var log = ring.log();
        return log.awaitDurable(log.stats().acceptedSequence(), ring.shutdownTimeout());
    }

    /**
     * Writes the last bytes, makes everything durable, and waits for the log file, all within {@code shutdownTimeout}.
     * What is left then stays in the ring for the next start. Nobody else closes it.
     *
     * @param lastBytes makes them; null or empty: none. If it throws, the log file is closed all the same
     * @throws BurstException if not everything is known to be durable; the log file is closed all the same
     */
    public void close(Supplier<byte[]> lastBytes) {
        long begin = System.nanoTime();
        Duration timeout = ring.shutdownTimeout();
        discards.end();
        try {
            shown.close();
            byte[] bytes = lastBytes.get();
            if (bytes != null && bytes.length > 0) {
                writeLast(bytes, timeout.dividedBy(10));
            }
        } finally {
            try {
                closeStream(left(timeout, begin));
            } finally {
                ring.leave(operator, left(timeout, begin));
            }
        }
    }

    /** A quarter of the time is for letting go of the ring. */
    private void closeStream(Duration timeout) {
        if (!stream.close(timeout.multipliedBy(3).dividedBy(4))) {
            tell(
                    BurstEvent.Severity.WARN,
                    "Not all events are in the log file " + file()
                            + " yet, because it cannot be written, or because shutdownTimeout is too short. They are in"
                            + " the ring, and get there as long as it is open, or at the next start.");
        }
    }

    private void tell(BurstEvent.Severity severity, String sentence) {
        operator.accept(new BurstEvent(severity, Instant.now(), sentence));
    }

    private void writeLast(byte[] bytes, Duration patience) {
        var record =
                RecordBuffer.allocate(bytes.length, Math.max(1, bytes.length)).put(bytes, 0, bytes.length);
        stream.enqueue(record, TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis()), OnFull.BLOCK, patience);
    }

    /** Never zero, which the engine would take for no wait at all. */
    private static Duration left(Duration time, long beginNanos) {
        Duration left = time.minusNanos(System.nanoTime() - beginNanos);
        return left.compareTo(Duration.ofMillis(1)) < 0 ? Duration.ofMillis(1) : left;
    }
}
