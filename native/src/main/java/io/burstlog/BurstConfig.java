// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import io.burstlog.binding.ConfigStruct;
import io.burstlog.binding.Engine;
import io.burstlog.binding.EngineLibrary;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The configuration with which a log is opened. Immutable.
 *
 * <pre>{@code
 * BurstConfig config = BurstConfig.builder().ring("orders.ring").fileName("orders.log").build();
 * }</pre>
 *
 * <p>Only {@code ring} is required. A size of 0 and a duration of zero stand for the default.
 */
public final class BurstConfig {

    private final Builder set;

    private BurstConfig(Builder builder) {
        set = builder.copy();
        ConfigChecks.requireText(set.ring, "ring", "the block device or file that holds the ring");
        if (set.fileName != null) {
            ConfigChecks.requireNull(set.main, "main and fileName both name a main stream; leave fileName out.");
            set.main = StreamConfig.builder().fileName(set.fileName).build();
            set.fileName = null;
        }
        values().forEach(ConfigChecks::requireUsable);
    }

    /** {@return a builder with every value at its default} */
    public static Builder builder() {
        return new Builder();
    }

    /** {@return a builder with the values of this configuration} */
    public Builder toBuilder() {
        return set.copy();
    }

    /**
     * Checks the values that {@link BurstLog#open} checks before it touches any file. This method opens, creates and
     * reads no ring.
     *
     * @throws BurstException with code {@link BurstException.Code#INVALID_ARGUMENT}, whose message names every value
     *     that cannot be used, or {@link BurstException.Code#LIBRARY}
     */
    public void check() {
        EngineLibrary.load(set.library);
        check(NativeConfig.of(this));
    }

    /**
     * Checks the values as {@link #check()} does, with the given stream in the place of the main one.
     *
     * @param stream the configuration of a stream that {@link BurstLog#stream} is to open
     * @throws BurstException as {@link #check()}
     */
    public void check(StreamConfig stream) {
        EngineLibrary.load(set.library);
        ConfigStruct config = NativeConfig.of(this);
        config.main = NativeConfig.of(null, stream);
        check(config);
    }

