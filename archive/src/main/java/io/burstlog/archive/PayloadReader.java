// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;
import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;
import java.util.List;

/**
 * Reads the payloads of bundles. The leaves say how many bytes a bundle has: of a frame that says more, or of a file
 * that is longer than they can be, nothing is unpacked.
 */
final class PayloadReader {

    /** A frame may say so many bytes more than its leaves, so that what was added can be named. */
    private static final int SLACK = 1 << 20;

    /** The window of a frame of level 3 has 21 bits. */
    private static final int MOST_WINDOW_BITS = 23;

    /** The beginning of a content may need a whole block more, and the head of the frame. */
    private static final int BLOCK = 1 << 18;

    private final Disk disk;
    private final long size;

    PayloadReader(Disk disk, long size) {
        this.disk = disk;
        this.size = size;
    }

    /**
     * The payloads of a bundle.
     *
     * @param name of the file that has them
     * @param content the bytes; null if they are damaged
     */
    record Found(String name, byte[] content) {}

    /** {@return the payloads of a frame; null if it is damaged, or has more bytes than leaves of so many bytes} */
    static byte[] content(Disk disk, String name, SeekTable.Frame frame, long leaves) throws IOException {
        if (frame.length() < 0 || frame.length() > mostCompressed(leaves)) {
            return null;
        }
        byte[] bytes = disk.read(name, frame.offset(), frame.length());
        long content = SeekTable.contentOf(bytes);
        if (content < 0 || content > leaves + SLACK) {
            return null;
        }
        try {
            byte[] decompressed = Zstd.decompress(bytes, (int) content);
            return decompressed.length == content ? decompressed : null;
        } catch (ZstdException damaged) {
            return null;
        }
    }

    /** {@return the most bytes that a frame has whose leaves have so many, or a few more} */
    static int mostCompressed(long leaves) {
        return (int) Zstd.compressBound(Math.min(leaves + SLACK, PayloadWriter.MOST_BUNDLE_BYTES));
    }

    /**
     * Returns the payloads of a bundle, in its place for the head of this reader. An archiver may have replaced the
     * frame of the last, partial bundle by a longer one, which has the same bytes first. So it is missing only if the
     * newest head has not changed since it was looked for.
     *
     * @param leaves the bytes of its payloads
     * @return null if it is missing
     */
    Found bundle(long bundle, long leaves) throws IOException {
        long file = bundle / Tiles.WIDTH;
        int number = (int) (bundle % Tiles.WIDTH);
        int ofFile = (int) Math.min(Tiles.PAYLOAD_LEAVES, size - file * Tiles.PAYLOAD_LEAVES);
        return number < ofFile / Tiles.WIDTH ? full(file, number, ofFile, leaves) : edge(file, ofFile, leaves);
    }

    private Found full(long file, int number, int ofFile, long leaves) throws IOException {
        String name = Tiles.payload(file);
        if (disk.length(name) < 0) {
            return null;
        }
        List<SeekTable.Frame> frames = ofFile == Tiles.PAYLOAD_LEAVES ? SeekTable.read(disk, name, Tiles.WIDTH) : null;
        if (frames == null) {
            frames = SeekTable.walk(disk, name, number + 1, each -> PayloadWriter.MOST_BUNDLE_BYTES);
        }
        return number < frames.size() ? new Found(name, content(disk, name, frames.get(number), leaves)) : null;
    }

    /** {@return the payloads of the last, partial bundle of a file that has so many leaves under the head} */
    Found edge(long file, int ofFile, long leaves) throws IOException {
        for (long tried = size; ; ) {
            Found found = edgeNow(file, ofFile, leaves);
            long newest = found == null || found.content() == null ? newestSize() : tried;
            if (newest == tried) {
                return found;
            }
            tried = newest;
        }
    }

    private long newestSize() {
        try {
            return ArchiveReader.head(disk).size();
        } catch (IOException none) {
            return size;
        }
    }

    private Found edgeNow(long file, int ofFile, long leaves) throws IOException {
        String own = Tiles.payloadEdge(file, ofFile);
        long length = disk.length(own);
        if (length >= 0) {
            try {
                int read = (int) Math.min(length, Integer.MAX_VALUE);
                return new Found(own, content(disk, own, new SeekTable.Frame(0, read, -1), leaves));
            } catch (NoSuchFileException replaced) {
                // By one of those below.
            }
        }
        int number = ofFile / Tiles.WIDTH;
        for (String each : disk.list(folderOf(own))) {
            FileName later = FileName.of(folderOf(own) + "/" + each);
            if (later != null && later.width() > ofFile && later.width() / Tiles.WIDTH == number) {
                byte[] content = beginning(Tiles.payloadEdge(file, later.width()), 0, leaves);
                if (content != null) {
                    return new Found(Tiles.payloadEdge(file, later.width()), content);
                }
            }
        }
        String name = Tiles.payload(file);
        List<SeekTable.Frame> before = disk.length(name) < 0
                ? List.of()
                : SeekTable.walk(disk, name, number, each -> PayloadWriter.MOST_BUNDLE_BYTES);
        long offset = before.isEmpty() ? 0 : before.get(before.size() - 1).end();
        return before.size() < number || disk.length(name) <= offset
                ? null
                : new Found(name, beginning(name, offset, leaves));
    }

    private static String folderOf(String name) {
        return name.substring(0, name.lastIndexOf('/'));
    }

    /** Returns the first bytes of the frame at this place; null if it is damaged or not written to its end. */
    private byte[] beginning(String name, long offset, long leaves) throws IOException {
        byte[] bytes;
        try {
            bytes = disk.read(name, offset, mostCompressed(leaves) + BLOCK);
        } catch (NoSuchFileException replaced) {
            return null;
        }
        try (ZstdInputStreamNoFinalizer in = new ZstdInputStreamNoFinalizer(new ByteArrayInputStream(bytes))) {
            in.setLongMax(MOST_WINDOW_BITS);
            byte[] content = in.readNBytes((int) Math.min(leaves, PayloadWriter.MOST_BUNDLE_BYTES));
            return content.length == leaves ? content : null;
        } catch (IOException damaged) {
            return null;
        }
    }

    /** {@return one payload of a bundle; null if the content ends before it} */
    static byte[] payload(byte[] content, long offset, int length) {
        return content == null || offset + length > content.length
                ? null
                : Arrays.copyOfRange(content, (int) offset, (int) offset + length);
    }
}
