// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import java.time.Duration;

/**
 * The rules by which the engine itself rolls the log files of a stream. Immutable.
 *
 * <pre>{@code
 * Rolling.to("logs/orders-%Y-%m-%d-%i.log").size(100 << 20).interval(Duration.ofDays(1)).compress(true).keepFiles(30)
 * }</pre>
 *
 * <p>A thread rolls the file, by one more record, if its record would make the file too long or is the first one after
 * the planned time. It does not wait for a rename, a compression or a deletion. The engine rolls neither a log that
 * gets no record nor an empty file. Records that other threads append at that moment are still in the file that ends.
 *
 * @param pattern the names of rolled files, on the file system of the log file. The part behind the last slash may have
 *     {@code %Y %m %d %j %H %M %S} for the time at which the file began, in the zone of the process ({@code TZ});
 *     {@code %i}, once, for an index, which only grows; and {@code %%}. No other file in that folder may have such a
 *     name
 * @param size the most bytes of a file, which needs {@code %i}; 0: no limit
 * @param interval the time after which a file ends, in whole seconds: a divisor of a day, counted from midnight, or 7
 *     days, counted from Monday's midnight; zero: files do not end by time
 * @param compress whether the engine compresses rolled files to {@code NAME.gz}, by the host's {@code libz.so.1}
 * @param keepFiles the number of rolled files that are kept, the newest; 0: all
 * @param keepBytes the bytes that all kept files may have together: the engine deletes the oldest until they fit; 0: no
 *     limit
 * @param keep the age, since the last write, at which a rolled file is deleted; zero: no limit
 */
public record Rolling(
        String pattern, long size, Duration interval, boolean compress, long keepFiles, long keepBytes, Duration keep) {

    /** Checks the values that the engine could not check. */
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
     * Returns rules by which files end only when the program asks for it.
     *
     * @param pattern the names of rolled files
     * @return rules that the other methods refine
     */
    public static Rolling to(String pattern) {
        return new Rolling(pattern, 0, Duration.ZERO, false, 0, 0, Duration.ZERO);
    }

    /**
     * Returns these rules with another length.
     *
     * @param bytes the most bytes of a file
     * @return a copy
     */
    public Rolling size(long bytes) {
        return new Rolling(pattern, bytes, interval, compress, keepFiles, keepBytes, keep);
    }

    /**
     * Returns these rules with another interval.
     *
     * @param length the time after which a file ends
     * @return a copy
     */
    public Rolling interval(Duration length) {
        return new Rolling(pattern, size, length, compress, keepFiles, keepBytes, keep);
    }

    /**
     * Returns these rules with or without compression.
     *
     * @param choice whether rolled files are compressed
     * @return a copy
     */
    public Rolling compress(boolean choice) {
        return new Rolling(pattern, size, interval, choice, keepFiles, keepBytes, keep);
    }

    /**
     * Returns these rules with another number of files.
     *
     * @param count the number of rolled files that are kept
     * @return a copy
     */
    public Rolling keepFiles(long count) {
        return new Rolling(pattern, size, interval, compress, count, keepBytes, keep);
    }

    /**
     * Returns these rules with another size of all kept files.
     *
     * @param bytes the bytes that all kept files may have together
     * @return a copy
     */
    public Rolling keepBytes(long bytes) {
        return new Rolling(pattern, size, interval, compress, keepFiles, bytes, keep);
    }

    /**
     * Returns these rules with another age.
     *
     * @param age the age at which a rolled file is deleted
     * @return a copy
     */
    public Rolling keep(Duration age) {
        return new Rolling(pattern, size, interval, compress, keepFiles, keepBytes, age);
    }
}
