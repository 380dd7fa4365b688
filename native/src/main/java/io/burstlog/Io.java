// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

/** How the ring is written. */
public enum Io {
    /** The engine chooses. */
    AUTO,
    /** One positioned write, O_DIRECT, for each commit. */
    PWRITE
}
