// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A file system that can be stopped: writes to it hang in the kernel until it goes on. It is an ext4 on a loop device,
 * which needs root.
 */
final class FreezableFileSystem implements AutoCloseable {

    private final Path mounted;

    private FreezableFileSystem(final Path mounted) {
        this.mounted = mounted;
    }

    static FreezableFileSystem in(final Path directory) throws IOException {
        final Path disk = directory.resolve("disk");
        try (RandomAccessFile file = new RandomAccessFile(disk.toFile(), "rw")) {
            file.setLength(64L << 20);
        }
        final Path mounted = Files.createDirectory(directory.resolve("mounted"));
        Skipped.unless(
                runs("mkfs.ext4", "-q", "-F", disk.toString())
                        && runs("mount", "-o", "loop", disk.toString(), mounted.toString()),
                "no file system can be mounted here, so that none can be frozen");
        return new FreezableFileSystem(mounted);
    }

    Path path() {
        return mounted;
    }

    /** Stops it until the result is closed. */
    Frozen freeze() {
        if (!runs("fsfreeze", "-f", mounted.toString())) {
            throw new AssertionError("fsfreeze -f failed");
        }
        return new Frozen();
    }

    final class Frozen implements AutoCloseable {

        private boolean thawed;

        @Override
        public void close() {
            if (!thawed && !runs("fsfreeze", "-u", mounted.toString())) {
                throw new AssertionError("fsfreeze -u failed");
            }
            thawed = true;
        }
    }

    @Override
    public void close() {
        runs("umount", "-l", mounted.toString());
    }

    private static boolean runs(final String... command) {
        try {
            return new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (final IOException missing) {
            return false;
        } catch (final InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }
}
