// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import java.time.Duration;

/**
 * A folder that receives the records of a stream as they are, beside its log file, for {@link BurstConsumer}s.
 * Immutable.
 *
 * <pre>{@code
 * StreamConfig.builder().fileName("orders.log").segments(Segments.in("orders.segments").keep(Duration.ofDays(1)))
 * }</pre>
 *
 * <p>Log file and folder do not wait for each other; the ring gets the space of a record back when both have the
 * record. If a stream is opened without its segments, the folder gets the records that still wait for it, and then no
 * more.
 *
 * @param folder the folder, absolute or relative to the working directory; the engine makes it if it is missing
 * @param bytes the most bytes of a segment, which is one file of the folder: 64 KiB to 1 TiB; 0: 64 MiB
 * @param keepBytes the bytes that must follow a segment before it is deleted; every consumer must have passed it, too.
 *     0: no bytes need follow
 * @param keep the time since its last write before such a segment is deleted; zero: no time need pass
 * @param limitBytes the bytes by which a consumer may be behind; a WARN event tells of one that is behind more; 0: no
 *     limit
 * @param limit the time within which a consumer should pass a segment, counted from the segment's last write; a WARN
 *     event tells of a consumer that is later; zero: no limit
 * @param release whether segments beyond the limit are deleted although a consumer has not passed them
 */
public record Segments(
        String folder, long bytes, long keepBytes, Duration keep, long limitBytes, Duration limit, boolean release) {

    /** Checks the values that the engine could not check. */
    public Segments {
        ConfigChecks.requireText(folder, "segments", "a folder");
        ConfigChecks.requireUsable("segments", folder);
        ConfigChecks.requireUsable("segments bytes", bytes);
        ConfigChecks.requireUsable("segments keepBytes", keepBytes);
        ConfigChecks.requireUsable("segments keep", keep);
        ConfigChecks.requireUsable("segments limitBytes", limitBytes);
        ConfigChecks.requireUsable("segments limit", limit);
    }

    /**
     * Returns rules that keep only segments that some consumer has not passed.
     *
     * @param folder the folder of the segments
     * @return rules that the other methods refine
     */
    public static Segments in(String folder) {
        return new Segments(folder, 0, 0, Duration.ZERO, 0, Duration.ZERO, false);
    }

    /**
     * Returns these rules with another length of segments.
     *
     * @param length the most bytes of a segment, 64 KiB to 1 TiB
     * @return a copy
     */
    public Segments bytes(long length) {
        return new Segments(folder, length, keepBytes, keep, limitBytes, limit, release);
    }

    /**
     * Returns these rules with another number of bytes to keep.
     *
     * @param count the bytes that must follow a passed segment before it is deleted
     * @return a copy
     */
    public Segments keepBytes(long count) {
        return new Segments(folder, bytes, count, keep, limitBytes, limit, release);
    }

    /**
     * Returns these rules with another age.
     *
     * @param age the time since its last write before a passed segment is deleted
     * @return a copy
     */
    public Segments keep(Duration age) {
        return new Segments(folder, bytes, keepBytes, age, limitBytes, limit, release);
    }

    /**
     * Returns these rules with another limit in bytes.
     *
     * @param count the bytes by which a consumer may be behind
     * @return a copy
     */
    public Segments limitBytes(long count) {
        return new Segments(folder, bytes, keepBytes, keep, count, limit, release);
    }

    /**
     * Returns these rules with another limit of age.
     *
     * @param age the time within which a consumer should pass a segment
     * @return a copy
     */
    public Segments limit(Duration age) {
        return new Segments(folder, bytes, keepBytes, keep, limitBytes, age, release);
    }

    /**
     * Returns these rules with another choice for segments beyond the limit.
     *
     * @param choice whether they are deleted although a consumer has not passed them
     * @return a copy
     */
    public Segments release(boolean choice) {
        return new Segments(folder, bytes, keepBytes, keep, limitBytes, limit, choice);
    }
}
