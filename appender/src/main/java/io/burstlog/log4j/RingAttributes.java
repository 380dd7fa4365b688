// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import io.burstlog.BurstConfig;
import io.burstlog.Placement;
import java.io.File;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.util.StringJoiner;

/**
 * The attributes that are fixed while a ring is open, as one appender asks for them. What an appender can decide for
 * itself (layout, ack, onFull, blockTimeout, filters) is not among them.
 *
 * @param ring the one name of the ring, whatever links lead to it
 * @param file the one name of the log file
 * @param config what the ring would be opened with
 * @param jmx whether management clients see it
 */
record RingAttributes(String ring, String file, BurstConfig config, boolean jmx) {

    static RingAttributes of(final BurstConfig config, final boolean jmx) {
        return new RingAttributes(canonical(config.ring()), canonical(config.fileName()), config, jmx);
    }

    private static String canonical(final String path) {
        final File file = new File(path).getAbsoluteFile();
        try {
            return requireCharactersOf(requireCharactersOf(file).getCanonicalFile()).getPath();
        } catch (final IOException | InvalidPathException unreadable) {
            // The engine, which takes any name, opens it or says why not.
            return file.getPath();
        }
    }

    /** Where the locale lacks a character, as LC_ALL=C most of them, a canonical path has "?" for it, whichever it is. */
    private static File requireCharactersOf(final File file) {
        return file.toPath().toFile();
    }

    boolean hasPlaceOf(final RingAttributes other) {
        return ring.equals(other.ring) && file.equals(other.file);
    }

    /**
     * Where another set of attributes differs from this one, for a sentence: {@code drainInterval (PT0.1S, not PT1S)}.
     * Empty if nowhere.
     */
    String differencesTo(final RingAttributes wanted) {
        final Differences differences = new Differences();
        differences.add("ring", ring, wanted.ring);
        differences.add("fileName", file, wanted.file);
        // Without a size the ring is taken as it is.
        if (wanted.config.ringBytes() != 0) {
            differences.add("ringSize", config.ringBytes(), wanted.config.ringBytes());
        }
        differences.add("durability", config.durability(), wanted.config.durability());
        differences.add("maxRecordSize", config.maxRecordBytes(), wanted.config.maxRecordBytes());
        differences.add("io", config.io(), wanted.config.io());
        differences.add("binding", config.binding(), wanted.config.binding());
        differences.add("library", config.library(), wanted.config.library());
        differences.add("drainInterval", config.drainInterval(), wanted.config.drainInterval());
        differences.add("shutdownTimeout", config.shutdownTimeout(), wanted.config.shutdownTimeout());
        final Placement open = config.placement();
        final Placement elsewhere = wanted.config.placement();
        differences.add("drainCpu", open.drainCpu(), elsewhere.drainCpu());
        differences.add("writerCpu", open.writerCpu(), elsewhere.writerCpu());
        differences.add("realtimePriority", open.realtimePriority(), elsewhere.realtimePriority());
        differences.add("hugePages", open.hugePages(), elsewhere.hugePages());
        differences.add("writerSpin", open.writerSpin(), elsewhere.writerSpin());
        differences.add("batchDelay", config.batch().delay(), wanted.config.batch().delay());
        differences.add("batchSize", config.batch().bytes(), wanted.config.batch().bytes());
        differences.add("filePermissions", config.filePermissions(), wanted.config.filePermissions());
        differences.add("fileOwner", config.fileOwner(), wanted.config.fileOwner());
        differences.add("fileGroup", config.fileGroup(), wanted.config.fileGroup());
        differences.add("jmx", jmx, wanted.jmx);
        return differences.joined.toString();
    }

    private static final class Differences {

        private final StringJoiner joined = new StringJoiner(", ");

        void add(final String attribute, final Object open, final Object wanted) {
            if (!open.equals(wanted)) {
                joined.add(attribute + " (" + open + ", not " + wanted + ")");
            }
        }
    }
}
