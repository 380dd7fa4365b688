// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import io.burstlog.StreamConfig;
import java.util.Set;

/**
 * What an element says of the log file that it writes to, and of the ring. But for {@code onFull} and
 * {@code blockTimeout}, which every appender decides for itself, it is fixed while the file is open.
 *
 * @param place the ring and the log file
 * @param ring what is said of the ring
 * @param config what the stream is opened with
 */
record StreamAttributes(Place place, RingAttributes ring, StreamConfig config) {

    private static final Set<String> NOT_FIXED = Set.of("fileName", "onFull", "blockTimeout");

    static StreamAttributes of(final RingAttributes ring, final StreamConfig config) {
        return new StreamAttributes(
                new Place(ring.ring(), Place.of(null, config.fileName()).file()), ring, config);
    }

    String file() {
        return place.file();
    }

    StreamAttributes on(final RingAttributes other) {
        return new StreamAttributes(new Place(other.ring(), file()), other, config);
    }

    /** Where another set of attributes differs from this one, which is in force; empty if nowhere. */
    String differencesTo(final StreamAttributes wanted) {
        final Differences differences = new Differences().add("ring", place.ring(), wanted.place.ring());
        differences.addAll(config.values(), wanted.config.values(), NOT_FIXED);
        ring.differencesTo(wanted.ring, differences);
        return differences.toString();
    }
}
