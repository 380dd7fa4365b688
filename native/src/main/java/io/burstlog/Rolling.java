// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import java.time.Duration;
import java.util.Objects;

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
 * @param compression how the engine compresses rolled files
 * @param keepFiles the number of rolled files that are kept, the newest; 0: all
 * @param keepBytes the bytes that all kept files may have together: the engine deletes the oldest until they fit; 0: no
 *     limit
 * @param keep the age, since the last write, at which a rolled file is deleted; zero: no limit
 * @param newestByTime whether the newest file is the one that was written last, in spite of an index in its name: for
 *     names whose index begins anew
 */
public record Rolling(
        String pattern,
        long size,
        Duration interval,
        Compression compression,
        long keepFiles,
        long keepBytes,
        Duration keep,
        boolean newestByTime) {

    /** How rolled files are compressed. */
    public enum Format {
        /** They are not. */
        NONE,
        /** To {@code NAME.gz}, by the host's {@code libz.so.1}. */
        GZIP,
        /** To {@code NAME.zst}, by the host's {@code libzstd.so.1}. */
        ZSTD
    }

    /**
     * How and when rolled files are compressed. Without the library of the format the open is refused.
     *
     * @param format the format
     * @param level 1 to 9 for gzip, -22 to 22 for zstd; 0: the library's default
     * @param delay the time since its last write for which a rolled file stays plain
     */
    public record Compression(Format format, int level, Duration delay) {

        /** Rolled files stay as they are. */
        public static final Compression NONE = new Compression(Format.NONE, 0, Duration.ZERO);

        /** Rolled files become {@code NAME.gz} at once. */
        public static final Compression GZIP = new Compression(Format.GZIP, 0, Duration.ZERO);

        /** Checks the values that the engine could not check. */
        public Compression {
            Objects.requireNonNull(format, "format");
            ConfigChecks.requireUsable("compressDelay", delay);
        }
    }

    /** Checks the values that the engine could not check. */
    public Rolling {
        ConfigChecks.requireText(pattern, "rollPattern", "what rolled files are called");
        ConfigChecks.requireUsable("rollPattern", pattern);
        ConfigChecks.requireUsable("rollSize", size);
        ConfigChecks.requireUsable("rollInterval", interval);
        Objects.requireNonNull(compression, "compression");
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
        return new Rolling(pattern, 0, Duration.ZERO, Compression.NONE, 0, 0, Duration.ZERO, false);
    }

    /**
     * Returns these rules with another length.
     *
     * @param bytes the most bytes of a file
     * @return a copy
     */
    public Rolling size(long bytes) {
        return new Rolling(pattern, bytes, interval, compression, keepFiles, keepBytes, keep, newestByTime);
    }

    /**
     * Returns these rules with another interval.
     *
     * @param length the time after which a file ends
     * @return a copy
     */
    public Rolling interval(Duration length) {
        return new Rolling(pattern, size, length, compression, keepFiles, keepBytes, keep, newestByTime);
    }

    /**
     * Returns these rules with or without compression by gzip.
     *
     * @param choice whether rolled files are compressed
     * @return a copy
     */
    public Rolling compress(boolean choice) {
        return compression(choice ? Compression.GZIP : Compression.NONE);
    }

    /**
     * Returns these rules with another number of files.
     *
     * @param count the number of rolled files that are kept
     * @return a copy
     */
    public Rolling keepFiles(long count) {
        return new Rolling(pattern, size, interval, compression, count, keepBytes, keep, newestByTime);
    }

    /**
     * Returns these rules with another size of all kept files.
     *
     * @param bytes the bytes that all kept files may have together
     * @return a copy
     */
    public Rolling keepBytes(long bytes) {
        return new Rolling(pattern, size, interval, compression, keepFiles, bytes, keep, newestByTime);
    }

    /**
     * Returns these rules with another age.
     *
     * @param age the age at which a rolled file is deleted
     * @return a copy
     */
    public Rolling keep(Duration age) {
        return new Rolling(pattern, size, interval, compression, keepFiles, keepBytes, age, newestByTime);
    }
    /**
     * Returns these rules with another compression.
     *
     * @param choice how rolled files are compressed
     * @return a copy
     */
    public Rolling compression(Compression choice) {
        return new Rolling(pattern, size, interval, choice, keepFiles, keepBytes, keep, newestByTime);
    }

    /**
     * Returns these rules with another order of rolled files.
     *
     * @param choice whether the newest file is the one that was written last
     * @return a copy
     */
    public Rolling newestByTime(boolean choice) {
        return new Rolling(pattern, size, interval, compression, keepFiles, keepBytes, keep, choice);
    }
}
