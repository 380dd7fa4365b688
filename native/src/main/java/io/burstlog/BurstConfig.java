// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import io.burstlog.binding.Engine;
import io.burstlog.binding.EngineLibrary;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * How to open a log. Immutable.
 *
 * <pre>{@code
 * BurstConfig config = BurstConfig.builder().ring("orders.ring").fileName("orders.log").build();
 * }</pre>
 *
 * <p>Only {@code ring} and {@code fileName} are required. A size of 0 and a duration of zero stand for the default.
 */
public final class BurstConfig {

    private final String ring;
    private final String fileName;
    private final long ringBytes;
    private final Durability durability;
    private final OnFull onFull;
    private final Duration blockTimeout;
    private final long maxRecordBytes;
    private final Io io;
    private final Duration drainInterval;
    private final Duration shutdownTimeout;
    private final Set<PosixFilePermission> filePermissions;
    private final String fileOwner;
    private final String fileGroup;
    private final Binding binding;
    private final String library;
    private final Consumer<BurstEvent> listener;
    private final Placement placement;
    private final Batch batch;

    private BurstConfig(Builder builder) {
        ring = ConfigChecks.requireText(builder.ring, "ring", "the block device or file that holds the ring");
        fileName = ConfigChecks.requireText(builder.fileName, "fileName", "the log file");
        ringBytes = ConfigChecks.requireSize(builder.ringBytes, "ringBytes");
        durability = Objects.requireNonNull(builder.durability, "durability");
        onFull = Objects.requireNonNull(builder.onFull, "onFull");
        blockTimeout = ConfigChecks.requireDuration(builder.blockTimeout, "blockTimeout");
        maxRecordBytes = ConfigChecks.requireSize(builder.maxRecordBytes, "maxRecordBytes");
        io = Objects.requireNonNull(builder.io, "io");
        drainInterval = ConfigChecks.requireDuration(builder.drainInterval, "drainInterval");
        shutdownTimeout = ConfigChecks.requireDuration(builder.shutdownTimeout, "shutdownTimeout");
        filePermissions = Set.copyOf(builder.filePermissions);
        fileOwner = ConfigChecks.requireNoNul(builder.fileOwner, "fileOwner");
        fileGroup = ConfigChecks.requireNoNul(builder.fileGroup, "fileGroup");
        binding = Objects.requireNonNull(builder.binding, "binding");
        library = builder.library;
        listener = builder.listener;
        placement = builder.placement();
        batch = builder.batch();
    }

    /**
     * A builder with every value at its default.
     *
     * @return a new builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Checks the values that {@link BurstLog#open} checks before it touches anything. Opens, creates and reads no ring.
     *
     * @throws BurstException with code {@link BurstException.Code#INVALID_ARGUMENT}, whose message names every value
     *     that cannot be used, or {@link BurstException.Code#LIBRARY}
     */
    public void check() {
        EngineLibrary.load(library);
        int result = Engine.burst_config_check(NativeConfig.of(this));
        if (result < 0) {
            throw BurstException.ofOpen(-result, Engine.lastError());
        }
    }

    /** {@return the block device or file that holds the ring} */
    public String ring() {
        return ring;
    }

    /** {@return the log file} */
    public String fileName() {
        return fileName;
    }

    /** {@return bytes of the whole ring on its medium, 0 for the default} */
    public long ringBytes() {
        return ringBytes;
    }

    /** {@return what ring and log file must survive} */
    public Durability durability() {
        return durability;
    }

    /** {@return what an append does that finds the ring full} */
    public OnFull onFull() {
        return onFull;
    }

    /** {@return how long an append waits for space or another thread's write at most, zero for ever} */
    public Duration blockTimeout() {
        return blockTimeout;
    }

    /** {@return the longest record in bytes, 0 for the default} */
    public long maxRecordBytes() {
        return maxRecordBytes;
    }

    /** {@return how the ring is written} */
    public Io io() {
        return io;
    }

    /** {@return within which time a durable record reaches the log file, zero for the default} */
    public Duration drainInterval() {
        return drainInterval;
    }

    /** {@return how long closing drains at most, zero for the default} */
    public Duration shutdownTimeout() {
        return shutdownTimeout;
    }

    /** {@return permissions of a newly created log file, empty for those of the umask} */
    public Set<PosixFilePermission> filePermissions() {
        return filePermissions;
    }

    /** {@return user name that a newly created log file gets, if any} */
    public Optional<String> fileOwner() {
        return Optional.ofNullable(fileOwner);
    }

    /** {@return group name that a newly created log file gets, if any} */
    public Optional<String> fileGroup() {
        return Optional.ofNullable(fileGroup);
    }

    /** {@return how the calls made for each record reach the library} */
    public Binding binding() {
        return binding;
    }

    /** {@return the only native library to load, if one is named} */
    public Optional<String> library() {
        return Optional.ofNullable(library);
    }

    /** {@return who hears what the engine has to tell, if anybody} */
    public Optional<Consumer<BurstEvent>> listener() {
        return Optional.ofNullable(listener);
    }

    /** {@return where the threads and the image shall be} */
    public Placement placement() {
        return placement;
    }

    /** {@return how many enqueued records are made durable together} */
    public Batch batch() {
        return batch;
    }

    /** Collects the values; {@link #build()} checks what the engine could not see. Not thread-safe. */
    public static final class Builder extends ThreadSettings<Builder> {

