// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import java.time.Duration;

/**
 * How many enqueued records are made durable together.
 *
 * @param delay how long the first of them waits for others; zero for not at all
 * @param bytes so many bytes of the ring need not wait; 0 for no limit
 */
public record Batch(Duration delay, long bytes) {

    /**
     * Checks what the engine could not see; it judges the rest at open.
     *
     * @throws BurstException with code {@link BurstException.Code#INVALID_ARGUMENT}: a negative value
     */
    public Batch {
        ConfigChecks.requireDuration(delay, "batchDelay");
        ConfigChecks.requireSize(bytes, "batchBytes");
    }
}
