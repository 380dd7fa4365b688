// SPDX-License-Identifier: Apache-2.0
package io.burstlog.doors;

import static io.burstlog.doors.Settings.orDefault;

import io.burstlog.OnFull;
import io.burstlog.Segments;
import io.burstlog.StreamConfig;
import java.time.Duration;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The settings of a log file and of its ring. They are fixed while the file is open, except {@code onFull},
 * {@code blockTimeout} and {@code ack}, which each appender chooses for itself.
 *
 * @param location the ring and the log file
 * @param ring the settings of the ring
 * @param config the configuration that opens the stream
 * @param filePattern the names of rolled files if the door rolls the file; null: the door does not roll it
 * @param ack the promise of a log call
 */
public record StreamTerms(Location location, RingTerms ring, StreamConfig config, String filePattern, Ack ack) {

    private static final Set<String> NOT_FIXED = Set.of("fileName", "onFull", "blockTimeout", "rollsByCaller");

    /** The choices for segments beyond the limit that a consumer has not passed. */
    private enum OverLimit {
        HOLD,
        RELEASE
    }

    /** {@return the settings of a log file of that ring} */
    public static StreamTerms of(RingTerms ring, StreamConfig config, String filePattern, Ack ack) {
        Location location =
                new Location(ring.ring(), Location.of(null, config.fileName()).file());
        return new StreamTerms(location, ring, config, filePattern, ack);
    }

    /** {@return the settings of the same file, with other settings of the ring} */
    public StreamTerms on(RingTerms other) {
        return new StreamTerms(new Location(other.ring(), location.file()), other, config, filePattern, ack);
    }

    /**
     * Reads the settings of a log file. A value that cannot be understood becomes a complaint of the reader.
     *
     * @param reader the texts
     * @param file the log file
     * @param segmentsUnset the folder of segments if the texts name none, or null
     * @return the configuration of the stream, without rolling
     */
    public static StreamConfig.Builder read(Settings reader, String file, String segmentsUnset) {
        String segments = reader.text("segments");
        return StreamConfig.builder()
                .fileName(file)
                .onFull(orDefault(reader.oneOf("onFull", OnFull.class), OnFull.BLOCK))
                .blockTimeout(orDefault(reader.time("blockTimeout"), Duration.ZERO))
                .filePermissions(orDefault(reader.permissions("filePermissions"), Set.of()))
                .fileOwner(reader.text("fileOwner"))
                .fileGroup(reader.text("fileGroup"))
                .segments(segments(reader, segments != null ? segments : segmentsUnset))
                .index(orDefault(reader.flag("index"), false));
    }

    private static Segments segments(Settings reader, String folder) {
        Long limit = reader.size("segmentsLimit");
        OverLimit over = reader.oneOf("segmentsOverLimit", OverLimit.class);
        if (folder == null && reader.has("segmentsLimit")) {
            reader.complain(
                    "segmentsLimit says nothing without segments: set that to a folder, or remove segmentsLimit");
        }
        if (!reader.has("segmentsLimit") && reader.has("segmentsOverLimit")) {
            reader.complain("segmentsOverLimit says nothing without segmentsLimit: set that to a size, or remove"
                    + " segmentsOverLimit");
        }
        return folder == null
                ? null
                : Segments.in(folder).limitBytes(orDefault(limit, 0L)).release(over == OverLimit.RELEASE);
    }

    /** Names the values in which this open log file differs from a configuration; those of its ring do not count. */
    String differencesTo(StreamTerms wanted, String form, Predicate<Object> counts) {
        Differences differences = new Differences(form).add("ring", location.ring(), wanted.location.ring());
        differences.addAll(
                config.values(),
                wanted.config.values(),
                name -> !NOT_FIXED.contains(name)
                        && counts.test(wanted.config.values().get(name)));
        if (filePattern == null || wanted.filePattern == null) {
            differences.add("filePattern", filePattern, wanted.filePattern);
        }
        return differences.toString();
    }
}
