// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import java.util.Objects;

/**
 * The end of one log file of a stream and the beginning of the next. Immutable except for its arrays, which nobody may
 * change.
 *
 * <pre>{@code
 * orders.roll(Roll.to("/var/log/orders-1.log"), System.currentTimeMillis() * 1_000_000);
 * }</pre>
 *
 * <p>A null array stands for an empty one, and a null path for no path.
 *
 * @param footer the last bytes of the file that ends
 * @param header the first bytes of the file that begins
 * @param target the absolute path to which the ending file is renamed. Null: the file keeps its name, or gets the next
 *     name of {@link Rolling}, or the caller names it under {@link StreamConfig.Builder#rollsByCaller}
 * @param nextFile the absolute path of the file that begins; null: the configured path
 * @param note at most {@value #MAX_NOTE_BYTES} bytes that the {@link RollRequest} of this roll gives back
 * @param nextTimeNanos the planned time of the next roll, in nanoseconds since 1970, for readers of the ring; 0: no
 *     time is planned
 * @param nextFileBytes the planned size of the next file at its roll, in bytes; 0: no size is planned
 */
public record Roll(
        byte[] footer,
        byte[] header,
        String target,
        String nextFile,
        byte[] note,
        long nextTimeNanos,
        long nextFileBytes) {

    /** The length of the longest note, in bytes. */
    public static final int MAX_NOTE_BYTES = 1024;

    private static final byte[] NOTHING = {};

    /** Replaces null arrays by empty ones. */
    public Roll {
        footer = Objects.requireNonNullElse(footer, NOTHING);
        header = Objects.requireNonNullElse(header, NOTHING);
        note = Objects.requireNonNullElse(note, NOTHING);
        ConfigChecks.requireUsable("target", target);
        ConfigChecks.requireUsable("nextFile", nextFile);
        if (note.length > MAX_NOTE_BYTES) {
            throw new BurstException(
                    BurstException.Code.INVALID_ARGUMENT,
                    "The note of a roll has " + note.length + " bytes; use at most " + MAX_NOTE_BYTES + ".");
        }
    }

    /**
     * Returns a roll that renames the file and adds no bytes.
     *
     * @param target an absolute path; if a file has that path, the engine adds a number
     * @return the roll
     */
    public static Roll to(String target) {
        return new Roll(null, null, target, null, null, 0, 0);
    }
}
