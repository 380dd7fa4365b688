// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import io.burstlog.StreamConfig;
import io.burstlog.doors.Ack;
import io.burstlog.doors.Holder;
import io.burstlog.doors.OpenRing;
import io.burstlog.doors.RingTerms;
import io.burstlog.doors.Settings;
import io.burstlog.doors.StreamTerms;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.logging.log4j.core.Layout;

/** A directory with one ring and one log file, and their {@code <Burst>} element. */
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

    /** The lines of {@link RunningLog4j#logOrders} with that layout. */
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

    /** The log file in its ring, opened as an appender does it. */
    EventStream open(final Layout<? extends Serializable> layout) {
        final SortedMap<String, String> texts = new TreeMap<>(Map.of(
                "ringSize", "4 MB",
                "durability", "process",
                "jmx", "false",
                "shutdownTimeout", Patience.TIME.toSeconds() + " s"));
        final RingTerms ofRing = new RingTerms.Reading(
                        new Settings(texts, BurstAppenderBuilder.WORDING), ring().toString(), null)
                .terms();
        final StreamConfig ofStream =
                StreamConfig.builder().fileName(file().toString()).build();
        final Holder holder =
                new ElementHolder(new BurstAppenderBuilder().setName("Orders").build());
        return EventStream.open(
                new OpenRing(ofRing, holder),
                StreamTerms.of(ofRing, ofStream, null, Ack.DURABLE),
                null,
                layout,
                holder);
    }
}
