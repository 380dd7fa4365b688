// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import java.util.Objects;

/**
 * Where one log file of a stream ends and the next one begins. Immutable but for its arrays, which nobody may change.
 *
 * <pre>{@code
 * orders.roll(Roll.to("/var/log/orders-1.log"), System.currentTimeMillis() * 1_000_000);
 * }</pre>
 *
 * <p>A null array is an empty one, and a null path is none.
 *
 * @param footer the last bytes of the file that ends
 * @param header the first bytes of the file that begins
 * @param target the absolute path that the file which ends is renamed to; null: it keeps its name, or gets the next one
 *     of {@link Rolling}, or whoever rolls names it, see {@link StreamConfig.Builder#rollsByCaller}
 * @param nextFile the absolute path of the file that begins; null: the configured one
 * @param note at most {@value #MAX_NOTE_BYTES} bytes that are given back to whoever performs the roll
 * @param nextTimeNanos when the next roll is planned, in nanoseconds since 1970, for those who look at the ring; 0: not
 *     by time
 * @param nextFileBytes the size of the file at which it is planned; 0: not by size
 */
public record Roll(
        byte[] footer,
        byte[] header,
        String target,
        String nextFile,
        byte[] note,
        long nextTimeNanos,
        long nextFileBytes) {

    /** The longest note. */
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
     * A roll that renames the file and adds nothing.
     *
     * @param target an absolute path; one that is taken gets a number behind it
     * @return the roll
     */
    public static Roll to(String target) {
        return new Roll(null, null, target, null, null, 0, 0);
    }
}
