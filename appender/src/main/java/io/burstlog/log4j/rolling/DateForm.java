// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import java.util.regex.Pattern;

/** The texts that a date format makes, as a regular expression. */
final class DateForm {

    private static final int LETTERS_OF_A_NAME = 3;

    private DateForm() {}

    /** @param format as for {@code SimpleDateFormat}; null: seconds or milliseconds since 1970 */
    static String regexOf(final String format) {
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
