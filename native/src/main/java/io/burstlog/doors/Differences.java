// SPDX-License-Identifier: Apache-2.0
package io.burstlog.doors;

import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Collects, for a sentence, the values in which a configuration differs from an open ring or log file. The text is
 * empty if there are none. Not thread-safe.
 */
final class Differences {

    /** The form of a difference between two places: {@code drainInterval is "100 ms" there and "1 s" here}. */
    static final String BETWEEN_TWO = "%s is %s there and %s here";

    /** The form of a value that stays as it is open: {@code drainInterval stays "100 ms" instead of "1 s"}. */
    static final String WHAT_STAYS = "%s stays %s instead of %s";

    private final String form;
    private final StringJoiner joined = new StringJoiner(", ");

    Differences(String form) {
        this.form = form;
    }

    Differences add(String setting, Object open, Object wanted) {
        if (!Objects.equals(open, wanted)) {
            joined.add(form.formatted(setting, quoted(open), quoted(wanted)));
        }
        return this;
    }

    /** @param counts tells by the name of a setting whether it is compared */
    Differences addAll(Map<String, Object> open, Map<String, Object> wanted, Predicate<String> counts) {
        Set<String> names = new TreeSet<>(open.keySet());
        names.addAll(wanted.keySet());
        names.stream()
                .filter(name -> counts.test(settingOf(name)))
                .forEach(name -> add(settingOf(name), open.get(name), wanted.get(name)));
        return this;
    }

    @Override
    public String toString() {
        return joined.toString();
    }

    /** Returns the name of the setting: a size, which the engine's value of this name counts in bytes. */
    private static String settingOf(String value) {
        return value.replaceFirst("Bytes$", "Size");
    }

    private static String quoted(Object value) {
        if (value == null) {
            return "unset";
        }
        String text = spelling(value);
        return text.isEmpty() ? "at its default" : "\"" + text + "\"";
    }

    /** {@return whether the value stands for a setting that a configuration leaves out} */
    static boolean isNothing(Object value) {
        return value == null || spelling(value).isEmpty();
    }

    /** Returns the value as one writes it in a configuration; empty for a value that stands for a setting left out. */
    private static String spelling(Object value) {
        if (value instanceof Long bytes) {
            return bytes == 0 ? "" : Units.ofBytes(bytes);
        }
        if (value instanceof Duration time) {
            return time.isZero() ? "" : Units.of(time);
        }
        if (value instanceof Enum<?> constant) {
            return Settings.spelling(constant);
        }
        if (value instanceof Set<?> permissions) {
            return permissions.isEmpty() ? "" : PosixFilePermissions.toString(permissionsOf(permissions));
        }
        return value.toString();
    }

    private static Set<PosixFilePermission> permissionsOf(Set<?> set) {
        return set.stream().map(PosixFilePermission.class::cast).collect(Collectors.toSet());
    }
}
