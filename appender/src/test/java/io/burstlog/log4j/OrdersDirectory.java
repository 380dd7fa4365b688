// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import io.burstlog.StreamConfig;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.logging.log4j.core.Layout;

/** A directory with one ring and one log file, and the {@code <Burst>} element for them. */
record OrdersDirectory(Path path) {

    static final String MESSAGE = "<PatternLayout pattern=\"%m%n\"/>";

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

    /** Rolls into files of that pattern beside the log file, one line for each message. */
    String rolled(final String filePattern, final String attributes, final String elements) {
        return burst("filePattern=\"" + path.resolve(filePattern) + "\" " + attributes, MESSAGE + elements);
    }

    /** What {@link RunningLog4j#logOrders} leaves with that layout. */
    static List<String> orders(final int from, final int to) {
        return IntStream.range(from, to).mapToObj(i -> "order " + i).toList();
    }

    List<String> lines() {
        try {
            return Files.readAllLines(file());
        } catch (final IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    /** The log file in its ring, as an appender has it open. */
    OpenStream open(final Layout<? extends Serializable> layout) {
        final var reading = new RingAttributes.Reading(
                new AttributeReader(Map.of(
                        "ringSize", "4 MB",
                        "durability", "process",
                        "jmx", "false",
                        "shutdownTimeout", Patience.TIME.toSeconds() + " s")),
                ring().toString());
        final RingAttributes ofRing = reading.attributes();
        final StreamConfig ofStream =
                StreamConfig.builder().fileName(file().toString()).build();
        final OpenRing ring = new OpenRing(ofRing);
        return OpenStream.open(ring, StreamAttributes.of(ofRing, ofStream), layout);
    }
}
