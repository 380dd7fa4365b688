// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import java.time.Duration;
import java.util.Optional;

/**
 * The part of a {@link BurstConfig.Builder} that is about the threads and the memory of a log. Not thread-safe.
 *
 * @param <B> the builder itself
 */
public abstract sealed class ThreadSettings<B extends ThreadSettings<B>> permits BurstConfig.Builder {

    private String drainCpu;
    private String commitCpu;
    private int realtimePriority;
    private boolean commitSpin;
    private HugePages hugePages = HugePages.AUTO;
    private Duration batchDelay = Duration.ZERO;
    private long batchBytes;

    ThreadSettings() {}

    abstract B self();

    Placement placement() {
        return new Placement(
                Optional.ofNullable(drainCpu), Optional.ofNullable(commitCpu), realtimePriority, commitSpin, hugePages);
    }

    Batch batch() {
        return new Batch(batchDelay, batchBytes);
    }

    /**
     * The CPUs of the thread {@code burst-drain}, which moves records to the log file. Opening refuses CPUs that are
     * not there, offline, or outside the cpuset of the process.
     *
     * @param cpus as the kernel lists them, {@code "3"} or {@code "3-5,8"}; null, the default, for any
     * @return this
     */
    public B drainCpu(String cpus) {
        drainCpu = cpus;
        return self();
    }

    /**
     * The CPUs of the thread {@code burst-commit}, which makes enqueued records durable; as {@link #drainCpu(String)}.
     * The ring's image is then kept on their NUMA node, else on that of the device.
     *
     * @param cpus as the kernel lists them; null, the default, for any
     * @return this
     */
    public B commitCpu(String cpus) {
        commitCpu = cpus;
        return self();
    }

    /**
     * The priority of {@code burst-commit} under SCHED_FIFO. Where the host does not allow it, the log opens without
     * and its listener hears so.
     *
     * @param priority 1 to 99; 0, the default, for none
     * @return this
     */
    public B realtimePriority(int priority) {
        realtimePriority = priority;
        return self();
    }

    /**
     * Pages of the ring's image in memory.
     *
     * @param choice the default is {@link HugePages#AUTO}
     * @return this
     */
    public B hugePages(HugePages choice) {
        hugePages = choice;
        return self();
    }

    /**
     * Whether {@code burst-commit} spins when nothing is enqueued, so that no {@link BurstLog#offer(byte[])} ever pays
     * for waking it. It takes a whole CPU, which {@link #commitCpu(String)} should give it.
     *
     * @param spins false, the default: it sleeps
     * @return this
     */
    public B commitSpin(boolean spins) {
        commitSpin = spins;
        return self();
    }

    /**
     * How long {@code burst-commit} waits for more enqueued records before it makes those that are there durable: fewer
     * and longer writes. Whoever waits for durability does not wait for that.
     *
     * @param delay at most 1 s; zero, the default, does not wait
     * @return this
     */
    public B batchDelay(Duration delay) {
        batchDelay = delay;
        return self();
    }

    /**
     * How many bytes of the ring must be enqueued for {@code burst-commit} to wait no longer.
     *
     * @param bytes 0, the default: only {@link #batchDelay(Duration)} counts. Needs a delay
     * @return this
     */
    public B batchBytes(long bytes) {
        batchBytes = bytes;
        return self();
    }
}
