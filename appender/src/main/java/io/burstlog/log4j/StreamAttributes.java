// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import io.burstlog.StreamConfig;
import io.burstlog.log4j.rolling.RollingSettings;
import java.util.Set;

/**
 * What an element says of the log file that it writes to, and of the ring. But for {@code onFull} and
 * {@code blockTimeout}, which every appender decides for itself, it is fixed while the file is open.
 *
 * @param place the ring and the log file
 * @param ring what is said of the ring
 * @param config what the stream is opened with
 * @param rolling what is said of rolling; null: the file is not rolled
 */
record StreamAttributes(Place place, RingAttributes ring, StreamConfig config, RollingSettings rolling) {

    private static final Set<String> NOT_FIXED = Set.of("fileName", "onFull", "blockTimeout", "rollsByCaller");

    static StreamAttributes of(final RingAttributes ring, final StreamConfig config) {
        return of(ring, config, null);
    }

    static StreamAttributes of(final RingAttributes ring, final StreamConfig config, final RollingSettings rolling) {
        return new StreamAttributes(
                new Place(ring.ring(), Place.of(null, config.fileName()).file()), ring, config, rolling);
    }

    String file() {
        return place.file();
    }

    StreamAttributes on(final RingAttributes other) {
        return new StreamAttributes(new Place(other.ring(), file()), other, config, rolling);
    }

    /** Where another set of attributes differs from this one, which is in force; empty if nowhere. */
    String differencesTo(final StreamAttributes wanted) {
        final Differences differences = new Differences().add("ring", place.ring(), wanted.place.ring());
        differences.addAll(config.values(), wanted.config.values(), NOT_FIXED);
        if (rolling == null || wanted.rolling == null) {
            differences.add("filePattern", patternOf(rolling), patternOf(wanted.rolling));
        }
        ring.differencesTo(wanted.ring, differences);
        return differences.toString();
    }

    private static String patternOf(final RollingSettings rolling) {
        return rolling == null ? null : rolling.filePattern();
    }
}
