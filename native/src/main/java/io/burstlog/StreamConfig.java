// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.util.Map;
import java.util.Set;

/**
 * The configuration with which a stream of a log is opened: the main stream by {@link BurstConfig.Builder#main}, any
 * other by {@link BurstLog#stream}. Immutable.
 *
 * <pre>{@code
 * BurstStream audit = log.stream("audit", StreamConfig.builder().fileName("audit.log").build());
 * }</pre>
 *
 * <p>Only {@code fileName} is required. A duration of zero stands for the default.
 */
public final class StreamConfig {

    private final Builder set;

    private StreamConfig(Builder builder) {
        set = builder.copy();
        ConfigChecks.requireText(set.fileName, "fileName", "the log file of the stream");
        values().forEach(ConfigChecks::requireUsable);
    }

    /** {@return a builder with every value at its default} */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns whether all values are the same. */
    @Override
    public boolean equals(Object other) {
        return other instanceof StreamConfig config && values().equals(config.values());
    }

    @Override
    public int hashCode() {
        return values().hashCode();
    }

    /** {@return every value by its name} */
    @Override
    public String toString() {
        return "StreamConfig" + values();
    }

    /** {@return a builder with the values of this configuration} */
    public Builder toBuilder() {
        return set.copy();
    }

    /**
     * Returns every value by the name of the method that sets it, for instance to compare two configurations. The map
     * leaves out null values.
     *
     * @return not modifiable, in the order of the names
     */
    public Map<String, Object> values() {
        return ConfigValues.of(set);
    }

    /** {@return the log file of the stream} */
    public String fileName() {
        return set.fileName;
    }

    /** {@return how an append to the stream acts when the ring is full} */
    public OnFull onFull() {
        return set.onFull;
    }

    /**
     * {@return the longest time that an append to the stream waits for space or another thread's write; zero: no limit}
     */
    public Duration blockTimeout() {
        return set.blockTimeout;
    }

    /** {@return the folder that receives the records as they are, or null} */
    public Segments segments() {
        return set.segments;
    }

    /** {@return whether each log file gets an index} */
    public boolean index() {
        return set.index;
    }

    /** {@return whether the drain asks the caller to name the files that end} */
    public boolean rollsByCaller() {
        return set.rollsByCaller;
    }

    /** Collects the values; {@link #build()} checks those that the engine could not check. Not thread-safe. */
    public static final class Builder implements Cloneable {

        private String fileName;
        private OnFull onFull = OnFull.BLOCK;
        private Duration blockTimeout = Duration.ZERO;
        private Set<PosixFilePermission> filePermissions = Set.of();
        private String fileOwner;
        private String fileGroup;
        private boolean rollsByCaller;
        private Rolling rolling;
        private Segments segments;
        private boolean index;

        private Builder() {}

        private Builder copy() {
            try {
                return (Builder) clone();
            } catch (CloneNotSupportedException impossible) {
                throw new AssertionError(impossible);
            }
        }

        /**
         * Required: the log file, absolute or relative to the working directory. It is created if it is missing, and
         * never truncated. No other open stream of the process may write it.
         */
        public Builder fileName(String path) {
            fileName = path;
            return this;
        }

        /** The way in which an append to the stream acts when the ring is full, {@link OnFull#BLOCK} by default. */
        public Builder onFull(OnFull choice) {
            onFull = choice;
            return this;
        }

        /**
         * The longest time that an append to the stream waits in all, for space and for other threads. A write that the
         * append itself has begun is not bounded: it takes as long as the medium does. Zero, the default, sets no
         * limit.
         */
        public Builder blockTimeout(Duration timeout) {
            blockTimeout = timeout;
            return this;
        }

        /**
         * The permissions of a newly created log file; empty, the default, for those that the umask leaves of
         * rw-rw-rw-.
         */
        public Builder filePermissions(Set<PosixFilePermission> permissions) {
            filePermissions = Set.copyOf(permissions);
            return this;
        }

        /** The owner of a newly created log file: a user name, or null, the default, for that of the process. */
        public Builder fileOwner(String user) {
            fileOwner = user;
            return this;
        }

        /** The group of a newly created log file: a group name, or null, the default, for that of the process. */
        public Builder fileGroup(String group) {
            fileGroup = group;
            return this;
        }

        /**
         * Whether the caller names the files that end; by default they get the {@link Roll#target()} of their roll. If
         * this is true, a thread of the caller must take every roll of the stream from {@link BurstStream#nextRoll} and
         * answer it: until then the records behind the roll wait in the ring.
         */
        public Builder rollsByCaller(boolean choice) {
            rollsByCaller = choice;
            return this;
        }

        /**
         * The rules by which the engine rolls the log file by itself; null, the default: it rolls only when the program
         * asks.
         */
        public Builder rolling(Rolling choice) {
            rolling = choice;
            return this;
        }

        /** The folder that receives the records as they are, beside the log file; null, the default, for none. */
        public Builder segments(Segments choice) {
            segments = choice;
            return this;
        }

        /**
         * Whether each log file gets an index, in the folder {@code .burstlog-index} beside it: readers then find a
         * record by its sequence or its event time, and know when it was durable. Default: false.
         */
        public Builder index(boolean choice) {
            index = choice;
            return this;
        }

        /**
         * Checks the values that can be checked without the medium.
         *
         * @return the configuration
         * @throws BurstException with code {@link BurstException.Code#INVALID_ARGUMENT}: one sentence about the value
         */
        public StreamConfig build() {
            return new StreamConfig(this);
        }
    }
}
