// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToLongFunction;

/**
 * Where the frames of a payload file are. A full file ends with a table of them, the seek table of zstd's seekable
 * format 0.1.0: one skippable frame.
 *
 * <pre>
 * bytes          little-endian
 *     0   4      0x184D2A5E
 *     4   4      length of the rest
 *     8   8 n    of each frame: its compressed and its decompressed length
 *   8+8n  4      n
 *  12+8n  1      0: no checksums here; each frame has its own
 *  13+8n  4      0x8F92EAB1
 * </pre>
 */
final class SeekTable {

    static final int MAGIC = 0x184D2A5E;

    private static final int END_MAGIC = 0x8F92EAB1;
    private static final int HEAD_BYTES = 8;
    private static final int ENTRY_BYTES = 8;
    private static final int FOOTER_BYTES = 9;
    private static final int FIRST_LOOK = 1 << 20;

    private SeekTable() {}

    /**
     * A frame of a payload file.
     *
     * @param offset in the file
     * @param length of the compressed bytes
     * @param content length of the decompressed bytes
     */
    record Frame(long offset, int length, long content) {

        long end() {
            return offset + length;
        }
    }

    static byte[] of(List<Frame> frames) {
        ByteBuffer table = ByteBuffer.allocate(HEAD_BYTES + ENTRY_BYTES * frames.size() + FOOTER_BYTES)
                .order(ByteOrder.LITTLE_ENDIAN);
        table.putInt(MAGIC).putInt(table.capacity() - HEAD_BYTES);
        frames.forEach(each -> table.putInt(each.length()).putInt((int) each.content()));
        return table.putInt(frames.size()).put((byte) 0).putInt(END_MAGIC).array();
    }

    /** {@return the frames, by the table at the end of a full file; null if it has none that fits} */
    static List<Frame> read(Disk disk, String name, int frames) throws IOException {
        int bytes = HEAD_BYTES + ENTRY_BYTES * frames + FOOTER_BYTES;
        long begin = disk.length(name) - bytes;
        if (begin < 0) {
            return null;
        }
        ByteBuffer table = ByteBuffer.wrap(disk.read(name, begin, bytes)).order(ByteOrder.LITTLE_ENDIAN);
        List<Frame> found = new ArrayList<>();
        long offset = 0;
        for (int i = 0; i < frames; i++) {
            int length = table.getInt(HEAD_BYTES + ENTRY_BYTES * i);
            found.add(new Frame(offset, length, table.getInt(HEAD_BYTES + ENTRY_BYTES * i + Integer.BYTES)));
            offset += length;
        }
        return offset == begin && ByteBuffer.wrap(of(found)).equals(table) ? found : null;
    }

    /**
     * {@return the frames that follow each other from the begin of the file on: at most so many, fewer if one is bad}
     *
     * @param leaves the bytes that the payloads of a bundle of the file have, or the most that they can have
     */
    static List<Frame> walk(Disk disk, String name, int most, IntToLongFunction leaves) throws IOException {
        List<Frame> found = new ArrayList<>();
        long end = disk.length(name);
        for (long offset = 0;
                found.size() < most && offset < end;
                offset = found.get(found.size() - 1).end()) {
            Frame frame = frameAt(disk, name, offset, PayloadReader.mostCompressed(leaves.applyAsLong(found.size())));
            if (frame == null) {
                break;
            }
            found.add(frame);
        }
        return found;
    }

    private static Frame frameAt(Disk disk, String name, long offset, int most) throws IOException {
        for (int look = Math.min(FIRST_LOOK, most); ; look = (int) Math.min(2L * look, most)) {
            byte[] bytes = disk.read(name, offset, look);
            long length = lengthOf(bytes);
            if (length > 0) {
                long content = contentOf(bytes);
                return content < 0 || isTable(bytes) ? null : new Frame(offset, (int) length, content);
            }
            if (bytes.length < look || look == most) {
                return null;
            }
        }
    }

    /** {@return the length of a frame's content; -1 if the bytes do not begin with a frame that says it} */
    static long contentOf(byte[] frame) {
        try {
            return Zstd.getFrameContentSize(frame);
        } catch (ZstdException noFrame) {
            return -1;
        }
    }

    /** {@return the length of the frame; -1 if the bytes are no frame, or end before it does} */
    private static long lengthOf(byte[] frame) {
        try {
            long length = Zstd.findFrameCompressedSize(frame);
            return Zstd.isError(length) ? -1 : length;
        } catch (ZstdException noFrame) {
            return -1;
        }
    }

    private static boolean isTable(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getInt() == MAGIC;
    }
}
