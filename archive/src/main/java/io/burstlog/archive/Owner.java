// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashSet;
import java.util.Set;

/**
 * The one archiver of an archive: it has the kernel's lock of the file {@code owner}, and wrote its epoch there.
 *
 * <p>DESIGN. The lock is the process's, and the kernel drops it when the process closes any descriptor of the file. So
 * a process opens the file once: whoever else wants it in this process is refused before he opens it. An archiver whose
 * file was replaced, or that another one got behind all the same, finds that before it signs.
 */
final class Owner implements ArchiveWriter.Fence, AutoCloseable {

    private static final int MOST_BYTES = 200;

    /** The files that archivers of this process have open. */
    private static final Set<Object> OPEN = new HashSet<>();

    private final Path path;
    private final FileChannel file;
    private final Object identity;
    private String line;

    private Owner(Path path, FileChannel file, Object identity) {
        this.path = path;
        this.file = file;
        this.identity = identity;
    }

    /**
     * Takes the archive for one archiver.
     *
     * @throws RefusedException if another archiver has it
     * @throws IOException also if a folder without a head has another owner: that one creates the archive
     */
    static Owner take(Path folder) throws IOException {
        boolean hasHead = Files.exists(folder.resolve(Tiles.CHECKPOINT), LinkOption.NOFOLLOW_LINKS);
        try {
            return takeArchive(folder);
        } catch (RefusedException another) {
            if (hasHead) {
                throw another;
            }
            throw new IOException("there is no archive in " + folder + " yet: " + another.getMessage(), another);
        }
    }

    private static Owner takeArchive(Path folder) throws IOException {
        Path path = folder.resolve(Tiles.OWNER);
        Owner owner = open(folder, path);
        try {
            owner.lock(folder);
            return owner;
        } catch (Throwable failed) {
            owner.close();
            throw failed;
        }
    }

    private static Owner open(Path folder, Path path) throws IOException {
        synchronized (OPEN) {
            if (OPEN.contains(identityOf(path))) {
                throw new RefusedException("the archive " + folder + " has an archiver in this process, "
                        + ProcessHandle.current().pid() + ": end that one first");
            }
            FileChannel file = FileChannel.open(
                    path,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.READ,
                    StandardOpenOption.WRITE,
                    LinkOption.NOFOLLOW_LINKS);
            Object identity = identityOf(path);
            OPEN.add(identity);
            return new Owner(path, file, identity);
        }
    }

    /** {@return device and inode; the path itself if there is no such file} */
    private static Object identityOf(Path path) throws IOException {
        try {
            return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                    .fileKey();
        } catch (NoSuchFileException none) {
            return path;
        }
    }

    private void lock(Path folder) throws IOException {
        if (!isLocked()) {
            throw new RefusedException(
                    "the archive " + folder + " has an archiver, " + read() + ": end that one first");
        }
        String before = read();
        long epoch = before.matches("epoch \\d{1,18}( .*)?") ? Long.parseLong(before.split(" ")[1]) : 0;
        line = "epoch " + (epoch + 1) + " process " + ProcessHandle.current().pid();
        file.truncate(0);
        file.write(ByteBuffer.wrap((line + "\n").getBytes(UTF_8)), 0);
        file.force(true);
        check();
    }

    private boolean isLocked() throws IOException {
        try {
            return file.tryLock() != null;
        } catch (OverlappingFileLockException ofAnotherClassLoader) {
            return false;
        }
    }

    private String read() throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(MOST_BYTES);
        file.read(bytes, 0);
        return UTF_8.decode(bytes.flip()).toString().strip();
    }

    @Override
    public void check() throws IOException {
        if (!identity.equals(identityOf(path))) {
            throw new RefusedException(
                    "the file " + path + " is not the one that this archiver has locked: run one archiver");
        }
        String now = read();
        if (!now.equals(line)) {
            throw new RefusedException("another archiver has begun: " + path + " says \"" + now
                    + "\", and this one wrote \"" + line + "\"; run one of them");
        }
    }

    @Override
    public void close() throws IOException {
        synchronized (OPEN) {
            file.close();
            OPEN.remove(identity);
        }
    }
}
