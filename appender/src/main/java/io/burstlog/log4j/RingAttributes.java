// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import io.burstlog.BurstConfig;
import java.io.File;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeSet;
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

    /** Compared as a place, each appender's own, or always the same. */
    private static final Set<String> NOT_FIXED = Set.of("ring", "fileName", "onFull", "blockTimeout", "listener");

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
        final Map<String, Object> open = config.values();
        final Map<String, Object> elsewhere = wanted.config.values();
        final Set<String> names = new TreeSet<>(open.keySet());
        names.addAll(elsewhere.keySet());
        names.removeAll(NOT_FIXED);
        // Without a size the ring is taken as it is.
        names.removeIf(name -> name.equals("ringBytes") && elsewhere.get(name).equals(0L));
        names.forEach(name -> differences.add(attributeOf(name), open.get(name), elsewhere.get(name)));
        differences.add("jmx", jmx, wanted.jmx);
        return differences.joined.toString();
    }

    /** The engine counts in bytes what an attribute gives as a size. */
    private static String attributeOf(final String value) {
        return value.replaceFirst("Bytes$", "Size");
    }

    private static final class Differences {

        private final StringJoiner joined = new StringJoiner(", ");

        void add(final String attribute, final Object open, final Object wanted) {
            if (!Objects.equals(open, wanted)) {
                joined.add(attribute + " stays " + quoted(open) + " instead of " + quoted(wanted));
            }
        }

        private static String quoted(final Object value) {
            final String text = spelling(value);
            return text.isEmpty() ? "at its default" : "\"" + text + "\"";
        }

        /** As one writes it in a configuration; empty where that says nothing. */
        private static String spelling(final Object value) {
            if (value instanceof Long bytes) {
                return bytes == 0 ? "" : Units.ofBytes(bytes);
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
            return value == null ? "" : value.toString();
        }

        private static Set<PosixFilePermission> permissionsOf(final Set<?> set) {
            return set.stream().map(PosixFilePermission.class::cast).collect(Collectors.toSet());
        }
    }
}
