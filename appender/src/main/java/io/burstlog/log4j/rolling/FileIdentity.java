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
 * Which file it is, whatever its name. A file that ended is not written any more, so that length and time tell it from
 * one that got the same inode after it was deleted.
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

    /** Its present name in the folder of this one. Null if it is not there. */
    Path find(final Path likely) {
        if (isOf(likely)) {
            return likely;
        }
        try (DirectoryStream<Path> siblings =
                Files.newDirectoryStream(likely.toAbsolutePath().getParent())) {
            for (final Path sibling : siblings) {
                // A link to it is not the file.
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
