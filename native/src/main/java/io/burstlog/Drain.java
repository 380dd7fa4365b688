// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

/** The process that moves records from the ring to the log files. The order is that of {@code enum burst_drain}. */
public enum Drain {
    /** This one. */
    INNER,
    /**
     * {@code burstlog drain}, another process. Needs a window. This process drains only while there is none: after 10
     * s, or when the ring is three quarters full.
     */
    EXTERNAL
}