        private String ring;
        private String fileName;
        private long ringBytes;
        private Durability durability = Durability.POWER;
        private OnFull onFull = OnFull.BLOCK;
        private Duration blockTimeout = Duration.ZERO;
        private long maxRecordBytes;
        private Io io = Io.AUTO;
        private Duration drainInterval = Duration.ZERO;
        private Duration shutdownTimeout = Duration.ZERO;
        private Set<PosixFilePermission> filePermissions = Set.of();
        private String fileOwner;
        private String fileGroup;
        private Binding binding = Binding.AUTO;
        private String library;
        private Consumer<BurstEvent> listener;

        private Builder() {}

        @Override
        Builder self() {
            return this;
        }

        /**
         * Required: a block device that {@code burstlog format} prepared, or a file. A missing or empty file is
         * created.
         *
         * @param path absolute, or relative to the working directory
         * @return this
         */
        public Builder ring(String path) {
            ring = path;
            return this;
        }

        /**
         * As {@link #ring(String)}.
         *
         * @param path not null
         * @return this
         */
        public Builder ring(Path path) {
            return ring(path.toString());
        }

        /**
         * Required: the log file. It is created if it is missing, and never truncated.
         *
         * @param path absolute, or relative to the working directory
         * @return this
         */
        public Builder fileName(String path) {
            fileName = path;
            return this;
        }

        /**
         * As {@link #fileName(String)}.
         *
         * @param path not null
         * @return this
         */
        public Builder fileName(Path path) {
            return fileName(path.toString());
        }

        /**
         * The size of the whole ring on its medium. An existing ring of another size is refused.
         *
         * @param bytes 2 MiB to 256 GiB; 0, the default, is 16 MiB for a new file and the size of an existing ring
         * @return this
         */
        public Builder ringBytes(long bytes) {
            ringBytes = bytes;
            return this;
        }

        /**
         * What ring and log file must both survive; a medium that survives less is refused at open.
         *
         * @param least the default is {@link Durability#POWER}
         * @return this
         */
        public Builder durability(Durability least) {
            durability = least;
            return this;
        }

        /**
         * What an append does that finds the ring full.
         *
         * @param choice the default is {@link OnFull#BLOCK}
         * @return this
         */
        public Builder onFull(OnFull choice) {
            onFull = choice;
            return this;
        }

        /**
         * Bounds how long an append waits in all, for space and for other threads; only a write that it has begun
         * itself takes as long as the medium does.
         *
         * @param timeout zero, the default, waits for ever
         * @return this
         */
        public Builder blockTimeout(Duration timeout) {
            blockTimeout = timeout;
            return this;
        }

        /**
         * The longest record.
         *
         * @param bytes at most a quarter of the ring; 0, the default, is 1 MiB or a quarter of a small ring
         * @return this
         */
        public Builder maxRecordBytes(long bytes) {
            maxRecordBytes = bytes;
            return this;
        }

        /**
         * How the ring is written.
         *
         * @param choice the default is {@link Io#AUTO}
         * @return this
         */
        public Builder io(Io choice) {
            io = choice;
            return this;
        }

        /**
         * Within which time a durable record reaches the log file.
         *
         * @param interval zero, the default, is 100 ms
         * @return this
         */
        public Builder drainInterval(Duration interval) {
            drainInterval = interval;
            return this;
        }

        /**
         * How long closing takes at most, whatever the media do; three quarters of it are for draining. What is left
         * stays in the ring for the next open.
         *
         * @param timeout zero, the default, is 10 s
         * @return this
         */
        public Builder shutdownTimeout(Duration timeout) {
            shutdownTimeout = timeout;
            return this;
        }

        /**
         * Permissions of a newly created log file.
         *
         * @param permissions empty, the default, is what the umask leaves of rw-rw-rw-
         * @return this
         */
        public Builder filePermissions(Set<PosixFilePermission> permissions) {
            filePermissions = permissions;
            return this;
        }

        /**
         * The owner of a newly created log file.
         *
         * @param user a user name, or null, the default, for that of the process
         * @return this
         */
        public Builder fileOwner(String user) {
            fileOwner = user;
            return this;
        }

        /**
         * The group of a newly created log file.
         *
         * @param group a group name, or null, the default, for that of the process
         * @return this
         */
        public Builder fileGroup(String group) {
            fileGroup = group;
            return this;
        }

        /**
         * How the calls made for each record reach the library.
         *
         * @param choice the default is {@link Binding#AUTO}
         * @return this
         */
        public Builder binding(Binding choice) {
            binding = choice;
            return this;
        }

        /**
         * The only native library to load; there is no fallback if it cannot be loaded. It goes before the system
         * property {@code burstlog.library}, which means the same.
         *
         * @param path a {@code libburstlog.so}, or null, the default, for the one in the jar or on the library path
         * @return this
         */
        public Builder library(String path) {
            library = path;
            return this;
        }

        /**
         * Who hears what the engine has to tell, beginning with what recovery found. It is called on a daemon thread of
         * this log, for one event at a time. What it throws goes to that thread's uncaught exception handler.
         *
         * @param consumer null, the default, for nobody
         * @return this
         */
        public Builder listener(Consumer<BurstEvent> consumer) {
            listener = consumer;
            return this;
        }

        /**
         * Checks the values that can be checked without the medium.
         *
         * @return the configuration
         * @throws BurstException with code {@link BurstException.Code#INVALID_ARGUMENT}: one sentence about the value
         */
        public BurstConfig build() {
            return new BurstConfig(this);
        }
    }
}
