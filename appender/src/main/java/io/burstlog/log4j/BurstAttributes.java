// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import org.apache.logging.log4j.core.config.plugins.PluginBuilderAttribute;

/**
 * The attributes of {@code <Burst>} beside those of every appender and of its log file, as text; {@code null} where one
 * is not set.
 *
 * <p>Sizes are in the units of Log4j's {@code FileSize} ({@code 64 MB}, {@code 1 GB}, a number of bytes); times are
 * {@code 500 us}, {@code 100 ms}, {@code 10 s}, {@code 1 min} or a number of milliseconds. Not thread-safe.
 *
 * @param <B> the builder itself
 */
public abstract class BurstAttributes<B extends BurstAttributes<B>> extends LogFileAttributes<B> {

    @PluginBuilderAttribute
    String ring;

    @PluginBuilderAttribute
    String ringSize;

    @PluginBuilderAttribute
    String durability;

    @PluginBuilderAttribute
    String ack;

    @PluginBuilderAttribute
    String ackLevel;

    @PluginBuilderAttribute
    String onFull;

    @PluginBuilderAttribute
    String blockTimeout;

    @PluginBuilderAttribute
    String maxRecordSize;

    @PluginBuilderAttribute
    String binding;

    @PluginBuilderAttribute
    String io;

    @PluginBuilderAttribute
    String drainInterval;

    @PluginBuilderAttribute
    String shutdownTimeout;

    @PluginBuilderAttribute
    String drainCpu;

    @PluginBuilderAttribute
    String commitCpu;

    @PluginBuilderAttribute
    String realtimePriority;

    @PluginBuilderAttribute
    String hugePages;

    @PluginBuilderAttribute
    String commitSpin;

    @PluginBuilderAttribute
    String batchDelay;

    @PluginBuilderAttribute
    String batchSize;

    @PluginBuilderAttribute
    String jmx;

    @PluginBuilderAttribute
    String library;

    BurstAttributes() {}

    /**
     * Sets the attribute {@code ring}.
     *
     * @param ring required: the block device, DAX file or regular file that holds the ring
     * @return this
     */
    public B setRing(final String ring) {
        this.ring = ring;
        return asBuilder();
    }

    /**
     * Sets the attribute {@code ringSize}.
     *
     * @param ringSize the size of a ring file to create, for instance {@code 64 MB}
     * @return this
     */
    public B setRingSize(final String ringSize) {
        this.ringSize = ringSize;
        return asBuilder();
    }

    /**
     * Sets the attribute {@code durability}.
     *
     * @param durability {@code power} (default), {@code os-crash} or {@code process}: the least that ring and log file
     *     survive
     * @return this
     */
    public B setDurability(final String durability) {
        this.durability = durability;
        return asBuilder();
    }

    /**
     * Sets the attribute {@code ack}.
     *
     * @param ack {@code durable} (default) or {@code enqueued}
     * @return this
     */
    public B setAck(final String ack) {
        this.ack = ack;
        return asBuilder();
    }

    /**
     * Sets the attribute {@code ackLevel}.
     *
     * @param ackLevel with {@code ack="durable"}: events less specific than this level are only enqueued
     * @return this
     */
    public B setAckLevel(final String ackLevel) {
        this.ackLevel = ackLevel;
        return asBuilder();
    }

    /**
     * Sets the attribute {@code onFull}.
     *
     * @param onFull {@code block} (default), {@code fail} or {@code discard}
     * @return this
     */
    public B setOnFull(final String onFull) {
        this.onFull = onFull;
        return asBuilder();
    }

    /**
     * Sets the attribute {@code blockTimeout}.
     *
     * @param blockTimeout bounds how long a log call waits for space and for another thread's write, not its own write,
     *     for instance {@code 5 s}; for ever unless set
     * @return this
     */
    public B setBlockTimeout(final String blockTimeout) {
        this.blockTimeout = blockTimeout;
        return asBuilder();
    }

    /**
     * Sets the attribute {@code maxRecordSize}.
     *
     * @param maxRecordSize the longest event, {@code 1 MB} by default and at most a quarter of the ring
     * @return this
     */
    public B setMaxRecordSize(final String maxRecordSize) {
        this.maxRecordSize = maxRecordSize;
        return asBuilder();
    }

