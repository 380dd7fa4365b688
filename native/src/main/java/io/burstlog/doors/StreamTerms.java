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
 * What is said of a log file, and of its ring. But for {@code onFull} and {@code blockTimeout}, which each appender
 * decides for itself, it is fixed while the file is open.
 *
 * @param location the ring and the log file
 * @param ring what is said of the ring
 * @param config what the stream is opened with
 * @param filePattern the names of files that ended, where the door rolls the file; null: it does not
 */
public record StreamTerms(Location location, RingTerms ring, StreamConfig config, String filePattern) {

    private static final Set<String> NOT_FIXED = Set.of("fileName", "onFull", "blockTimeout", "rollsByCaller");

    /** What becomes of segments that a consumer has not passed, once they are beyond the limit. */
    private enum OverLimit {
        HOLD,
        RELEASE
    }

    /** {@return what is said of a log file of that ring} */
    public static StreamTerms of(RingTerms ring, StreamConfig config, String filePattern) {
        Location location =
                new Location(ring.ring(), Location.of(null, config.fileName()).file());
        return new StreamTerms(location, ring, config, filePattern);
    }

    /** {@return the same of the same file, where other things are said of the ring} */
    public StreamTerms on(RingTerms other) {
        return new StreamTerms(new Location(other.ring(), location.file()), other, config, filePattern);
    }

    /**
     * Reads what is said of a log file. What cannot be understood is a complaint of the settings.
     *
     * @param reader where it stands
     * @param file the log file
     * @param segmentsUnset the folder of segments if none is named, or null
     * @return what the stream is opened with, but for rolling
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
                .segments(segments(reader, segments != null ? segments : segmentsUnset));
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

    /** What of this log file, which is open, differs from what a configuration says; not of its ring. */
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
