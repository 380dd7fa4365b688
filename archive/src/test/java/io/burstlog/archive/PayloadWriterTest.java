// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Long payloads: each is archived, and no frame has more than it should. */
@Tag("newest-jdk") // No JDK can matter: it computes, on a disk in memory.
class PayloadWriterTest {

    private static final int SHARED = PayloadWriter.SHARED_BYTES;

    private static List<byte[]> payloads(int... lengths) {
        return IntStream.range(0, lengths.length)
                .mapToObj(each -> {
                    byte[] payload = new byte[lengths[each]];
                    Arrays.fill(payload, (byte) ('a' + each));
                    return payload;
                })
                .toList();
    }

    private static ArchiveReader reader(Disk disk) throws IOException {
        return new ArchiveReader(disk, ArchiveReader.head(disk));
    }

    private static List<Long> records(ArchiveReader reader) throws IOException {
        List<Long> records = new ArrayList<>();
        for (long index = 0; index < reader.size(); index++) {
            Leaf leaf = reader.leaf(index);
            if (leaf.kind() == Leaf.Kind.RECORD) {
                records.add(index);
            } else {
                assertThat(leaf.kind()).isEqualTo(index == 0 ? Leaf.Kind.KEY : Leaf.Kind.PADDING);
            }
        }
        return records;
    }

    @Test
    void payloadsShareAFrameAndALongerOneHasOneOfItsOwn() throws IOException {
        List<byte[]> payloads = payloads(SHARED / 2, SHARED / 2, 1, 0, SHARED - 1, 1, SHARED + 1, 0, 5);
        MemoryDisk disk = Written.archive(payloads);
        ArchiveReader reader = reader(disk);
        List<Long> records = records(reader);
        assertThat(records).containsExactly(1L, 2L, 256L, 257L, 258L, 512L, 768L, 769L, 1024L);
        assertThat(SeekTable.walk(disk, Tiles.payload(0), 9, each -> PayloadWriter.MOST_BUNDLE_BYTES))
                .extracting(SeekTable.Frame::content)
                .containsExactly((long) SHARED, (long) SHARED, 1L, SHARED + 1L);
        VerifierKey key = Written.key(1).verifier();
        for (int i = 0; i < payloads.size(); i++) {
            long index = records.get(i);
            assertThat(reader.payload(index)).isEqualTo(payloads.get(i));
            assertThat(reader.prove(index).check(key, payloads.get(i))).isNull();
            assertThat(reader.find(reader.leaf(index).sequence())).isEqualTo(index);
        }
        Verification.Report report = Written.verify(disk);
        assertThat(report.findings()).isEmpty();
        assertThat(report.records()).isEqualTo(payloads.size());
    }

    /** As archives have them whose archiver filled no bundle: one frame has all of them. */
    @Test
    void aFrameThatIsLongerThanOneShouldBeIsGoneOnWith() throws IOException {
        MemoryDisk disk = Written.archive(payloads(SHARED + 1));
        try (ArchiveWriter writer = Written.open(disk)) {
            writer.act(Leaf.Kind.CLOCK, "source: none\n");
            Written.append(writer, 3, 3);
        }
        assertThat(reader(disk).leaf(2).kind()).isEqualTo(Leaf.Kind.CLOCK);
        assertThat(reader(disk).payload(Tiles.WIDTH)).isEqualTo(Written.payload(2));
        assertThat(Written.verify(disk).findings()).isEmpty();
    }

    @Test
    void aLongPayloadMayBeErased() throws IOException {
        MemoryDisk disk = Written.archive(payloads(SHARED + 1, SHARED + 1));
        try (ArchiveWriter writer = Written.open(disk)) {
            Erasure.erase(disk, writer, "file 12 of the court", List.of(1L));
        }
        Verification.Report report = Written.verify(disk);
        assertThat(report.findings()).isEmpty();
        assertThat(report.erased()).isEqualTo(1);
    }
}
