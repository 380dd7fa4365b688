// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import org.apache.logging.log4j.Logger;

/** How to find the ring of 4 MB full: its log file may not grow, so that the drain frees no space. */
final class FullRing {

    static final int EVENTS = 40;

    private static final int RING_BYTES = 4 * 1024 * 1024;
    private static final String LARGE = "x".repeat(400_000);

    private FullRing() {}

    static FileSizeLimit withoutDrain() {
        return FileSizeLimit.of(RING_BYTES);
    }

    /** Logs 16 MB, four times the ring. */
    static void logMoreThanFits(final Logger logger) {
        for (int i = 0; i < EVENTS; i++) {
            logger.info(LARGE);
        }
    }
}
