// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The one archiver of an archive: it has the kernel's lock of the file {@code owner}, and wrote its epoch there. An
 * archiver whose file was replaced finds another epoch before it signs.
 */
final class Owner implements ArchiveWriter.Fence, AutoCloseable {

    private static final int MOST_BYTES = 200;

    private final Path path;
    private final FileChannel file;
    private final String line;

    private Owner(Path path, FileChannel file, String line) {
        this.path = path;
        this.file = file;
        this.line = line;
    }

    /** @throws RefusedException if another archiver has it */
    static Owner take(Path folder) throws IOException {
        Files.createDirectories(folder);
        Path path = folder.resolve(Tiles.OWNER);
        FileChannel file =
                FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        try {
            if (!isLocked(file)) {
                throw new RefusedException(
                        "the archive " + folder + " has an archiver, " + read(path) + ": end that one first");
            }
            String before = read(path);
            long epoch = before.matches("epoch \\d{1,18}( .*)?") ? Long.parseLong(before.split(" ")[1]) : 0;
            String line = "epoch " + (epoch + 1) + " process "
                    + ProcessHandle.current().pid() + "\n";
            file.truncate(0);
            file.write(ByteBuffer.wrap(line.getBytes(UTF_8)), 0);
            file.force(true);
            return new Owner(path, file, line.strip());
        } catch (Throwable failed) {
            file.close();
            throw failed;
        }
    }

    private static boolean isLocked(FileChannel file) throws IOException {
        try {
            FileLock lock = file.tryLock();
            return lock != null;
        } catch (OverlappingFileLockException inThisProcess) {
            return false;
        }
    }

    private static String read(Path path) throws IOException {
        try {
            String text = Files.readString(path, UTF_8);
            return text.substring(0, Math.min(MOST_BYTES, text.length())).strip();
        } catch (NoSuchFileException gone) {
            return "";
        }
    }

    @Override
    public void check() throws IOException {
        String now = read(path);
        if (!now.equals(line)) {
            throw new RefusedException("another archiver has begun: " + path + " says \"" + now
                    + "\", and this one wrote \"" + line + "\"; run one of them");
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
