// SPDX-License-Identifier: Apache-2.0
package io.burstlog.migrate;

import java.util.Locale;
import java.util.regex.Pattern;

/** A guess at who reads the file of an appender, by its name and its layout. */
final class Readers {

    /** Names of files in which somebody looks for each single event. */
    private static final Pattern RECORDS =
            Pattern.compile("audit|auth|access|security|order|trade|payment|billing|transaction|journal|ledger");

    private Readers() {}

    static boolean arePeople(final Part appender) {
        final String names = appender.attribute("name")
                + ' '
                + appender.attribute("fileName")
                + ' '
                + appender.attribute("filePattern");
        return !RECORDS.matcher(names.toLowerCase(Locale.ROOT)).find() && isText(appender);
    }

    /** Whether the appender has no layout that is made for programs. */
    private static boolean isText(final Part part) {
        for (final Part below : part.parts()) {
            if (below.isElement() && !(isTextLayout(below) && isText(below))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isTextLayout(final Part part) {
        final String type = part.attribute("type") != null ? part.attribute("type") : String.valueOf(part.name());
        final String known = type.toLowerCase(Locale.ROOT);
        if (!known.endsWith("layout") || known.equals("layout")) {
            return true;
        }
        final String pattern = part.attribute("pattern");
        return known.equals("htmllayout")
                || known.equals("patternlayout") && (pattern == null || !pattern.startsWith("{"));
    }
}
