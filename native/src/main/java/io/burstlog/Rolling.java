// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import java.time.Duration;

/**
 * How the engine rolls the log files of a stream by itself. Immutable.
 *
 * <pre>{@code
 * Rolling.to("logs/orders-%Y-%m-%d-%i.log").size(100 << 20).interval(Duration.ofDays(1)).compress(true).keepFiles(30)
 * }</pre>
 *
 * <p>The thread whose record would make the file too long, or which appends the first one after the time, rolls it by
 * one more record; it does not wait for a rename, a compression or a deletion. A log that gets no record is not rolled,
 * nor is an empty file. What other threads append at that moment is still in the file that ends.
 *
 * @param pattern what rolled files are called, on the file system of the log file. In the name, behind the last slash:
 *     {@code %Y %m %d %j %H %M %S} of the birth of the file, in the zone of the process ({@code TZ}); {@code %i}, once:
 *     an index, which only grows; {@code %%}. No other file in that folder may have such a name
 * @param size how long a file may get, in bytes, which needs {@code %i}; 0: as long as it likes
 * @param interval how often a file ends, in whole seconds: a divisor of a day, counted from midnight, or 7 days, from
 *     Monday's; zero: at no time
 * @param compress whether rolled files become {@code NAME.gz}, by the host's {@code libz.so.1}
 * @param keepFiles so many rolled files are kept, the newest; 0: all
 * @param keepBytes the oldest are deleted until the others have at most so many bytes together; 0: any
 * @param keep those that were last written so long ago are deleted; zero: none
 */
public record Rolling(
        String pattern, long size, Duration interval, boolean compress, long keepFiles, long keepBytes, Duration keep) {

    /** Checks the values that the engine could not see. */
    public Rolling {
        ConfigChecks.requireText(pattern, "rollPattern", "what rolled files are called");
        ConfigChecks.requireUsable("rollPattern", pattern);
        ConfigChecks.requireUsable("rollSize", size);
        ConfigChecks.requireUsable("rollInterval", interval);
        ConfigChecks.requireUsable("keepFiles", keepFiles);
        ConfigChecks.requireUsable("keepBytes", keepBytes);
        ConfigChecks.requireUsable("keep", keep);
    }

    /**
     * Rolls only when the program asks for it.
     *
     * @param pattern what rolled files are called
     * @return what the other methods refine
     */
    public static Rolling to(String pattern) {
        return new Rolling(pattern, 0, Duration.ZERO, false, 0, 0, Duration.ZERO);
    }

    /**
     * The same with another length.
     *
     * @param bytes how long a file may get
     * @return a copy
     */
    public Rolling size(long bytes) {
        return new Rolling(pattern, bytes, interval, compress, keepFiles, keepBytes, keep);
    }

    /**
     * The same with another interval.
     *
     * @param length how often a file ends
     * @return a copy
     */
    public Rolling interval(Duration length) {
        return new Rolling(pattern, size, length, compress, keepFiles, keepBytes, keep);
    }

    /**
     * The same with or without compression.
     *
     * @param choice whether rolled files are compressed
     * @return a copy
     */
    public Rolling compress(boolean choice) {
        return new Rolling(pattern, size, interval, choice, keepFiles, keepBytes, keep);
    }

    /**
     * The same with another number.
     *
     * @param count how many rolled files are kept
     * @return a copy
     */
    public Rolling keepFiles(long count) {
        return new Rolling(pattern, size, interval, compress, count, keepBytes, keep);
    }

    /**
     * The same with another size of all.
     *
     * @param bytes how many bytes of rolled files are kept
     * @return a copy
     */
    public Rolling keepBytes(long bytes) {
        return new Rolling(pattern, size, interval, compress, keepFiles, bytes, keep);
    }

    /**
     * The same with another age.
     *
     * @param age how long rolled files are kept
     * @return a copy
     */
    public Rolling keep(Duration age) {
        return new Rolling(pattern, size, interval, compress, keepFiles, keepBytes, age);
    }
}
