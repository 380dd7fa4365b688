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

/** Where a configuration differs from what is open, for a sentence. Empty if nowhere. Not thread-safe. */
final class Differences {

    /** Where both say something: {@code drainInterval is "100 ms" there and "1 s" here}. */
    static final String BETWEEN_TWO = "%s is %s there and %s here";

    /** Where what is open goes on: {@code drainInterval stays "100 ms" instead of "1 s"}. */
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

    /** @param counts which settings do, by their names */
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

    /** The engine counts in bytes what a setting gives as a size. */
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

    /** {@return whether a configuration says nothing by that value} */
    static boolean isNothing(Object value) {
        return value == null || spelling(value).isEmpty();
    }

    /** As one writes it in a configuration; empty where that says nothing. */
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
