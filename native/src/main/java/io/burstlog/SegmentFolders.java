// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The folder of segments of each stream of a log that has one. Thread-safe. */
final class SegmentFolders {

    private final Map<String, String> folders = new ConcurrentHashMap<>();

    /** Returns the name of a stream; if it has none, its log file as the configuration gave it. */
    static String nameOf(String name, StreamConfig config) {
        return name == null || name.isEmpty() ? config.fileName() : name;
    }

    /** Notes that a stream was opened. */
    void note(String stream, StreamConfig config) {
        if (config.segments() == null) {
            folders.remove(stream);
        } else {
            folders.put(stream, config.segments().folder());
        }
    }

    /** Opens a consumer as {@link BurstLog#consumer} does. */
    BurstConsumer consumer(BurstLog log, String name, String stream) {
        String folder = folders.get(stream);
        if (folder == null) {
            throw new BurstException(
                    BurstException.Code.INVALID_ARGUMENT,
                    "Stream \"" + stream + "\" of " + log
                            + " has no folder of segments; open it with StreamConfig.builder().segments(Segments.in(FOLDER)).");
        }
        return BurstConsumer.open(folder, name);
    }
}
