// SPDX-License-Identifier: Apache-2.0
package io.burstlog.copy;

import io.burstlog.BurstException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The place of a second copy: what a record of it is known to be in. Immutable.
 *
 * @param medium what each of them keeps it in
 * @param copies so many have each record of the copy, at least; positive
 * @param of so many there are in all, at least {@code copies}; 0 in a place that is asked for
 * @param what they are, for instance {@code brokers}; empty in a place that is asked for
 */
public record CopyPlace(Medium medium, int copies, int of, String what) {

    /** The media that keep a record, the weaker one first. */
    public enum Medium {
        /** It survives the end of a process or host, but not of all of them at once. */
        MEMORY,
        /** It survives a power cut of all of them. */
        DISK
    }

    private static final Pattern TEXT = Pattern.compile("(memory|disk) of ([1-9][0-9]{0,2})");

    /** Checks the numbers. */
    public CopyPlace {
        if (copies < 1 || (of != 0 && of < copies)) {
            throw new IllegalArgumentException(copies + " of " + of);
        }
    }

    /**
     * Reads a place that is asked for.
     *
     * @param text for instance {@code disk of 2}
     * @return the place
     * @throws BurstException with code {@link BurstException.Code#INVALID_ARGUMENT} if it is none
     */
    public static CopyPlace parse(String text) {
        Matcher place = TEXT.matcher(text);
        if (!place.matches()) {
            throw new BurstException(
                    BurstException.Code.INVALID_ARGUMENT,
                    "\"" + text + "\" is no place of a copy; write memory of 2, or disk of 2, with 1 to 999.");
        }
        return new CopyPlace(
                Medium.valueOf(place.group(1).toUpperCase(Locale.ROOT)), Integer.parseInt(place.group(2)), 0, "");
    }

    /**
     * Tells whether this place is as good as another one, or better: a disk is better than memory, whatever the
     * numbers, and on the same medium more are better than fewer.
     */
    public boolean isAtLeast(CopyPlace least) {
        return medium == least.medium ? copies >= least.copies : medium.compareTo(least.medium) > 0;
    }

    /** {@return the place as operators read it, for instance {@code disk of 2 of 3 bookies}} */
    @Override
    public String toString() {
        String all = of == 0 ? "" : " of " + of + " " + what;
        return medium.name().toLowerCase(Locale.ROOT) + " of " + copies + all;
    }
}
