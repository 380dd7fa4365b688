// SPDX-License-Identifier: Apache-2.0
package io.burstlog.doors;

import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Times and sizes as one writes them in a configuration. */
public final class Units {

    private static final Pattern TIME = Pattern.compile("(\\d{1,12})\\s*(us|ms|s|min|h|d|)", Pattern.CASE_INSENSITIVE);
    private static final Pattern SIZE =
            Pattern.compile("(\\d{1,18}(?:\\.\\d{1,18})?)\\s*([KMGT]?)B?", Pattern.CASE_INSENSITIVE);
    private static final String[] SIZES = {"bytes", "KB", "MB", "GB"};

    private Units() {}

    /** Reads a size, in which 1 KB is 1024 bytes. Returns -1 if the text is no size. */
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

    /** Reads a time; a number without a unit counts milliseconds. Returns null if the text is no time. */
    static Duration timeOf(String text) {
        Matcher matcher = TIME.matcher(text);
        if (!matcher.matches()) {
            return null;
        }
        ChronoUnit unit = unit(matcher.group(2).toLowerCase(Locale.ROOT));
        try {
            return Duration.of(Long.parseLong(matcher.group(1)), unit);
        } catch (ArithmeticException | DateTimeException tooLong) {
            return null;
        }
    }

    private static ChronoUnit unit(String name) {
        return switch (name) {
            case "us" -> ChronoUnit.MICROS;
            case "s" -> ChronoUnit.SECONDS;
            case "min" -> ChronoUnit.MINUTES;
            case "h" -> ChronoUnit.HOURS;
            case "d" -> ChronoUnit.DAYS;
            default -> ChronoUnit.MILLIS;
        };
    }

    /** {@return a time in the largest unit up to minutes that leaves no fraction: {@code 100 ms}} */
    public static String of(Duration time) {
        for (String name : new String[] {"min", "s", "ms", "us"}) {
            Duration one = unit(name).getDuration();
            if (!time.isZero() && one.multipliedBy(time.dividedBy(one)).equals(time)) {
                return time.dividedBy(one) + " " + name;
            }
        }
        return time.toNanos() + " ns";
    }

    /** {@return a size in the largest unit that leaves no fraction: {@code 64 MB}} */
    public static String ofBytes(long bytes) {
        int unit = 0;
        long amount = bytes;
        while (unit + 1 < SIZES.length && amount != 0 && amount % 1024 == 0) {
            amount /= 1024;
            unit++;
        }
        return amount + " " + SIZES[unit];
    }
}
