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
 * <p>Log file and folder do not wait for each other; the ring gets the space of a record back when both have it. A
 * stream that is opened without its segments ends them.
 *
 * @param folder absolute or relative to the working directory; it is made if it is missing
 * @param bytes a segment, a file of the folder, ends before it is longer: 64 KiB to 1 TiB; 0: 64 MiB
 * @param keepBytes a segment that every consumer has passed goes when so many bytes are behind it; 0: any
 * @param keep and when it was last written so long ago; zero: any time
 * @param limitBytes a consumer with more behind it is told of, as WARN; 0: no limit
 * @param limit or one that has not passed what was last written longer ago; zero: no limit
 * @param release whether segments beyond the limit are deleted, passed or not; else they stay
 */
public record Segments(
        String folder, long bytes, long keepBytes, Duration keep, long limitBytes, Duration limit, boolean release) {

    /** Checks the values that the engine could not see. */
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
     * Keeps what some consumer has not passed, and nothing else.
     *
     * @param folder where the segments are
     * @return what the other methods refine
     */
    public static Segments in(String folder) {
        return new Segments(folder, 0, 0, Duration.ZERO, 0, Duration.ZERO, false);
    }

    /**
     * The same with another length of segments.
     *
     * @param length a segment, a file of the folder, ends before it is longer: 64 KiB to 1 TiB
     * @return a copy
     */
    public Segments bytes(long length) {
        return new Segments(folder, length, keepBytes, keep, limitBytes, limit, release);
    }

    /**
     * The same with so many bytes kept behind what is passed.
     *
     * @param count a segment that every consumer has passed goes when so many bytes are behind it
     * @return a copy
     */
    public Segments keepBytes(long count) {
        return new Segments(folder, bytes, count, keep, limitBytes, limit, release);
    }

    /**
     * The same with another age.
     *
     * @param age and when it was last written so long ago
     * @return a copy
     */
    public Segments keep(Duration age) {
        return new Segments(folder, bytes, keepBytes, age, limitBytes, limit, release);
    }

    /**
     * The same with another limit.
     *
     * @param count a consumer with more behind it is told of, as WARN
     * @return a copy
     */
    public Segments limitBytes(long count) {
        return new Segments(folder, bytes, keepBytes, keep, count, limit, release);
    }

    /**
     * The same with another limit of age.
     *
     * @param age or one that has not passed what was last written longer ago
     * @return a copy
     */
    public Segments limit(Duration age) {
        return new Segments(folder, bytes, keepBytes, keep, limitBytes, age, release);
    }

    /**
     * The same with another choice beyond the limit.
     *
     * @param choice whether segments beyond the limit are deleted, passed or not
     * @return a copy
     */
    public Segments release(boolean choice) {
        return new Segments(folder, bytes, keepBytes, keep, limitBytes, limit, choice);
    }
}
