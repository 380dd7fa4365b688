// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.github.luben.zstd.ZstdOutputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;

/**
 * Compares an archive with a plain .zst file of the same records, and takes the time of verification and proofs. Made
 * records, with a head each so many; the plain file is synced as often. scripts/bench/archive and scripts/prove/archive
 * run it.
 *
 * <pre>
 * write FOLDER RECORDS EACH [MILLIS]   writes a new archive of key 1 of {@link Written}, at rest so long behind each head,
 *                                     and prints its public key
 * compare FOLDER RECORDS EACH ROUNDS
 * </pre>
 */
final class ArchiveBench {

    private static final int FILLER_BYTES = 170;
    private static final int WARM_UP_PAIRS = 2;
    private static final long WARM_UP_RECORDS = 1_000_000;

    private ArchiveBench() {}

    public static void main(String[] arguments) throws IOException {
        Path folder = Path.of(arguments[1]);
        long records = Long.parseLong(arguments[2]);
        int each = Integer.parseInt(arguments[3]);
        if (arguments[0].equals("write")) {
            archive(folder, records, each, arguments.length > 4 ? Long.parseLong(arguments[4]) : 0);
            System.out.println(Written.key(1).verifier());
            return;
        }
        int rounds = Integer.parseInt(arguments[4]);
        compare(folder, records, each, rounds);
        Path archive = folder.resolve("archive-" + (rounds - 1));
        print(
                "%,d bytes of the archive, %,d bytes of the plain file%n",
                size(archive), Files.size(folder.resolve("plain-" + (rounds - 1) + ".zst")));
        verify(archive);
        prove(archive, records);
    }

    /**
     * Both in turns, each the first in every second round. Nothing is deleted between them: ext4 gives no inode that
     * was just deleted to a new file, and the next archive would pay the search for others. The first pairs do not
     * count: the JVM compiles meanwhile, which takes as much processor time as the archive itself, and more of it than
     * of the plain file, whose one thread leaves a processor free.
     */
    private static void compare(Path folder, long records, int each, int rounds) throws IOException {
        Files.createDirectories(folder);
        long few = Math.min(records, WARM_UP_RECORDS);
        for (int pair = 0; pair < WARM_UP_PAIRS; pair++) {
            archive(folder.resolve("warm-up-" + pair), few, each, 0);
            plain(folder.resolve("warm-up-" + pair + ".zst"), few, each);
        }
        double[] ratios = new double[rounds];
        System.out.println("| round | archive, records/s | plain .zst, records/s | ratio |\n|---|---|---|---|");
        for (int round = 0; round < rounds; round++) {
            Path ownFolder = folder.resolve("archive-" + round);
            Path plainFile = folder.resolve("plain-" + round + ".zst");
            Work ownWork = () -> archive(ownFolder, records, each, 0);
            Work plainWork = () -> plain(plainFile, records, each);
            double early = rate(records, round % 2 == 0 ? plainWork : ownWork);
            double late = rate(records, round % 2 == 0 ? ownWork : plainWork);
            double own = round % 2 == 0 ? late : early;
            double plain = round % 2 == 0 ? early : late;
            ratios[round] = own / plain;
            print("| %d | %,.0f | %,.0f | %.2f |%n", round + 1, own, plain, own / plain);
        }
        Arrays.sort(ratios);
        print("median of the ratios: %.2f%n", ratios[rounds / 2]);
    }

    private static void verify(Path archive) throws IOException {
        long begin = System.nanoTime();
        Verification.Report report =
                Verification.of(archive).key(Written.key(1).verifier()).run();
        double seconds = (System.nanoTime() - begin) / 1e9;
        print(
                "verified %,d records, %,d bytes of payload in %.2f s: %.0f MB/s; intact: %b%n",
                report.records(), report.bytes(), seconds, report.bytes() / seconds / 1e6, report.isIntact());
    }

    private static void prove(Path archive, long records) throws IOException {
        long[] reads = {0, 0};
        Disk disk = new FolderDisk(archive) {
            @Override
            public byte[] read(String name, long offset, int length) throws IOException {
                byte[] bytes = super.read(name, offset, length);
                reads[0]++;
                reads[1] += bytes.length;
                return bytes;
            }
        };
        long begin = System.nanoTime();
        int proofs = 0;
        for (long index = 0; index < records; index += 1 + records / 97) {
            ArchiveReader reader = new ArchiveReader(disk, ArchiveReader.head(disk));
            reader.payload(index);
            reader.prove(index);
            proofs++;
        }
        print(
                "%.2f ms, %.1f reads and %,d bytes for one proof with its payload, on %d new readers%n",
                (System.nanoTime() - begin) / 1e6 / proofs, (double) reads[0] / proofs, reads[1] / proofs, proofs);
    }

    private static void print(String format, Object... values) {
        System.out.printf(Locale.ROOT, format, values);
    }

    private interface Work {
        void run() throws IOException;
    }

    private static double rate(long records, Work work) throws IOException {
        long begin = System.nanoTime();
        work.run();
        return records / ((System.nanoTime() - begin) / 1e9);
    }

    private static byte[] payload(long number) {
        long mixed = number * 0x9E3779B97F4A7C15L;
        StringBuilder line = new StringBuilder("2026-11-26T21:00:00.").append(100_000 + number % 899_999);
        line.append(" INFO [gateway-")
                .append(number % 7)
                .append("] order=")
                .append(number)
                .append(" client=");
        line.append(Long.toHexString(mixed))
                .append(" side=")
                .append(number % 2 == 0 ? "buy" : "sell")
                .append(" price=");
        line.append(mixed >>> 44).append(" text=");
        while (line.length() < FILLER_BYTES) {
            mixed = mixed * 6364136223846793005L + 1442695040888963407L;
            line.append("accepted ").append(mixed >>> 52).append(' ');
        }
        return line.append('\n').toString().getBytes(UTF_8);
    }

    private static void archive(Path folder, long records, int each, long restMillis) throws IOException {
        Files.createDirectories(folder);
        try (FolderDisk disk = FolderDisk.forManyFiles(folder);
                ArchiveWriter writer = ArchiveWriter.create(
                        disk, Written.key(1), KeptHead.of(KeptHead.beside(folder)), Written.NO_FENCE, Clocks::now)) {
            for (long number = 1; number <= records; number++) {
                byte[] payload = payload(number);
                writer.append(
                        Leaf.ofStream(
                                Leaf.Kind.RECORD,
                                Written.FOLDER,
                                number,
                                Written.RING,
                                number,
                                number,
                                1,
                                number,
                                payload),
                        payload);
                if (number % each == 0) {
                    writer.beginCommit();
                    LockSupport.parkNanos(restMillis * 1_000_000);
                }
            }
            writer.commit();
        }
    }

    private static void plain(Path file, long records, int each) throws IOException {
        try (FileChannel channel = FileChannel.open(
                        file,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING,
                        StandardOpenOption.WRITE);
                ZstdOutputStream zstd =
                        new ZstdOutputStream(new BufferedOutputStream(Channels.newOutputStream(channel), 1 << 16), 3);
                OutputStream out = new BufferedOutputStream(zstd, 1 << 16)) {
            for (long number = 1; number <= records; number++) {
                out.write(payload(number));
                if (number % each == 0) {
                    out.flush();
                    channel.force(false);
                }
            }
        }
    }

    private static long size(Path folder) throws IOException {
        try (var files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile)
                    .mapToLong(each -> each.toFile().length())
                    .sum();
        }
    }
}
