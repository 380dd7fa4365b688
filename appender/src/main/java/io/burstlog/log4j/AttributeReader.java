// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.appender.rolling.FileSize;

/**
 * Turns the text of the attributes of one {@code <Burst>} element into values, and collects a complaint about each that
 * cannot be understood: what, the value seen and what to write instead. Log4j's own conversion would log an error and
 * go on with the default, which is no base for a promise of durability.
 *
 * <p>An attribute that is absent, empty or complained about is {@code null}. What was asked for by no call is unknown.
 * Not thread-safe.
 */
final class AttributeReader {

    private static final Pattern TIME = Pattern.compile("(\\d{1,12})\\s*(us|ms|s|min|h|d|)", Pattern.CASE_INSENSITIVE);
    private static final Pattern SIZE = Pattern.compile("\\d+(\\.\\d+)?\\s*[KMGT]?B?", Pattern.CASE_INSENSITIVE);

    private final Map<String, String> attributes;
    private final Set<String> unread = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    private final List<String> complaints = new ArrayList<>();

    AttributeReader(final Map<String, String> attributes) {
        this.attributes = attributes;
        unread.addAll(attributes.keySet());
    }

    /** Adds a complaint, with its full stop or without. */
    void complain(final String sentence) {
        complaints.add(sentence.endsWith(".") ? sentence : sentence + ".");
    }

    /** All complaints as one text, numbered if there are several; null if there is none. */
    String complaints() {
        if (complaints.size() <= 1) {
            return complaints.isEmpty() ? null : complaints.get(0);
        }
        final StringBuilder text = new StringBuilder().append(complaints.size()).append(" things are wrong.");
        for (int i = 0; i < complaints.size(); i++) {
            text.append(" (").append(i + 1).append(") ").append(complaints.get(i));
        }
        return text.toString();
    }

    private <T> T refuse(final String attribute, final String value, final String whatToDo) {
        complain(attribute + "=\"" + value + "\" cannot be used: " + whatToDo);
        return null;
    }

    /** A mistyped attribute would have no effect. */
    void complainAboutWhatNobodyRead() {
        unread.forEach(name -> complain("the attribute \"" + name + "\" is unknown: correct or remove it"));
    }

    /** What stands there and nobody has read yet, by its name in any case of letters. */
    Map<String, String> unread() {
        final Map<String, String> texts = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        unread.forEach(name -> texts.put(name, attributes.get(name)));
        texts.values().removeIf(text -> text == null || text.isBlank());
        return texts;
    }

    /** Whether it is there, whatever its value. */
    boolean has(final String attribute) {
        unread.remove(attribute);
        return attributes.get(attribute) != null;
    }

    String text(final String attribute) {
        unread.remove(attribute);
        final String value = attributes.get(attribute);
        return value == null || value.isBlank() ? null : value.trim();
    }

    /** The name of a file. One named after a variable that is not set would be another than the one meant. */
    String requiredPath(final String attribute, final String meaning) {
        final String text = text(attribute);
        if (text == null) {
            complain("the attribute " + attribute + " is missing: set it to " + meaning);
        }
        if (text != null && text.contains("${")) {
            return refuse(
                    attribute,
                    text,
                    "a lookup in it found nothing; define what it names, or give it a default as in"
                            + " \"${env:NAME:-default}\"");
        }
        return text;
    }

    /** One of the constants of an enum; {@code os-crash} names {@code OS_CRASH}, and so does that itself. */
    <E extends Enum<E>> E oneOf(final String attribute, final Class<E> type) {
        final String text = text(attribute);
        if (text == null) {
            return null;
        }
        final E[] constants = type.getEnumConstants();
        for (final E constant : constants) {
            if (spelling(constant).equalsIgnoreCase(text.replace('_', '-'))) {
                return constant;
            }
        }
        return refuse(
                attribute,
                text,
                "use "
                        + oneOf(Arrays.stream(constants)
                                .map(AttributeReader::spelling)
                                .toList()));
    }

