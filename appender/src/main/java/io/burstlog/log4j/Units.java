// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Times and sizes for sentences, as one writes them in a configuration. */
final class Units {

    private static final String[] TIMES = {"ns", "us", "ms", "s", "min"};
    private static final TimeUnit[] TIME_UNITS = {
        TimeUnit.NANOSECONDS, TimeUnit.MICROSECONDS, TimeUnit.MILLISECONDS, TimeUnit.SECONDS, TimeUnit.MINUTES
    };
    private static final String[] SIZES = {"bytes", "KB", "MB", "GB"};

    private Units() {}

    /** In the largest unit that leaves no fraction: {@code 100 ms}. */
    static String of(final Duration time) {
        for (int i = TIMES.length - 1; i > 0; i--) {
            final Duration unit = Duration.of(1, TIME_UNITS[i].toChronoUnit());
            if (!time.isZero() && unit.multipliedBy(time.dividedBy(unit)).equals(time)) {
                return time.dividedBy(unit) + " " + TIMES[i];
            }
        }
        return time.toNanos() + " ns";
    }

    /** In the largest unit that leaves no fraction: {@code 64 MB}. */
    static String ofBytes(final long bytes) {
        int unit = 0;
        long amount = bytes;
        while (unit + 1 < SIZES.length && amount != 0 && amount % 1024 == 0) {
            amount /= 1024;
            unit++;
        }
        return amount + " " + SIZES[unit];
    }
}
