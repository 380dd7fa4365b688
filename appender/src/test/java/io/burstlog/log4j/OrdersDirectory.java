// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A directory with one ring and one log file, and the {@code <Burst>} element for them. */
record OrdersDirectory(Path path) {

    static final String LEVEL_AND_MESSAGE = "<PatternLayout pattern=\"%p %m%n\"/>";

    Path ring() {
        return path.resolve("orders.ring");
    }

    Path file() {
        return path.resolve("orders.log");
    }

    String burst() {
        return burst("");
    }

    String burst(final String attributes) {
        return burst(attributes, LEVEL_AND_MESSAGE);
    }

    String burst(final String attributes, final String content) {
        final String shutdownTimeout = attributes.contains("shutdownTimeout=") ? "" : Patience.SHUTDOWN_TIMEOUT;
        return "<Burst name=\"Orders\" ring=\"" + ring() + "\" ringSize=\"4 MB\" fileName=\"" + file() + "\" "
                + attributes + " " + shutdownTimeout + ">" + content + "</Burst>";
    }

    List<String> lines() {
        try {
            return Files.readAllLines(file());
        } catch (final IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
