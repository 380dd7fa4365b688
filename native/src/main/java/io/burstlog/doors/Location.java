// SPDX-License-Identifier: Apache-2.0
package io.burstlog.doors;

import java.io.File;
import java.io.IOException;
import java.nio.file.InvalidPathException;

/**
 * The canonical names of a ring and a log file, so that no link gives one file two names. A name is null if a
 * configuration names no such file.
 *
 * @param ring the block device or file that holds the ring
 * @param file the log file
 */
public record Location(String ring, String file) {

    /** {@return the canonical names of these paths} */
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
            // The engine takes any name, and opens the file or says why it cannot.
            return file.getPath();
        }
    }

    /**
     * Throws if the locale lacks a character of the path, as LC_ALL=C lacks most. A canonical path has "?" for each of
     * these, so two files would get one name.
     */
    private static File requireCharactersOf(File file) {
        return file.toPath().toFile();
    }
}
