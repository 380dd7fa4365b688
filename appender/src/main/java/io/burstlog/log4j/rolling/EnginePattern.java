// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.logging.log4j.core.pattern.ArrayPatternConverter;
import org.apache.logging.log4j.core.pattern.DatePatternConverter;
import org.apache.logging.log4j.core.pattern.FormattingInfo;
import org.apache.logging.log4j.core.pattern.IntegerPatternConverter;
import org.apache.logging.log4j.core.pattern.PatternConverter;
import org.apache.logging.log4j.core.pattern.PatternParser;

/**
 * The names of a file pattern as the engine writes them. A process without a JVM finds archives by it.
 *
 * @param text the engine's pattern; null: it has none for these names
 * @param reason why it has none; null: it has one
 */
record EnginePattern(String text, String reason) {

    /** Formats of which each makes a fixed number of digits, with the engine's letter. */
    private static final Map<String, String> FIELDS =
            Map.of("yyyy", "%Y", "MM", "%m", "dd", "%d", "DDD", "%j", "HH", "%H", "mm", "%M", "ss", "%S");

    /** Translates the pattern, without the suffix of a compression. */
    static EnginePattern of(final String filePattern) {
        final String pattern = FileNames.absolute(FileNames.withoutSuffix(filePattern));
        if (pattern.contains("${")) {
            return unknown("its lookups are asked in a JVM");
        }
        if (pattern.lastIndexOf('%', pattern.lastIndexOf(File.separatorChar)) >= 0) {
            return unknown("its folder varies");
        }
        final List<PatternConverter> converters = new ArrayList<>();
        final List<FormattingInfo> paddings = new ArrayList<>();
        new PatternParser(null, "FileConverter", null).parse(pattern, converters, paddings, false, false, false);
        final StringBuilder text = new StringBuilder();
        for (int i = 0; i < converters.size(); i++) {
            final FormattingInfo padding = paddings.get(i);
            if (converters.get(i) instanceof DatePatternConverter date) {
                if (!appendDate(text, date.getPattern())) {
                    return unknown("a date in it is not of fixed numbers");
                }
            } else if (converters.get(i) instanceof IntegerPatternConverter) {
                if (padding.getMinLength() > 1 && !padding.isZeroPad()) {
                    return unknown("its index may begin with spaces");
                }
                if (text.indexOf("%i") >= 0) {
                    return unknown("it has two indexes");
                }
                text.append("%i");
            } else {
                final StringBuilder literal = new StringBuilder();
                ((ArrayPatternConverter) converters.get(i)).format(literal, new Object[0]);
                appendLiteral(text, literal);
            }
        }
        return text.lastIndexOf(File.separator) > pattern.lastIndexOf(File.separatorChar)
                ? unknown("its folder varies")
                : new EnginePattern(text.toString(), null);
    }

    private static EnginePattern unknown(final String reason) {
        return new EnginePattern(null, reason);
    }

    private static void appendLiteral(final StringBuilder text, final CharSequence literal) {
        text.append(literal.toString().replace("%", "%%"));
    }

    /**
     * Appends a date. Returns false if its length is not fixed, or if it is not made of digits.
     *
     * @param format as for {@code SimpleDateFormat}; null: milliseconds or seconds since 1970
     */
    private static boolean appendDate(final StringBuilder text, final String format) {
        if (format == null) {
            return false;
        }
        for (int i = 0; i < format.length(); ) {
            final char letter = format.charAt(i);
            int end = i + 1;
            if (letter == '\'') {
                end = Math.max(format.indexOf('\'', end) + 1, end);
                final String quoted = format.substring(i + 1, Math.max(i + 1, end - 1));
                appendLiteral(text, quoted.isEmpty() ? "'" : quoted);
            } else if (Character.isLetter(letter)) {
                while (end < format.length() && format.charAt(end) == letter) {
                    end++;
                }
                final String field = FIELDS.get(format.substring(i, end));
                if (field == null) {
                    return false;
                }
                text.append(field);
            } else {
                appendLiteral(text, String.valueOf(letter));
            }
            i = end;
        }
        return true;
    }
}
