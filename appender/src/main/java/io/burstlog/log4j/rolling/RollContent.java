// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import io.burstlog.Roll;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.status.StatusLogger;

/**
 * Makes the content of a roll: the last and first lines, and the names for a roll that no strategy is asked about (as
 * in {@code burstlog recover}). Guarded by the lock of the manager.
 */
final class RollContent {

    private static final Logger LOGGER = StatusLogger.getLogger();

    /** Log shippers that tell files apart by their first bytes read this many, or a few more. */
    private static final int BYTES_THAT_READERS_COMPARE = 1_000;

    private static final byte[] NOTHING = {};

    private final RollingSettings settings;
    private final RollingStream stream;
    private final NextNames names;
    private byte[] headerBefore = NOTHING;
    private boolean isTold;
    private long numberBefore;
    private Before before;

    /** The state before the last roll. */
    private record Before(byte[] header, long number, NextNames.Last name) {}

    RollContent(final RollingSettings settings, final RollingStream stream) {
        this.settings = settings;
        this.stream = stream;
        this.names = new NextNames(settings);
    }

    /** Returns a new one that knows no roll. */
    RollContent copy() {
        return new RollContent(settings, stream);
    }

    Roll roll(final RollNote note, final boolean skipsFooter, final AskAt next, final long millis) {
        before = new Before(headerBefore, numberBefore, names.last());
        final long fileNumber = stream.stats().fileNumber();
        final boolean othersWait = fileNumber < numberBefore;
        numberBefore = Math.max(numberBefore, fileNumber) + 1;
        // The roll itself has a sequence, too.
        final byte[] header = header(settings, stream, numberBefore, 2, millis);
        warnOfEqualHeaders(header);
        final String name = names.next(new RollPatternProcessor(settings.filePattern(), note), othersWait);
        return new Roll(
                skipsFooter ? NOTHING : settings.layout().getFooter(),
                header,
                settings.isDirectWrite() ? null : name,
                settings.isDirectWrite() ? name : null,
                note.encode(),
                next.millis() == Long.MAX_VALUE || next.millis() < 0 ? 0 : TimeUnit.MILLISECONDS.toNanos(next.millis()),
                next.bytes() == Long.MAX_VALUE || next.bytes() < 0 ? 0 : next.bytes());
    }

    /** Forgets the last roll, which did not get into the ring. */
    void takeBack() {
        headerBefore = before.header();
        numberBefore = before.number();
        names.goBackTo(before.name());
    }

    /**
     * Returns the first bytes of a file.
     *
     * @param ahead the distance of the file's first sequence from the highest one given out
     */
    static byte[] header(
            final RollingSettings settings,
            final RollingStream stream,
            final long fileNumber,
            final int ahead,
            final long millis) {
        final byte[] header = settings.layout().getHeader();
        if (!settings.fileStamp()) {
            return header == null ? NOTHING : header;
        }
        final byte[] stamp = ("# burstlog ring " + stream.ring() + " file " + fileNumber + " of " + settings.appender()
                        + " from sequence " + (stream.acceptedSequence() + ahead) + " at " + millis + "\n")
                .getBytes(StandardCharsets.UTF_8);
        if (header == null) {
            return stamp;
        }
        final byte[] both = Arrays.copyOf(stamp, stamp.length + header.length);
        System.arraycopy(header, 0, both, stamp.length, header.length);
        return both;
    }

    private void warnOfEqualHeaders(final byte[] header) {
        if (!isTold && header.length >= BYTES_THAT_READERS_COMPARE && Arrays.mismatch(header, headerBefore) < 0) {
            isTold = true;
            LOGGER.warn(
                    "Burst '{}': each log file begins with the same {} bytes, so that readers which tell files apart by"
                            + " their first 1,000 bytes take all of them for one: set fileStamp=\"true\" or use a"
                            + " shorter header.",
                    settings.appender(),
                    header.length);
        }
        headerBefore = header;
    }

    /** To be called when a roll was performed. */
    void look(final RollNote note) {
        names.look(note);
    }
}
