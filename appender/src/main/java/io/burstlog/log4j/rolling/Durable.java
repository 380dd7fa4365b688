// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

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
     * Gives a whole file its name, which is durable when its folder is synced.
     *
     * @throws FileAlreadyExistsException if the name is taken; that file stays as it is
     */
    static void link(final Path temporary, final Path name) throws IOException {
        try {
            Files.createLink(name, temporary);
        } catch (final FileAlreadyExistsException taken) {
            throw taken;
        } catch (final IOException | UnsupportedOperationException noLinksThere) {
            if (Files.exists(name)) {
                throw new FileAlreadyExistsException(name.toString());
            }
            Files.move(temporary, name, StandardCopyOption.ATOMIC_MOVE);
        }
    }
}
