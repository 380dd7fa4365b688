// SPDX-License-Identifier: Apache-2.0
package io.burstlog.doors;

import static io.burstlog.doors.Settings.orDefault;

import io.burstlog.BurstException;
import io.burstlog.Rolling;
import io.burstlog.StreamConfig;
import java.time.Duration;
import java.util.List;

/** Reads the settings of a door that hands over whole records. */
public final class RecordTerms {

    /** The settings that {@link #read} asks for, with the door's log file as {@code file}. */
    public static final List<String> NAMES = List.of(
            "file",
            "ring",
            "ack",
            "onFull",
            "blockTimeout",
            "filePermissions",
            "fileOwner",
            "fileGroup",
            "segments",
            "segmentsLimit",
            "segmentsOverLimit",
            "index",
            "ringSize",
            "durability",
            "maxRecordSize",
            "io",
            "drainInterval",
            "shutdownTimeout",
            "binding",
            "drainCpu",
            "commitCpu",
            "realtimePriority",
            "hugePages",
            "commitSpin",
            "batchDelay",
            "batchSize",
            "window",
            "windowPermissions",
            "drain",
            "library",
            "jmx");

    /** The settings that {@link #rolling} asks for. */
    public static final List<String> NAMES_OF_ROLLING =
            List.of("rollPattern", "rollSize", "rollInterval", "compress", "keepFiles", "keepBytes", "keep");

    private RecordTerms() {}

    /**
     * Reads all settings.
     *
     * @param reader the texts; this method complains about a setting that nobody has read
     * @param rolling the rules by which the engine rolls, or null
     * @return null if the reader has complaints
     */
    public static StreamTerms read(Settings reader, Rolling rolling) {
        String file = reader.requiredFile();
        String ring = RingTerms.ring(reader, file, null);
        Ack ack = orDefault(reader.oneOf("ack", Ack.class), Ack.DURABLE);
        StreamConfig.Builder stream = StreamTerms.read(reader, file, null).rolling(rolling);
        RingTerms.Reading ofRing = new RingTerms.Reading(reader, ring, null);
        reader.complainAboutWhatNobodyRead();
        if (ring == null || file == null) {
            return null;
        }
        try {
            StreamTerms terms = StreamTerms.of(ofRing.terms(), stream.build(), null, ack);
            // Adds what the open would refuse to the other complaints.
            terms.ring().config().check(terms.config());
            return reader.complaints() == null ? terms : null;
        } catch (BurstException refusal) {
            reader.complain(refusal.getMessage());
            return null;
        }
    }

    /**
     * Reads the settings of rolling by the engine. A value that cannot be understood becomes a complaint of the reader.
     *
     * @param reader the texts
     * @return null if the texts have no such setting
     */
    public static Rolling rolling(Settings reader) {
        String pattern = reader.text("rollPattern");
        if (pattern == null) {
            NAMES_OF_ROLLING.stream()
                    .filter(reader::has)
                    .forEach(name -> reader.complain(name + " says nothing without rollPattern: set it to what rolled"
                            + " files are called, or remove " + name));
            return null;
        }
        return new Rolling(
                pattern,
                orDefault(reader.size("rollSize"), 0L),
                orDefault(reader.time("rollInterval"), Duration.ZERO),
                orDefault(reader.flag("compress"), false) ? Rolling.Compression.GZIP : Rolling.Compression.NONE,
                orDefault(reader.count("keepFiles"), 0L),
                orDefault(reader.size("keepBytes"), 0L),
                orDefault(reader.time("keep"), Duration.ZERO),
                false);
    }
}