    /**
     * Sets the attribute {@code binding}.
     *
     * @param binding {@code auto} (default), {@code jni} or {@code jna}
     * @return this
     */
    public B setBinding(final String binding) {
        this.binding = binding;
        return asBuilder();
    }

    /**
     * Sets the attribute {@code io}.
     *
     * @param io {@code auto} (default: the fastest of those that are safe everywhere, measured once and kept on the
     *     ring), {@code pwrite}, {@code uring}, {@code nvme}, {@code mapped} or {@code flush}; see
     *     docs/io-engines.md
     * @return this
     */
    public B setIo(final String io) {
        this.io = io;
        return asBuilder();
    }

    /**
     * Sets the attribute {@code drainInterval}.
     *
     * @param drainInterval within this time an event reaches the log file, {@code 100 ms} by default
     * @return this
     */
    public B setDrainInterval(final String drainInterval) {
        this.drainInterval = drainInterval;
        return asBuilder();
    }

    /**
     * Sets the attribute {@code shutdownTimeout}.
     *
     * @param shutdownTimeout bounds draining at stop, {@code 10 s} by default; the rest stays in the ring for the next
     *     start
     * @return this
     */
    public B setShutdownTimeout(final String shutdownTimeout) {
        this.shutdownTimeout = shutdownTimeout;
        return asBuilder();
    }

    /**
     * Sets the attribute {@code drainCpu}.
     *
     * @param drainCpu CPUs of the thread that writes the log file, for instance {@code 3} or {@code 3-5,8}; any unless
     *     set
     * @return this
     */
    public B setDrainCpu(final String drainCpu) {
        this.drainCpu = drainCpu;
        return asBuilder();
    }

    /**
     * Sets the attribute {@code commitCpu}.
     *
     * @param commitCpu CPUs of the thread that makes enqueued events durable; any unless set
     * @return this
     */
    public B setCommitCpu(final String commitCpu) {
        this.commitCpu = commitCpu;
        return asBuilder();
    }

    /**
     * Sets the attribute {@code realtimePriority}.
     *
     * @param realtimePriority 1 to 99: of that thread under SCHED_FIFO; {@code 0}, none, by default
     * @return this
     */
    public B setRealtimePriority(final String realtimePriority) {
        this.realtimePriority = realtimePriority;
        return asBuilder();
    }

    /**
     * Sets the attribute {@code hugePages}.
     *
     * @param hugePages {@code auto} (default) or {@code off}: pages of the ring's image in memory
     * @return this
     */
    public B setHugePages(final String hugePages) {
        this.hugePages = hugePages;
        return asBuilder();
    }

    /**
     * Sets the attribute {@code commitSpin}.
     *
     * @param commitSpin {@code true}: the thread that makes enqueued events durable takes a whole CPU and is never
     *     woken
     * @return this
     */
    public B setCommitSpin(final String commitSpin) {
        this.commitSpin = commitSpin;
        return asBuilder();
    }

    /**
     * Sets the attribute {@code batchDelay}.
     *
     * @param batchDelay how long that thread waits for more events, at most {@code 1 s}; not at all unless set
     * @return this
     */
    public B setBatchDelay(final String batchDelay) {
        this.batchDelay = batchDelay;
        return asBuilder();
    }

    /**
     * Sets the attribute {@code batchSize}.
     *
     * @param batchSize so much of the ring need not wait for {@code batchDelay}
     * @return this
     */
    public B setBatchSize(final String batchSize) {
        this.batchSize = batchSize;
        return asBuilder();
    }

    /**
     * Sets the attribute {@code jmx}.
     *
     * @param jmx {@code true} (default) or {@code false}: whether the open ring is shown as a {@link RingMXBean}
     * @return this
     */
    public B setJmx(final String jmx) {
        this.jmx = jmx;
        return asBuilder();
    }

    /**
     * Sets the attribute {@code library}.
     *
     * @param library the only native library to load; unless set, the one in the jar or on the library path
     * @return this
     */
    public B setLibrary(final String library) {
        this.library = library;
        return asBuilder();
    }
}