    private static String oneOf(final List<String> values) {
        final int last = values.size() - 1;
        return values.subList(0, last).stream()
                        .map(value -> "\"" + value + "\"")
                        .collect(Collectors.joining(", ")) + " or \"" + values.get(last) + "\"";
    }

    static String spelling(final Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** A size in the units of Log4j's FileSize: {@code 64 MB}, {@code 1.5G}, {@code 4096}. In bytes. */
    Long size(final String attribute) {
        final String text = text(attribute);
        if (text == null) {
            return null;
        }
        final long bytes = SIZE.matcher(text).matches() ? FileSize.parse(text, -1) : -1;
        if (bytes <= 0) {
            return refuse(
                    attribute,
                    text,
                    "use a positive size such as \"64 MB\", \"1.5 GB\" or a number of bytes, without a comma");
        }
        return bytes;
    }

    /**
     * A time span such as {@code 100 ms}, {@code 10 s}, {@code 500 us}, {@code 1 min}, {@code 12 h}, {@code 7 d};
     * without a unit milliseconds.
     */
    Duration time(final String attribute) {
        final String text = text(attribute);
        if (text == null) {
            return null;
        }
        final Duration duration = parseTime(text);
        if (duration == null || duration.isZero()) {
            return refuse(
                    attribute, text, "use a positive time such as \"100 ms\", \"10 s\" or a number of milliseconds");
        }
        return duration;
    }

    /** As {@link #time}, and zero may be meant. */
    Duration timeOrZero(final String attribute) {
        final String text = text(attribute);
        final Duration duration = text == null ? null : parseTime(text);
        return duration != null && duration.isZero() ? duration : time(attribute);
    }

    /** A number that the engine judges. */
    Integer integer(final String attribute) {
        final String text = text(attribute);
        if (text == null) {
            return null;
        }
        try {
            return Integer.valueOf(text);
        } catch (final NumberFormatException noNumber) {
            return refuse(attribute, text, "use a whole number");
        }
    }

    /** {@code true} or {@code false}. */
    Boolean flag(final String attribute) {
        final String text = text(attribute);
        if (text == null) {
            return null;
        }
        if (!text.equalsIgnoreCase("true") && !text.equalsIgnoreCase("false")) {
            return refuse(attribute, text, "use \"true\" or \"false\"");
        }
        return Boolean.valueOf(text);
    }

    private static Duration parseTime(final String text) {
        final Matcher matcher = TIME.matcher(text);
        if (!matcher.matches()) {
            return null;
        }
        final long amount = Long.parseLong(matcher.group(1));
        try {
            return switch (matcher.group(2).toLowerCase(Locale.ROOT)) {
                case "us" -> Duration.ofNanos(Math.multiplyExact(amount, 1_000));
                case "s" -> Duration.ofSeconds(amount);
                case "min" -> Duration.ofMinutes(amount);
                case "h" -> Duration.ofHours(amount);
                case "d" -> Duration.ofDays(amount);
                default -> Duration.ofMillis(amount);
            };
        } catch (final ArithmeticException | DateTimeException tooLong) {
            return null;
        }
    }

    /** The name of a standard or custom level. */
    Level level(final String attribute) {
        final String text = text(attribute);
        if (text == null) {
            return null;
        }
        final Level level = Level.getLevel(text.toUpperCase(Locale.ROOT));
        if (level == null) {
            return refuse(attribute, text, "use the name of a level such as TRACE, DEBUG, INFO, WARN or ERROR");
        }
        return level;
    }

    /** Permissions as {@code rw-r-----}; none if absent. */
    Set<PosixFilePermission> permissions(final String attribute) {
        final String text = text(attribute);
        if (text == null) {
            return Set.of();
        }
        final Set<PosixFilePermission> permissions;
        try {
            permissions = PosixFilePermissions.fromString(text);
        } catch (final IllegalArgumentException notPermissions) {
            return refuse(attribute, text, "use nine characters such as \"rw-r-----\"");
        }
        if (permissions.isEmpty()) {
            return refuse(attribute, text, "nobody could open the log file; use for instance \"rw-------\"");
        }
        return permissions;
    }
}
