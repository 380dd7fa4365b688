// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.Objects;

/**
 * Identifies a file under any name. A file that ended is not written any more; so length and time tell it from a later
 * file with the same inode.
 *
 * @param key device and inode
 * @param bytes its length
 * @param modified when it was last written
 */
record FileIdentity(Object key, long bytes, FileTime modified) {

    static FileIdentity of(final Path file) throws IOException {
        return of(Files.readAttributes(file, BasicFileAttributes.class));
    }

    private static FileIdentity of(final BasicFileAttributes attributes) {
        return new FileIdentity(attributes.fileKey(), attributes.size(), attributes.lastModifiedTime());
    }

    boolean isOf(final Path file) {
        try {
            return Objects.equals(of(file), this);
        } catch (final IOException notThere) {
            return false;
        }
    }

    /** Finds the file's present name in the folder of the likely one. Null if the folder does not have it. */
    Path find(final Path likely) {
        if (isOf(likely)) {
            return likely;
        }
        try (DirectoryStream<Path> siblings =
                Files.newDirectoryStream(likely.toAbsolutePath().getParent())) {
            for (final Path sibling : siblings) {
                // A symbolic link to the file is not the file.
                if (!Files.isSymbolicLink(sibling) && isOf(sibling)) {
                    return sibling;
                }
            }
        } catch (final IOException notReadable) {
            return null;
        }
        return null;
    }
}