    private static void check(ConfigStruct config) {
        int result = Engine.burst_config_check(config);
        if (result < 0) {
            throw BurstException.ofOpen(-result, Engine.lastError());
        }
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

    /** {@return the block device or file that holds the ring} */
    public String ring() {
        return set.ring;
    }

    /** {@return the stream that the methods of {@link BurstLog} write, or null if there is none} */
    public StreamConfig main() {
        return set.main;
    }

    /** {@return how long closing takes at most, zero for the default} */
    public Duration shutdownTimeout() {
        return set.shutdownTimeout;
    }

    /** {@return the name of the log's second copy; null if it has none} */
    public String copy() {
        return set.copy;
    }

    Binding binding() {
        return set.binding;
    }

    String library() {
        return set.library;
    }

    Optional<Consumer<BurstEvent>> listener() {
        return Optional.ofNullable(set.listener);
    }

    /**
     * Collects the values; {@link #build()} checks those that the engine could not check. Not thread-safe.
     *
     * <p>Each value is one field here, with its default. The field has the name of the field of {@code burst_config_t}
     * and of the method that sets it.
     */
    public static final class Builder implements Cloneable {

        private String ring;
        private StreamConfig main;
        private String fileName;
        private long ringBytes;
        private Durability durability = Durability.POWER;
        private long maxRecordBytes;
        private Io io = Io.AUTO;
        private Duration drainInterval = Duration.ZERO;
        private Duration shutdownTimeout = Duration.ZERO;
        private String drainCpu;
        private String commitCpu;
        private int realtimePriority;
        private boolean commitSpin;
        private HugePages hugePages = HugePages.AUTO;
        private Duration batchDelay = Duration.ZERO;
        private long batchBytes;
        private String window;
        private Set<PosixFilePermission> windowPermissions = Set.of();
        private Drain drain = Drain.INNER;
        private String copy;
        private Binding binding = Binding.AUTO;
        private String library;
        private Consumer<BurstEvent> listener;

        private Builder() {}

        private Builder copy() {
            try {
                return (Builder) clone();
            } catch (CloneNotSupportedException impossible) {
                throw new AssertionError(impossible);
            }
        }

        /**
         * Required: a block device that {@code burstlog format} prepared, or a file, absolute or relative to the
         * working directory. A missing or empty file is created.
         */
        public Builder ring(String path) {
            ring = path;
            return this;
        }

        /**
         * The main stream, to which the methods of {@link BurstLog} write. Null, the default, for a log without a main
         * stream: {@link BurstLog#stream} opens its streams.
         */
        public Builder main(StreamConfig stream) {
            main = stream;
            return this;
        }

        /**
         * Short for a {@link #main(StreamConfig) main} stream with this log file and every other value at its default.
         * Null, the default, sets nothing. {@link #build()} refuses a configuration that sets both.
         */
        public Builder fileName(String path) {
            fileName = path;
            return this;
        }

        /**
         * The size of the whole ring on its medium, 2 MiB to 256 GiB; 0, the default, is 16 MiB for a new file and the
         * size of an existing ring. An existing ring of another size is refused.
         */
        public Builder ringBytes(long bytes) {
            ringBytes = bytes;
            return this;
        }

        /**
         * The worst failure that ring and log file must both survive, {@link Durability#POWER} by default. Opening
         * refuses a medium that survives less.
         */
        public Builder durability(Durability least) {
            durability = least;
            return this;
        }

        /** The longest record, at most a quarter of the ring; 0, the default, is 1 MiB or a quarter of a small ring. */
        public Builder maxRecordBytes(long bytes) {
            maxRecordBytes = bytes;
            return this;
        }

        /** The way in which the engine writes the ring, {@link Io#AUTO} by default. */
        public Builder io(Io choice) {
            io = choice;
            return this;
        }

        /** The time within which a durable record reaches its log file; zero, the default, is 100 ms. */
        public Builder drainInterval(Duration interval) {
            drainInterval = interval;
            return this;
        }

        /**
         * The longest time that closing takes, even if a medium does not answer; zero, the default, is 10 s. The drain
         * gets three quarters of it. Records that it has not moved by then stay in the ring for the next open.
         */
        public Builder shutdownTimeout(Duration timeout) {
            shutdownTimeout = timeout;
            return this;
        }

        /**
         * The CPUs of the thread {@code burst-drain}, which moves records to the log files, as the kernel lists them
         * ({@code "3"} or {@code "3-5,8"}); null, the default, for any. Opening refuses CPUs that are not there,
         * offline, or outside the cpuset of the process.
         */
        public Builder drainCpu(String cpus) {
            drainCpu = cpus;
            return this;
        }

        /**
         * The CPUs of the thread {@code burst-commit}, which makes enqueued records durable; written as in
         * {@link #drainCpu(String)}. The engine keeps the ring's image in memory on the NUMA node of these CPUs;
         * without them, on the node of the device.
         */
        public Builder commitCpu(String cpus) {
            commitCpu = cpus;
            return this;
        }

        /**
         * The priority of {@code burst-commit} under SCHED_FIFO, 1 to 99; 0, the default, for none. If the host does
         * not allow it, the log opens without it and tells its listener.
         */
        public Builder realtimePriority(int priority) {
            realtimePriority = priority;
            return this;
        }

        /**
         * Whether {@code burst-commit} spins when nothing is enqueued, so that no {@link BurstLog#offer(byte[])} ever
         * pays for waking it; it sleeps by default. A spinning thread takes a whole CPU, which
         * {@link #commitCpu(String)} should give it.
         */
        public Builder commitSpin(boolean spins) {
            commitSpin = spins;
            return this;
        }

        /** The size of the pages of the ring's image in memory, {@link HugePages#AUTO} by default. */
        public Builder hugePages(HugePages choice) {
            hugePages = choice;
            return this;
        }

        /**
         * The time that {@code burst-commit} waits for more enqueued records before it makes them durable, for fewer
         * and longer writes. At most 1 s; with zero, the default, it does not wait. A call that waits for durability
         * ends this wait.
         */
        public Builder batchDelay(Duration delay) {
            batchDelay = delay;
            return this;
        }

        /**
         * The bytes of enqueued records at which {@code burst-commit} ends the wait of {@link #batchDelay(Duration)}
         * early; 0, the default: no number of bytes ends it. Needs a delay.
         */
        public Builder batchBytes(long bytes) {
            batchBytes = bytes;
            return this;
        }

        /**
         * An existing folder, in which the open makes a socket that gives the ring's memory, read-only, to the readers
         * of other processes: they see a record as soon as it is durable. Null, the default, for none: readers then
         * read the medium.
         */
        public Builder window(String folder) {
            window = folder;
            return this;
        }

        /**
         * The permissions of the window's socket: each process that may write it may read all records. Empty, the
         * default, for {@code rw-------}.
         */
        public Builder windowPermissions(Set<PosixFilePermission> permissions) {
            windowPermissions = Set.copyOf(permissions);
            return this;
        }

        /**
         * The process that moves records from the ring to the log files, {@link Drain#INNER} by default.
         * {@link Drain#EXTERNAL} needs a {@link #window(String)}, and refuses streams whose files a caller rolls.
         */
        public Builder drain(Drain choice) {
            drain = choice;
            return this;
        }

        /**
         * The name of the log's second copy, for sentences. The ring then keeps each record until the copy has it, so
         * something has to make that copy: see {@link io.burstlog.copy}. Null, the default: the log has none. Not with
         * {@link Drain#EXTERNAL}.
         */
        public Builder copy(String name) {
            copy = name;
            return this;
        }

        /** The way in which the calls for each record reach the library, {@link Binding#AUTO} by default. */
        public Builder binding(Binding choice) {
            binding = choice;
            return this;
        }

        /**
         * The only native library to load, a {@code libburstlog.so}; there is no fallback if it cannot be loaded. It
         * wins over the system property {@code burstlog.library}, which means the same. Null, the default, for the
         * library in the jar or on the library path.
         */
        public Builder library(String path) {
            library = path;
            return this;
        }

        /**
         * The listener for the engine's events; the first ones tell what recovery found. Null, the default, for none. A
         * daemon thread of this log calls it, for one event at a time. An exception that it throws goes to that
         * thread's uncaught exception handler.
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
