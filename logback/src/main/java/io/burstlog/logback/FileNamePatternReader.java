// SPDX-License-Identifier: Apache-2.0
package io.burstlog.logback;

import ch.qos.logback.core.rolling.DefaultTimeBasedFileNamingAndTriggeringPolicy;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Translates a {@code fileNamePattern} of Logback into a pattern of the engine.
 *
 * @param pattern the names of rolled files, for {@link io.burstlog.Rolling}
 * @param period the time after which the name changes
 * @param compress whether the names end in {@code .gz}, which {@code pattern} leaves out
 */
record FileNamePatternReader(String pattern, Duration period, boolean compress) {

    private static final String DEFAULT_DATE = "yyyy-MM-dd";
    private static final Pattern TOKEN = Pattern.compile("%(?:d(?:\\{([^}]*)})?|(i))|%|[^%]+");
    private static final Pattern DATE_PART = Pattern.compile("'([^']*)'|([A-Za-z])\\2*|[^A-Za-z']");
    private static final Map<String, String> FIELDS =
            Map.of("yyyy", "%Y", "uuuu", "%Y", "MM", "%m", "dd", "%d", "DDD", "%j", "HH", "%H", "mm", "%M", "ss", "%S");
    private static final String PERIODS = "smHd";

    /**
     * Reads a pattern.
     *
     * @throws IllegalArgumentException if the engine cannot make such names; the message says why
     */
    static FileNamePatternReader read(String text) {
        if (text == null) {
            throw new IllegalArgumentException("fileNamePattern is missing: set it to what rolled files are called");
        }
        if (text.endsWith(".zip") || text.endsWith(".xz")) {
            throw refusal(text, "the engine compresses to .gz alone; end it so");
        }
        boolean compress = text.endsWith(".gz");
        StringBuilder pattern = new StringBuilder();
        String letters = "";
        Matcher token = TOKEN.matcher(compress ? text.substring(0, text.length() - ".gz".length()) : text);
        while (token.find()) {
            if (token.group().startsWith("%d")) {
                letters += appendDate(text, token.group(1), pattern);
            } else if (token.group(2) != null) {
                pattern.append("%i");
            } else if (token.group().equals("%")) {
                throw refusal(text, "it may have %d{..} and %i and no other %");
            } else {
                pattern.append(token.group());
            }
        }
        return new FileNamePatternReader(pattern.toString(), periodOf(text, letters), compress);
    }

    private static String appendDate(String text, String options, StringBuilder pattern) {
        String[] option = (options == null || options.isBlank() ? DEFAULT_DATE : options).split(",");
        boolean isAuxiliary = false;
        for (int i = 1; i < option.length; i++) {
            if (!option[i].isBlank() && !option[i].trim().equalsIgnoreCase("aux")) {
                throw refusal(
                        text,
                        "names are of the zone of the process; leave \"" + option[i].trim()
                                + "\" out, and start the process with that zone in TZ");
            }
            isAuxiliary |= !option[i].isBlank();
        }
        StringBuilder letters = new StringBuilder();
        Matcher part = DATE_PART.matcher(option[0].trim());
        while (part.find()) {
            String field = FIELDS.get(part.group());
            if (field != null) {
                pattern.append(field);
                letters.append(part.group().charAt(0));
            } else if (part.group(2) != null) {
                throw refusal(text, "of dates it may have yyyy, MM, dd, DDD, HH, mm and ss, not " + part.group());
            } else {
                pattern.append(part.group(1) != null ? part.group(1) : part.group());
            }
        }
        return isAuxiliary ? "" : letters.toString();
    }

    /** Returns the period of the finest part of the date. */
    private static Duration periodOf(String text, String letters) {
        return switch (PERIODS.chars()
                .filter(letter -> letters.replace('D', 'd').indexOf(letter) >= 0)
                .findFirst()
                .orElse(0)) {
            case 's' -> Duration.ofSeconds(1);
            case 'm' -> Duration.ofMinutes(1);
            case 'H' -> Duration.ofHours(1);
            case 'd' -> Duration.ofDays(1);
            default ->
                throw refusal(
                        text,
                        letters.isEmpty()
                                ? "it needs %d, which says how often a file ends"
                                : "the engine ends files by the day or more often, not by months; add dd to the date");
        };
    }

    /** @throws IllegalArgumentException if two files of one period would have one name */
    void requireIndex() {
        if (!pattern.contains("%i")) {
            throw new IllegalArgumentException(
                    "fileNamePattern needs %i, because files end by maxFileSize, too: add it");
        }
    }

    /** @throws IllegalArgumentException if another trigger than the period decides when a file ends */
    void requireDefaultTrigger(Object trigger) {
        if (trigger != null && trigger.getClass() != DefaultTimeBasedFileNamingAndTriggeringPolicy.class) {
            throw new IllegalArgumentException(
                    "timeBasedFileNamingAndTriggeringPolicy cannot be used: use SizeAndTimeBasedRollingPolicy");
        }
    }

    private static IllegalArgumentException refusal(String pattern, String whatToDo) {
        return new IllegalArgumentException("fileNamePattern=\"" + pattern + "\" cannot be used: " + whatToDo);
    }
}
