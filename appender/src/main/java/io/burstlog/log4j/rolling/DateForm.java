// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import java.text.SimpleDateFormat;
import java.time.Duration;
import java.util.Date;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.apache.logging.log4j.core.pattern.DatePatternConverter;

/**
 * The texts that a date format makes, as a regular expression. The name of a month, for instance, is a word, of
 * whatever language; or it is what the format makes now, in the language of the format or of the process.
 */
final class DateForm {

    private static final int LETTERS_OF_A_NAME = 3;

    /**
     * Dates with every name. There are thirteen months of them, and from one to the next it is another hour: a whole
     * month has each day of the week, before and after noon.
     */
    private static final int DATES = 400;

    private static final Duration BETWEEN_DATES = Duration.ofHours(25);
    private static final Pattern NUMBER = Pattern.compile("\\p{Nd}+");

    private DateForm() {}

    static String regexOf(final DatePatternConverter date) {
        return withNames(regexOf(date.getPattern()), when -> {
            final StringBuilder text = new StringBuilder();
            date.format(text, when);
            return text.toString();
        });
    }

    /** @param format the format of a date's lookup */
    static String regexOfLookup(final String format) {
        final SimpleDateFormat writer;
        try {
            writer = new SimpleDateFormat(format);
        } catch (final IllegalArgumentException unreadable) {
            return regexOf(format);
        }
        return withNames(regexOf(format), writer::format);
    }

    /** Adds the texts of all dates that the expression does not know, with any number in place of theirs. */
    private static String withNames(final String regex, final Function<Date, String> writer) {
        final Pattern known = Pattern.compile(regex);
        final Set<String> forms = new TreeSet<>(Set.of(regex));
        final long now = System.currentTimeMillis();
        for (int i = 0; i < DATES; i++) {
            final String text = writer.apply(new Date(now + i * BETWEEN_DATES.toMillis()));
            if (!known.matcher(text).matches()) {
                forms.add(NUMBER.matcher(Pattern.quote(text)).replaceAll("\\\\E\\\\p{Nd}+\\\\Q"));
            }
        }
        return "(?:" + String.join("|", forms) + ")";
    }

    /** @param format as for {@code SimpleDateFormat}; null: seconds or milliseconds since 1970 */
    private static String regexOf(final String format) {
        if (format == null) {
            return "\\d+";
        }
        final StringBuilder regex = new StringBuilder();
        for (int i = 0; i < format.length(); ) {
            final char letter = format.charAt(i);
            int end = i + 1;
            if (letter == '\'') {
                end = Math.max(format.indexOf('\'', i + 1) + 1, i + 1);
                final String quoted = format.substring(i + 1, Math.max(i + 1, end - 1));
                regex.append(Pattern.quote(quoted.isEmpty() ? "'" : quoted));
            } else if (Character.isLetter(letter)) {
                while (end < format.length() && format.charAt(end) == letter) {
                    end++;
                }
                regex.append(regexOf(letter, end - i));
            } else {
                regex.append(Pattern.quote(String.valueOf(letter)));
            }
            i = end;
        }
        return regex.toString();
    }

    private static String regexOf(final char letter, final int count) {
        return switch (letter) {
            case 'M', 'L' -> count >= LETTERS_OF_A_NAME ? "\\p{L}+\\.?" : "\\d{1,2}";
            case 'E', 'a', 'G' -> "[\\p{L}.]+";
            case 'z', 'Z', 'X', 'x', 'O', 'V' -> "[^/]+?";
            default -> "\\d+";
        };
    }
}
