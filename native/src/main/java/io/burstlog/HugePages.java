// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

/** Pages of the ring's image in memory. The order is that of {@code enum burst_huge_pages}. */
public enum HugePages {
    /** Huge ones where the host gives them. */
    AUTO,
    /** Never huge ones. */
    OFF
}
