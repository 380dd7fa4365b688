// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import java.math.BigDecimal;
import java.time.Duration;

/** Checks the values of a configuration before the engine sees them. */
final class ConfigChecks {

    private ConfigChecks() {}

    static void requireText(String value, String name, String meaning) {
        if (value == null || value.isBlank()) {
            throw invalid(name + " is missing; set it to " + meaning + ".");
        }
    }

    static void requireNull(Object value, String sentence) {
        if (value != null) {
            throw invalid(sentence);
        }
    }

    static void requireUsable(String name, Object value) {
        // A C string ends at the first NUL, so the engine would use another name than the one given.
        if (value instanceof String text && text.indexOf('\0') >= 0) {
            throw invalid(name + " contains a NUL character; remove it.");
        }
        if (value instanceof Long bytes && bytes < 0) {
            throw invalid(name + " is " + bytes + "; set it to a number of bytes, or to 0 for the default.");
        }
        if (value instanceof Duration duration && duration.isNegative()) {
            throw invalid(name + " is " + inSeconds(duration)
                    + " s; a duration cannot be negative, and zero stands for the default.");
        }
    }

    private static String inSeconds(Duration duration) {
        return BigDecimal.valueOf(duration.getSeconds())
                .add(BigDecimal.valueOf(duration.getNano(), 9))
                .stripTrailingZeros()
                .toPlainString();
    }

    private static BurstException invalid(String sentence) {
        return new BurstException(BurstException.Code.INVALID_ARGUMENT, sentence);
    }
}
