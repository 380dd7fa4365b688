// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The n-th line of one thread in one run. These three determine its whole text, so a reader notices each altered
 * character. Number 0 stands for a line without a number: all such lines of a thread are equal.
 */
record LineText(int run, int thread, int number) {
    private static final Pattern EQUAL = Pattern.compile("run=(\\d+) thread=(\\d+) same");
    private static final Pattern KEY = Pattern.compile("run=(\\d+) thread=(\\d+) number=(\\d+) .*");
    private static final String FILLER = "abcdefghijklmnopqrstuvwxyz0123456789".repeat(20);

    /** The line that {@code text} claims to be; null if it cannot be one. */
    static LineText keyOf(String text) {
        Matcher equal = EQUAL.matcher(text);
        if (equal.matches()) {
            return new LineText(Integer.parseInt(equal.group(1)), Integer.parseInt(equal.group(2)), 0);
        }
        Matcher matcher = KEY.matcher(text);
        return matcher.matches()
                ? new LineText(
                        Integer.parseInt(matcher.group(1)),
                        Integer.parseInt(matcher.group(2)),
                        Integer.parseInt(matcher.group(3)))
                : null;
    }

    String text() {
        if (number == 0) {
            return "run=" + run + " thread=" + thread + " same";
        }
        int mixed = 31 * (31 * run + thread) + number;
        int start = Math.floorMod(mixed, 36);
        int length = Math.floorMod(mixed * 0x9E3779B1, FILLER.length() - 36);
        return "run=" + run + " thread=" + thread + " number=" + number + ' ' + FILLER.substring(start, start + length)
                + " end";
    }
}
