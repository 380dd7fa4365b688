// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import java.io.File;
import java.io.IOException;
import java.nio.file.InvalidPathException;

/**
 * The one name of a ring and of a log file, whatever links lead there; null where an element names none.
 *
 * @param ring the block device or file that holds the ring
 * @param file the log file
 */
record Place(String ring, String file) {

    static Place of(final String ring, final String file) {
        return new Place(canonical(ring), canonical(file));
    }

    private static String canonical(final String path) {
        if (path == null) {
            return null;
        }
        final File file = new File(path).getAbsoluteFile();
        try {
            return requireCharactersOf(requireCharactersOf(file).getCanonicalFile())
                    .getPath();
        } catch (final IOException | InvalidPathException unreadable) {
            // The engine, which takes any name, opens it or says why not.
            return file.getPath();
        }
    }

    /**
     * Where the locale lacks a character, as LC_ALL=C most of them, a canonical path has "?" for it, whichever it is.
     */
    private static File requireCharactersOf(final File file) {
        return file.toPath().toFile();
    }
}
