// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

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
 * Where what an element asks for differs from what is open, for a sentence: {@code drainInterval stays "100 ms" instead
 * of "1 s"}. Empty if nowhere. Not thread-safe.
 */
final class Differences {

    private final StringJoiner joined = new StringJoiner(", ");

    Differences add(final String attribute, final Object open, final Object wanted) {
        if (!Objects.equals(open, wanted)) {
            joined.add(attribute + " stays " + quoted(open) + " instead of " + quoted(wanted));
        }
        return this;
    }

    /** @param ignored names of values that do not count */
    Differences addAll(final Map<String, Object> open, final Map<String, Object> wanted, final Set<String> ignored) {
        final Set<String> names = new TreeSet<>(open.keySet());
        names.addAll(wanted.keySet());
        names.removeAll(ignored);
        names.forEach(name -> add(attributeOf(name), open.get(name), wanted.get(name)));
        return this;
    }

    @Override
    public String toString() {
        return joined.toString();
    }

    /** The engine counts in bytes what an attribute gives as a size. */
    static String attributeOf(final String value) {
        return value.replaceFirst("Bytes$", "Size");
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
