// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

/** Erases payloads of an archive, as a law may demand. */
public final class Erasure {

    private static final int MOST_REASON_CHARS = 10_000;

    private Erasure() {}

    /**
     * Erases the payloads of leaves, while no archiver runs. Each becomes spaces of the same length; a line end at its
     * end stays. The leaf keeps the SHA-256, so all proofs hold. A leaf of the archive says for each of them which it
     * was, when, and why: under a signed head before anything is erased. All of it is durable on return. If it is
     * interrupted, the next start of an archiver finishes it, and so does the next call. Thread-safe.
     *
     * @param archive the folder of the archive
     * @param key the file of its private key
     * @param head where the newest head is kept that the key has signed; null for the key's file with {@code .head}
     *     behind
     * @param reason why, in one line of at most 10,000 characters; it stays in the archive, so no personal data belongs
     *     there
     * @param leaves indexes of records, from 0
     * @return the leaves that this call erased; those that had nothing but spaces before are left out
     * @throws IOException if something cannot be read or written, or a leaf has no payload: then nothing is erased; as
     *     a {@link RefusedException} if an archiver runs, or archive, head and key do not fit together
     * @throws IllegalArgumentException if the reason is empty, too long, or more than one line
     */
    public static List<Long> erase(Path archive, Path key, Path head, String reason, Collection<Long> leaves)
            throws IOException {
        if (reason.isBlank()
                || reason.length() > MOST_REASON_CHARS
                || reason.lines().count() != 1) {
            throw new IllegalArgumentException("The reason of an erasure has " + reason.length()
                    + " characters in " + reason.lines().count() + " lines: write one line of 1 to "
                    + MOST_REASON_CHARS + ".");
        }
        SigningKey signing = SigningKey.read(key);
        Archiver.requireArchive(archive);
        try (Owner owner = Owner.take(archive);
                FolderDisk disk = new FolderDisk(archive);
                ArchiveWriter writer =
                        ArchiveWriter.open(disk, signing, KeptHead.of(Archiver.head(key, head)), owner, Clocks::now)) {
            return erase(disk, writer, reason.strip(), leaves);
        }
    }

    /** Nothing may be appended by this writer afterwards: it may have what was erased in its memory. */
    static List<Long> erase(Disk disk, ArchiveWriter writer, String reason, Collection<Long> leaves)
            throws IOException {
        ArchiveReader reader = new ArchiveReader(disk, writer.head());
        List<Long> erased = new ArrayList<>();
        for (long each : new TreeSet<>(leaves)) {
            byte[] payload = reader.payload(each);
            if (payload.length == 0) {
                throw new IOException("leaf " + each + " of " + disk + " has no payload, it is "
                        + reader.leaf(each).kind() + ": name records; nothing was erased");
            }
            if (!FileCheck.isFilled(payload, 0, payload.length)) {
                erased.add(each);
            }
        }
        for (long each : erased) {
            writer.act(Leaf.Kind.ERASED, "leaf: " + each + "\nreason: " + reason + "\n");
        }
        Removal.finish(disk, writer.commit());
        return erased;
    }
}
