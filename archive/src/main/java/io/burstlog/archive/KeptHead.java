// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * The newest head that a key has signed, in a file outside of the archive. It is durable there before anybody can see
 * it elsewhere. So whoever has the file knows of an archive whether it is older than its key.
 */
final class KeptHead {

    private static final int MOST_BYTES = 1 << 16;

    private final Disk disk;
    private final String name;

    KeptHead(Disk disk, String name) {
        this.disk = disk;
        this.name = name;
    }

    static KeptHead of(Path file) {
        Path path = file.toAbsolutePath();
        return new KeptHead(new FolderDisk(path.getParent()), path.getFileName().toString());
    }

    /** {@return the file of this key's newest head, if nobody has chosen another one} */
    static Path beside(Path key) {
        return key.resolveSibling(key.getFileName() + ".head");
    }

    /**
     * Returns the head.
     *
     * @return null if there is no such file
     * @throws RefusedException if the file has no head
     */
    Checkpoint read() throws IOException {
        try {
            return Checkpoint.of(new String(disk.read(name, MOST_BYTES), UTF_8));
        } catch (NoSuchFileException none) {
            return null;
        } catch (IllegalArgumentException damaged) {
            throw new RefusedException("the file " + this + ", which has the newest head that the key has signed, has"
                    + " none: bring it back, or put the newest head there that an auditor or an anchor has");
        }
    }

    /** Keeps the head, durable on return. */
    void write(Checkpoint head) throws IOException {
        disk.replace(name, head.toString().getBytes(UTF_8));
    }

    @Override
    public String toString() {
        return disk + "/" + name;
    }
}
