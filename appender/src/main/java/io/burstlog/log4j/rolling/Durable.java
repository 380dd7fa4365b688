// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;

/** Steps that survive a power cut. */
final class Durable {

    private Durable() {}

    /** Makes the names in a folder durable, or the content of a file. */
    static void sync(final Path fileOrFolder) throws IOException {
        try (FileChannel channel = FileChannel.open(fileOrFolder, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /**
     * Gives a whole file its name, which is durable once its folder is synced. A call that did its work and still
     * reports an error, as over a network, counts as done.
     *
     * @throws FileAlreadyExistsException if the name is taken; that file stays as it is
     */
    static void link(final Path temporary, final Path name) throws IOException {
        final Object key = keyOf(temporary);
        try {
            Files.createLink(name, temporary);
        } catch (final IOException | UnsupportedOperationException failure) {
            if (isOf(key, name)) {
                return;
            }
            if (failure instanceof FileAlreadyExistsException taken) {
                throw taken;
            }
            move(temporary, name, key);
        }
    }

    /** Renames, on a file system without links. */
    private static void move(final Path temporary, final Path name, final Object key) throws IOException {
        if (Files.exists(name, LinkOption.NOFOLLOW_LINKS)) {
            throw new FileAlreadyExistsException(name.toString());
        }
        try {
            Files.move(temporary, name, StandardCopyOption.ATOMIC_MOVE);
        } catch (final IOException failure) {
            if (!isOf(key, name)) {
                throw failure;
            }
        }
    }

    private static Object keyOf(final Path file) throws IOException {
        return Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .fileKey();
    }

    private static boolean isOf(final Object key, final Path name) {
        try {
            return key != null && key.equals(keyOf(name));
        } catch (final IOException notThere) {
            return false;
        }
    }
}
