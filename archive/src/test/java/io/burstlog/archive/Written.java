// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/** Records with numbers from 1 on, and archives of them. */
final class Written {

    static final byte[] FOLDER = HexFormat.of().parseHex("00112233445566778899aabbccddeeff");
    static final byte[] RING = HexFormat.of().parseHex("ffeeddccbbaa99887766554433221100");
    static final ArchiveWriter.Fence NO_FENCE = () -> {};

    private static final Map<Integer, SigningKey> KEYS = new ConcurrentHashMap<>();

    /** Clocks of which nothing is said, so that leaves have the indexes that a test counts. */
    static final Clocks CLOCKS = new Clocks(Clocks::now, System::nanoTime, () -> null);

    static final Retention ALL_KEPT = new Retention(null, 0, CLOCKS, "orders", event -> {});

    private Written() {}

    /** {@return one of a few keys; to derive its public key takes the JDK milliseconds} */
    static SigningKey key(int number) {
        return KEYS.computeIfAbsent(number, Written::make);
    }

    private static SigningKey make(int number) {
        byte[] seed = new byte[NoteKeys.KEY_BYTES];
        seed[0] = (byte) number;
        try {
            return SigningKey.ofSeed("example.com/orders", seed);
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    static byte[] payload(long number) {
        String filler = "x".repeat((int) (number * 7 % 5) * 11);
        return ("2026-11-26 21:00:00,%06d INFO order %08d buy %d ACME %s%n"
                        .formatted(number, number, number % 900, filler))
                .getBytes(UTF_8);
    }

    static Leaf leaf(long number, long takenNanos) {
        return leaf(number, takenNanos, payload(number));
    }

    static Leaf leaf(long number, long takenNanos, byte[] payload) {
        return Leaf.ofStream(
                Leaf.Kind.RECORD, FOLDER, number, RING, 10 + 2 * number, 1_000_000 * number, 1, takenNanos, payload);
    }

    /** Opens the archive of this disk; makes it if the key has signed none. */
    static ArchiveWriter open(MemoryDisk disk) throws IOException {
        return open(disk, key(1), NO_FENCE);
    }

    static ArchiveWriter open(MemoryDisk disk, SigningKey key, ArchiveWriter.Fence fence) throws IOException {
        return open(disk, key, fence, () -> 1_000L);
    }

    static ArchiveWriter open(MemoryDisk disk, SigningKey key, ArchiveWriter.Fence fence, LongSupplier clock)
            throws IOException {
        return disk.kept().read() == null
                ? ArchiveWriter.create(disk, key, disk.kept(), fence, clock)
                : ArchiveWriter.open(disk, key, disk.kept(), fence, clock);
    }

    /** Appends the records behind those that are there, up to this number, and commits behind each so many. */
    static void append(ArchiveWriter writer, long last, int each) throws IOException {
        long next = writer.lastOfStream() == null ? 1 : writer.lastOfStream().number() + 1;
        for (long number = next; number <= last; number++) {
            writer.append(leaf(number, System.nanoTime()), payload(number));
            if (number % each == 0) {
                writer.commit();
            }
        }
        writer.commit();
    }

    static MemoryDisk archive(long records, int each) throws IOException {
        MemoryDisk disk = new MemoryDisk();
        try (ArchiveWriter writer = open(disk)) {
            append(writer, records, each);
        }
        return disk;
    }

    /** An archive with these payloads, from leaf 1 on. */
    static MemoryDisk archive(List<byte[]> payloads) throws IOException {
        MemoryDisk disk = new MemoryDisk();
        try (ArchiveWriter writer = open(disk)) {
            for (int i = 0; i < payloads.size(); i++) {
                writer.append(leaf(i + 1L, System.nanoTime(), payloads.get(i)), payloads.get(i));
            }
            writer.commit();
        }
        return disk;
    }

    static Verification.Report verify(Disk disk) throws IOException {
        return Verification.of(disk).key(key(1).verifier()).threads(1).run();
    }
}
