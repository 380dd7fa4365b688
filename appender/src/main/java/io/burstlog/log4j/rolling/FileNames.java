// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.logging.log4j.core.appender.rolling.FileExtension;

/** Names of files that ended, and whether they are taken. */
final class FileNames {

    /** The suffixes of all versions of Log4j, and of programs that compress by themselves. */
    private static final List<String> SUFFIXES = List.of(".gz", ".zip", ".bz2", ".xz", ".zst", ".deflate", ".pack200");

    private FileNames() {}

    /** The suffix for which this version of Log4j compresses; empty if it does not. */
    static String compressedSuffix(final String name) {
        return FileExtension.lookupForFile(name) == null ? "" : name.substring(name.lastIndexOf('.'));
    }

    static String withoutSuffix(final String name) {
        return name.substring(0, name.length() - compressedSuffix(name).length());
    }

    static String absolute(final String name) {
        return new File(name).getAbsolutePath();
    }

    /** Whether a file with content has the name, or its compressed twin is there. An empty file is in nobody's way. */
    static boolean isTaken(final Path plain) {
        if (sizeOf(plain) > 0) {
            return true;
        }
        return SUFFIXES.stream().anyMatch(suffix -> Files.exists(plain.resolveSibling(plain.getFileName() + suffix)));
    }

    private static long sizeOf(final Path file) {
        try {
            return Files.size(file);
        } catch (final IOException notThere) {
            return 0;
        }
    }

    /** Returns the name, or the first free one with a number behind it if the name is taken. */
    static String free(final String plain) {
        String name = plain;
        for (int i = 1; isTaken(Path.of(name)); i++) {
            name = plain + "." + i;
        }
        return name;
    }
}
