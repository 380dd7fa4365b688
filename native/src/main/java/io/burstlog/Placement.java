// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import java.util.Objects;
import java.util.Optional;

/**
 * Where the threads and the image of a log shall be. CPUs are listed as the kernel does, {@code "3"} or
 * {@code "3-5,8"}.
 *
 * @param drainCpu the CPUs of the thread that moves records to the log file; empty for any
 * @param commitCpu the CPUs of the thread that makes enqueued records durable; empty for any
 * @param realtimePriority the priority of that thread under SCHED_FIFO; 0 for none
 * @param commitSpin whether that thread spins instead of sleeping when nothing is enqueued
 * @param hugePages pages of the ring's image in memory
 */
public record Placement(
        Optional<String> drainCpu,
        Optional<String> commitCpu,
        int realtimePriority,
        boolean commitSpin,
        HugePages hugePages) {

    /**
     * Checks what the engine could not see; it judges the rest at open.
     *
     * @throws BurstException with code {@link BurstException.Code#INVALID_ARGUMENT}: a NUL character in a list of CPUs
     */
    public Placement {
        drainCpu.ifPresent(cpus -> ConfigChecks.requireNoNul(cpus, "drainCpu"));
        commitCpu.ifPresent(cpus -> ConfigChecks.requireNoNul(cpus, "commitCpu"));
        Objects.requireNonNull(hugePages, "hugePages");
    }
}
