// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

/** The size of the pages of the ring's image in memory. The order is that of {@code enum burst_huge_pages}. */
public enum HugePages {
    /** Huge pages if the host gives them. */
    AUTO,
    /** Never huge pages. */
    OFF
}
