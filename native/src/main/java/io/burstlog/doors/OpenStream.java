// SPDX-License-Identifier: Apache-2.0
package io.burstlog.doors;

import io.burstlog.BurstEvent.Severity;
import io.burstlog.BurstException;
import io.burstlog.BurstStream;
import io.burstlog.jmx.Registration;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * One log file of an {@link OpenRing}, shared by all holders that write to it. {@link Rings} opens it for the first
 * holder and closes it after the last. A door's subclass turns events into records.
 *
 * <p>Safe for use by any thread. After the close every call throws.
 */
public abstract class OpenStream {

    /**
     * The longest time that all last lines together wait for space if the ring is full at stop; the wait also takes at
     * most a tenth of the shutdown timeout. The drain makes space sooner unless the log file cannot be written.
     */
    private static final Duration PATIENCE_FOR_SPACE = Duration.ofSeconds(1);

    private final OpenRing ring;
    private final BurstStream records;
    private final String place;
    private final Shown management;

    /**
     * Takes over a stream, and shows it to management clients.
     *
     * @param ring the open ring
     * @param records the stream of the engine
     * @param terms the settings of the stream
     * @param first the holder that asked for it
     */
    protected OpenStream(OpenRing ring, BurstStream records, StreamTerms terms, Holder first) {
        this.ring = ring;
        this.records = records;
        this.place = first.place();
        this.management = Shown.of(
                ring.terms().jmx(),
                () -> Registration.ofStream(ring.name(), terms.location().file(), records),
                ring::operator);
    }

    /** {@return the settings with which the stream was opened, with those of the ring as it is open} */
    public abstract StreamTerms terms();

    /** {@return the ring} */
    public final OpenRing ring() {
        return ring;
    }

    /** {@return the stream of the engine} */
    public final BurstStream records() {
        return records;
    }

    /** {@return the log file that is written now} */
    public final String file() {
        return records.currentFile();
    }

    /**
     * Waits until the copy of the ring has a record that is durable.
     *
     * @param blockTimeout how long the whole call may take; zero: as long as the copy does
     * @param beginNanos the begin of the call, of {@link System#nanoTime()}
     * @throws BurstException with code {@link BurstException.Code#NOT_COPIED} if the copy has not confirmed it
     */
    protected final void awaitCopied(long sequence, Duration blockTimeout, long beginNanos) {
        ring.copy().await(sequence, blockTimeout, beginNanos);
    }

    /** Returns the place of the configuration that opened the stream. */
    final String place() {
        return place;
    }

    /** {@return the sentence about an event that was discarded} */
    protected final String discarded() {
        return "an event was discarded, because the ring " + ring.name()
                + " is full and onFull is \"discard\": its records do not get to the log file " + file()
                + ", or to another that shares the ring, as fast as they come. Make room there, or find out what slows"
                + " its disk; a larger ring (ringSize) takes longer bursts.";
    }

    /** {@return the event time for a line that comes from no event} */
    protected static long now() {
        return TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
    }

    /** Lets go of the stream if the open fails after this constructor. */
    protected final void abandon() {
        management.end();
        records.close(Duration.ZERO);
    }

    /** Called when one of several holders has let go of the stream. */
    protected void detached(Holder holder) {}

    /** Called at stop, before the last lines: afterwards nothing else may begin to write. */
    protected void endBeginnings(Duration patience) {}

    /** Called at stop, once everything else is durable or could not be made durable. */
    protected void endLines() {}

    /** Called at stop, once the stream takes no record any more. */
    protected void endRolling(Duration timeout) {}

    /** Called at stop, once the stream is closed. */
    protected void ended(Duration timeout) {}

    /**
     * Writes the last lines, makes everything durable, waits for the log file and lets go of it, all that within the
     * ring's shutdown timeout. The drain moves records that are left as long as the ring is open, or at its next open.
     *
     * @param lastLines writes the last lines, within a time
     * @return whether everything is durable
     * @throws BurstException if the ring has failed; the stream is closed all the same
     */
    final boolean close(Consumer<Duration> lastLines) {
        long begin = System.nanoTime();
        try {
            return end(lastLines, begin, () -> ring.commit(leftSince(begin)));
        } finally {
            if (!records.close(leftSince(begin))) {
                tellWhatIsLeft();
            }
            endRolling(leftSince(begin));
            ended(leftSince(begin));
        }
    }

    /**
     * Writes the last lines and closes the ring, whose last stream this is, all that within the ring's shutdown
     * timeout.
     *
     * @param lastLines writes the last lines, within a time
     * @return true, everything is durable
     * @throws BurstException as {@link OpenRing#close}
     */
    public final boolean closeWithRing(Consumer<Duration> lastLines) {
        long begin = System.nanoTime();
        ring.addLeftFile(file());
        try {
            return end(lastLines, begin, () -> {
                try {
                    ring.close(leftSince(begin));
                } finally {
                    endRolling(leftSince(begin));
                }
                return true;
            });
        } finally {
            ended(leftSince(begin));
        }
    }

    private boolean end(Consumer<Duration> lastLines, long begin, BooleanSupplier makeDurable) {
        Duration tenth = ring.shutdownTimeout().dividedBy(10);
        Duration patience = tenth.compareTo(PATIENCE_FOR_SPACE) < 0 ? tenth : PATIENCE_FOR_SPACE;
        management.end();
        boolean isDurable;
        try {
            endBeginnings(patience);
            lastLines.accept(OpenRing.left(patience, begin));
        } finally {
            try {
                isDurable = makeDurable.getAsBoolean();
            } finally {
                endLines();
            }
        }
        return isDurable;
    }

    private Duration leftSince(long begin) {
        return OpenRing.left(ring.shutdownTimeout(), begin);
    }

    /**
     * Tells the operator which records are not drained. This is no ERROR, since they are durable and nobody waits for
     * them.
     */
    private void tellWhatIsLeft() {
        ring.addLeftFile(file());
        ring.tell(
                Severity.WARN,
                "records of the ring " + ring.name() + " were not yet in the log file " + file()
                        + " after shutdownTimeout, " + Units.of(ring.shutdownTimeout())
                        + ", when the last appender that writes it was stopped. They get there while the ring is open,"
                        + " or at its next start; until then no log file gets the "
                        + Units.ofBytes(records.stats().heldBytes()) + " back that they hold of the ring.");
    }
}
