// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * An archive of made records whose heads are confirmed, one after the other, by a witness, an authority of
 * {@code openssl ts} and a file. scripts/prove/archive runs it against a real witness.
 *
 * <pre>
 * FOLDER ROUNDS URL KEY FIRST   archives below FOLDER, from record FIRST on, so many heads; URL and KEY are the witness's
 * </pre>
 */
final class AnchorRounds {

    private static final long LONG_ENOUGH_NANOS = 20_000_000_000L;
    private static final int RECORDS_A_ROUND = 300;

    private AnchorRounds() {}

    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[0]);
        int rounds = Integer.parseInt(arguments[1]);
        Path own = folder.resolve("authority");
        boolean isNew = !Files.exists(own);
        Authority authority = isNew ? new Authority(own, 30) : new Authority(own);
        Files.createDirectories(folder.resolve("archive"));
        try (Place place = new Place();
                FolderDisk disk = new FolderDisk(folder.resolve("archive"));
                FolderDisk ofAnchors = new FolderDisk(folder.resolve("archive"));
                ArchiveWriter writer = open(disk, KeptHead.of(KeptHead.beside(folder.resolve("archive"))))) {
            place.behaviour = (request, reply) -> reply.send(200, authority.reply(request));
            List<Anchor> all = List.of(
                    new WitnessAnchor("w1", arguments[2], arguments[3]),
                    new TimeStampAnchor("stamps", place.url(), authority.certificates()),
                    new FileAnchor("elsewhere", folder.resolve("heads")));
            Sealing sealing = new Sealing(all.stream().map(Anchor::name).toList(), 1, 60);
            try (Anchors anchors = new Anchors(ofAnchors, all, sealing, event -> System.err.println(event.text()))) {
                new Statements(Written.CLOCKS, sealing, Written.ALL_KEPT).promise(writer, disk);
                long number = Long.parseLong(arguments[4]);
                for (int round = 0; round < rounds; round++) {
                    for (int i = 0; i < RECORDS_A_ROUND; i++, number++) {
                        writer.append(Written.leaf(number, Clocks.now()), Written.payload(number));
                    }
                    anchors.tell(writer.commit());
                    for (Anchor each : all) {
                        await(disk, each.name(), writer.head().size());
                    }
                }
            }
        }
        System.out.println(Written.key(1).verifier());
    }

    private static ArchiveWriter open(Disk disk, KeptHead kept) throws IOException {
        return kept.read() == null
                ? ArchiveWriter.create(disk, Written.key(1), kept, Written.NO_FENCE, Clocks::now)
                : ArchiveWriter.open(disk, Written.key(1), kept, Written.NO_FENCE, Clocks::now);
    }

    private static void await(Disk disk, String anchor, long size) throws IOException, InterruptedException {
        long end = System.nanoTime() + LONG_ENOUGH_NANOS;
        while (Anchors.newestKept(disk, anchor) < size) {
            if (System.nanoTime() > end) {
                throw new IOException("the anchor " + anchor + " has not confirmed the head of " + size + " leaves");
            }
            Thread.sleep(5);
        }
    }
}
