// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import io.burstlog.BurstConfig;
import io.burstlog.Placement;
import java.io.File;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.StringJoiner;
import java.util.stream.Collectors;

/**
 * The attributes that are fixed while a ring is open, as one appender asks for them. What an appender can decide for
 * itself (layout, ack, onFull, blockTimeout, filters) is not among them.
 *
 * @param place the ring and the log file
 * @param config what the ring would be opened with
 * @param jmx whether management clients see it
 */
record RingAttributes(Place place, BurstConfig config, boolean jmx) {

    /** The one name of a ring and of its log file, whatever links lead there; null where an element names none. */
    record Place(String ring, String file) {

        static Place of(final String ring, final String file) {
            return new Place(canonical(ring), canonical(file));
        }

        private static String canonical(final String path) {
            if (path == null) {
                return null;
            }
            final File file = new File(path).getAbsoluteFile();
            try {
                return requireCharactersOf(requireCharactersOf(file).getCanonicalFile())
                        .getPath();
            } catch (final IOException | InvalidPathException unreadable) {
                // The engine, which takes any name, opens it or says why not.
                return file.getPath();
            }
        }

        /**
         * Where the locale lacks a character, as LC_ALL=C most of them, a canonical path has "?" for it, whichever it
         * is.
         */
        private static File requireCharactersOf(final File file) {
            return file.toPath().toFile();
        }
    }

    static RingAttributes of(final BurstConfig config, final boolean jmx) {
        return new RingAttributes(Place.of(config.ring(), config.fileName()), config, jmx);
    }

    String ring() {
        return place.ring();
    }

    String file() {
        return place.file();
    }

    boolean hasPlaceOf(final RingAttributes other) {
        return place.equals(other.place);
    }

    /**
     * Where another set of attributes differs from this one, for a sentence: {@code drainInterval stays "100 ms"
     * instead of "1 s"}. Empty if nowhere.
     */
    String differencesTo(final RingAttributes wanted) {
        final Differences differences = new Differences();
        differences.add("ring", ring(), wanted.ring());
        differences.add("fileName", file(), wanted.file());
        // Without a size the ring is taken as it is.
        if (wanted.config.ringBytes() != 0) {
            differences.addBytes("ringSize", config.ringBytes(), wanted.config.ringBytes());
        }
        differences.add("durability", config.durability(), wanted.config.durability());
        differences.addBytes("maxRecordSize", config.maxRecordBytes(), wanted.config.maxRecordBytes());
        differences.add("io", config.io(), wanted.config.io());
        differences.add("binding", config.binding(), wanted.config.binding());
        differences.add("library", config.library(), wanted.config.library());
        differences.add("drainInterval", config.drainInterval(), wanted.config.drainInterval());
        differences.add("shutdownTimeout", config.shutdownTimeout(), wanted.config.shutdownTimeout());
        final Placement open = config.placement();
        final Placement elsewhere = wanted.config.placement();
        differences.add("drainCpu", open.drainCpu(), elsewhere.drainCpu());
        differences.add("commitCpu", open.commitCpu(), elsewhere.commitCpu());
        differences.add("realtimePriority", open.realtimePriority(), elsewhere.realtimePriority());
        differences.add("hugePages", open.hugePages(), elsewhere.hugePages());
        differences.add("commitSpin", open.commitSpin(), elsewhere.commitSpin());
        differences.add(
                "batchDelay", config.batch().delay(), wanted.config.batch().delay());
        differences.addBytes(
                "batchSize", config.batch().bytes(), wanted.config.batch().bytes());
        differences.add("filePermissions", config.filePermissions(), wanted.config.filePermissions());
        differences.add("fileOwner", config.fileOwner(), wanted.config.fileOwner());
        differences.add("fileGroup", config.fileGroup(), wanted.config.fileGroup());
        differences.add("jmx", jmx, wanted.jmx);
        return differences.joined.toString();
    }

    private static final class Differences {

        private final StringJoiner joined = new StringJoiner(", ");

        void addBytes(final String attribute, final long open, final long wanted) {
            add(attribute, open == 0 ? "" : Units.ofBytes(open), wanted == 0 ? "" : Units.ofBytes(wanted));
        }

        void add(final String attribute, final Object open, final Object wanted) {
            if (!open.equals(wanted)) {
                joined.add(attribute + " stays " + quoted(open) + " instead of " + quoted(wanted));
            }
        }

        private static String quoted(final Object value) {
            final String text = spelling(value);
            return text.isEmpty() ? "at its default" : "\"" + text + "\"";
        }

        /** As one writes it in a configuration; empty where that says nothing. */
        private static String spelling(final Object value) {
            if (value instanceof Optional<?> given) {
                return given.map(Differences::spelling).orElse("");
            }
            if (value instanceof Duration time) {
                return time.isZero() ? "" : Units.of(time);
            }
            if (value instanceof Enum<?> constant) {
                return AttributeReader.spelling(constant);
            }
            if (value instanceof Set<?> permissions) {
                return permissions.isEmpty() ? "" : PosixFilePermissions.toString(permissionsOf(permissions));
            }
            return value.toString();
        }

        private static Set<PosixFilePermission> permissionsOf(final Set<?> set) {
            return set.stream().map(PosixFilePermission.class::cast).collect(Collectors.toSet());
        }
    }
}
