// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import io.burstlog.RecordWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.logging.log4j.Logger;

/** Fills the ring of 4 MB: its log file may not grow, so the drain frees no space. */
final class FullRing {

    static final int EVENTS = 40;

    private static final int RING_BYTES = 4 * 1024 * 1024;
    static final String LARGE = "x".repeat(400_000);

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

    /** Before the ring is opened: so {@link #withoutDrain} stops the drain at its first byte. */
    static void makeLong(final Path file) {
        try {
            Files.write(
                    file,
                    ("long ago " + " ".repeat(RING_BYTES) + System.lineSeparator())
                            .getBytes(StandardCharsets.US_ASCII));
        } catch (final IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Fills the ring without Log4j if the file is long, so that for some time not even a short record fits. */
    static void fill(final RecordWriter log) {
        offerUntilFull(log, new byte[100_000]);
        offerUntilFull(log, new byte[0]);
    }

    private static void offerUntilFull(final RecordWriter log, final byte[] record) {
        for (long sequence = 0; sequence >= 0; ) {
            sequence = log.offer(record);
        }
    }
}
