// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bridge;

import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sizes and times as one writes them in a configuration. */
final class Units {

    private static final Pattern TIME = Pattern.compile("(\\d{1,12})\\s*(us|ms|s|min|h|d|)", Pattern.CASE_INSENSITIVE);
    private static final Pattern SIZE =
            Pattern.compile("(\\d{1,12}(?:\\.\\d{1,6})?)\\s*([KMGT]?)B?", Pattern.CASE_INSENSITIVE);

    private Units() {}

    /** 1 KB is 1024 bytes. Returns -1 for what is no size. */
    static long bytesOf(String text) {
        Matcher matcher = SIZE.matcher(text);
        if (!matcher.matches()) {
            return -1;
        }
        int power = matcher.group(2).isEmpty()
                ? 0
                : 1 + "KMGT".indexOf(matcher.group(2).toUpperCase(Locale.ROOT));
        BigDecimal bytes = new BigDecimal(matcher.group(1)).multiply(BigDecimal.valueOf(1L << 10 * power));
        return bytes.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0 ? -1 : bytes.longValue();
    }

    /** Without a unit milliseconds. Returns null for what is no time. */
    static Duration timeOf(String text) {
        Matcher matcher = TIME.matcher(text);
        if (!matcher.matches()) {
            return null;
        }
        ChronoUnit unit = switch (matcher.group(2).toLowerCase(Locale.ROOT)) {
            case "us" -> ChronoUnit.MICROS;
            case "s" -> ChronoUnit.SECONDS;
            case "min" -> ChronoUnit.MINUTES;
            case "h" -> ChronoUnit.HOURS;
            case "d" -> ChronoUnit.DAYS;
            default -> ChronoUnit.MILLIS;
        };
        try {
            return Duration.of(Long.parseLong(matcher.group(1)), unit);
        } catch (ArithmeticException | DateTimeException tooLong) {
            return null;
        }
    }
}
