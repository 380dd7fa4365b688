// SPDX-License-Identifier: Apache-2.0
package io.burstlog.doors;

import java.io.File;
import java.io.IOException;
import java.nio.file.InvalidPathException;

/**
 * The one name of a ring and of a log file, whatever links lead there; null where a configuration names none.
 *
 * @param ring the block device or file that holds the ring
 * @param file the log file
 */
public record Location(String ring, String file) {

    /** {@return the one names of these paths} */
    public static Location of(String ring, String file) {
        return new Location(canonical(ring), canonical(file));
    }

    private static String canonical(String path) {
        if (path == null) {
            return null;
        }
        File file = new File(path).getAbsoluteFile();
        try {
            return requireCharactersOf(requireCharactersOf(file).getCanonicalFile())
                    .getPath();
        } catch (IOException | InvalidPathException unreadable) {
            // The engine, which takes any name, opens it or says why not.
            return file.getPath();
        }
    }

    /**
     * Where the locale lacks a character, as LC_ALL=C most of them, a canonical path has "?" for it, whichever it is.
     */
    private static File requireCharactersOf(File file) {
        return file.toPath().toFile();
    }
}
