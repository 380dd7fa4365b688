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
 * One log file of an {@link OpenRing}, and what all that write to it share. {@link Rings} opens it for the first of
 * them and closes it after the last. A door adds how an event becomes a record.
 *
 * <p>Safe for use by any thread, also after it was closed: every call throws then.
 */
public abstract class OpenStream {

    /**
     * For the last lines, if the ring is full at stop: the drain needs less, unless the log file cannot be written. At
     * most a tenth of the shutdown timeout, for all of them.
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
     * @param records the stream; it is closed if this fails
     * @param terms what was said of it
     * @param first who asked for it
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

    /** {@return what it was opened with, on the ring as that is} */
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

    /** Where the configuration stands that it was opened by. */
    final String place() {
        return place;
    }

    /** {@return for an event that was discarded} */
    protected final String discarded() {
        return "an event was discarded, because the ring " + ring.name()
                + " is full and onFull is \"discard\": its records do not get to the log file " + file()
                + ", or to another that shares the ring, as fast as they come. Make room there, or find out what slows"
                + " its disk; a larger ring (ringSize) takes longer bursts.";
    }

    /** {@return the time of a line that no event has brought} */
    protected static long now() {
        return TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
    }

    /** The open failed behind the constructor. */
    protected final void abandon() {
        management.end();
        records.close(Duration.ZERO);
    }

    /** One of several has let go of it. */
    protected void detached(Holder holder) {}

    /** Nothing begins any more that would write to it, but the last lines. */
    protected void endBeginnings(Duration patience) {}

    /** Everything else is made durable, or cannot be. */
    protected void endLines() {}

    /** The stream takes no record any more. */
    protected void endRolling(Duration timeout) {}

    /** The stream is closed. */
    protected void ended(Duration timeout) {}

    /**
     * Writes the last lines, makes everything durable, waits for the log file and lets go of it, all that within the
     * ring's shutdown timeout. What the log file has not taken then goes there as long as the ring is open, or at its
     * next open.
     *
     * @param lastLines writes them, within a time
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
     * Writes the last lines and closes the ring, of which this is the last stream, all that within the ring's shutdown
     * timeout.
     *
     * @param lastLines writes them, within a time
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

    /** They are durable and nobody waits for them, so that this is no ERROR. */
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
