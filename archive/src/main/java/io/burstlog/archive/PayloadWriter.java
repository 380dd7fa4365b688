// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Writes payloads: the frame of each full bundle behind the one before, and that of the last, partial bundle into a
 * file of its own, which no later one replaces before a head covers that. One thread uses it; another one compresses
 * behind it.
 */
final class PayloadWriter {

    /** The longest record of a ring, and so the most bytes of the payloads of one bundle. */
    static final int MOST_BUNDLE_BYTES = 1 << 30;

    /** Payloads share a frame up to so many bytes: memory holds it, and each commit writes the last one again. */
    static final int SHARED_BYTES = 16 << 20;

    private static final int LEVEL = 3;
    private static final int FIRST_ROOM = 1 << 16;

    private final Disk disk;
    private final WriteBehind compressing;
    private final Output output;
    private byte[] bundle = new byte[FIRST_ROOM];
    private int bundleBytes;

    // ------------------------------------------------------------------------- of the thread that compresses, alone

    private final ZstdCompressCtx compressor = compressor();
    private final List<SeekTable.Frame> frames = new ArrayList<>();
    private byte[] compressed = new byte[FIRST_ROOM];
    private long file;

    /** Where frames are written to. */
    interface Output {

        /** Writes at this place of a file, which is its end, at some later time. */
        void append(String name, long offset, byte[] bytes) throws IOException;
    }

    PayloadWriter(Disk disk, WriteBehind compressing, Output output) {
        this.disk = disk;
        this.compressing = compressing;
        this.output = output;
    }

    static ZstdCompressCtx compressor() {
        return new ZstdCompressCtx().setLevel(LEVEL).setChecksum(true);
    }

    /** Takes up an archive with so many leaves. The next append cuts all bytes behind them. */
    void open(long size) throws IOException {
        file = size / Tiles.PAYLOAD_LEAVES;
        int leaves = (int) (size % Tiles.PAYLOAD_LEAVES);
        int full = leaves / Tiles.WIDTH;
        String name = Tiles.payload(file);
        if (full > 0) {
            frames.addAll(SeekTable.walk(disk, name, full, each -> MOST_BUNDLE_BYTES));
            if (frames.size() < full) {
                throw new RefusedException(name + " has " + frames.size() + " whole frames of the " + full
                        + " that the head covers: bring the file back from a copy");
            }
        }
        if (leaves % Tiles.WIDTH > 0) {
            byte[] edge = frame(disk, Tiles.payloadEdge(file, leaves));
            addBytes(edge, edge.length);
        }
    }

    private static byte[] frame(Disk disk, String name) throws IOException {
        long length = disk.length(name);
        byte[] frame = length < 0 || length > Integer.MAX_VALUE
                ? null
                : PayloadReader.content(disk, name, new SeekTable.Frame(0, (int) length, -1), MOST_BUNDLE_BYTES);
        if (frame == null) {
            throw new RefusedException(
                    name + " is missing or damaged, and the head covers it: bring it back from a copy");
        }
        return frame;
    }

    /** Whether a payload of so many bytes belongs into the frame of this bundle: a longer one has a frame alone. */
    boolean hasRoom(int length) {
        return length == 0 || bundleBytes == 0 || (long) bundleBytes + length <= SHARED_BYTES;
    }

    void add(byte[] payload) {
        addBytes(payload, payload.length);
    }

    private void addBytes(byte[] bytes, int length) {
        if (bundleBytes + length > bundle.length) {
            bundle = Arrays.copyOf(bundle, Math.max(bundleBytes + length, Math.min(2 * bundle.length, SHARED_BYTES)));
        }
        System.arraycopy(bytes, 0, bundle, bundleBytes, length);
        bundleBytes += length;
    }

    /** Ends the bundle: its frame is written behind the others, and after the last frame of a file its table. */
    void endBundle() throws IOException {
        byte[] full = bundle;
        int length = bundleBytes;
        compressing.add(length, () -> writeFrame(full, length));
        bundle = new byte[length > SHARED_BYTES ? FIRST_ROOM : bundle.length];
        bundleBytes = 0;
    }

    private void writeFrame(byte[] content, int length) throws IOException {
        String name = Tiles.payload(file);
        long offset = frames.isEmpty() ? 0 : frames.get(frames.size() - 1).end();
        byte[] frame = compress(content, length);
        output.append(name, offset, frame);
        frames.add(new SeekTable.Frame(offset, frame.length, length));
        if (frames.size() == Tiles.WIDTH) {
            output.append(name, offset + frame.length, SeekTable.of(frames));
            frames.clear();
            file++;
        }
        if (compressed.length > SHARED_BYTES) {
            compressed = new byte[FIRST_ROOM];
        }
    }

    /** Writes the frame of the partial bundle, if there is one. */
    void writeEdge(long size) throws IOException {
        if (size % Tiles.WIDTH > 0) {
            // Not copied: later payloads stand behind these bytes.
            byte[] edge = bundle;
            int length = bundleBytes;
            String name = Tiles.payloadEdge(size / Tiles.PAYLOAD_LEAVES, (int) (size % Tiles.PAYLOAD_LEAVES));
            compressing.add(length, () -> output.append(name, 0, compress(edge, length)));
        }
    }

    private byte[] compress(byte[] content, int length) {
        int room = Math.toIntExact(Zstd.compressBound(length));
        if (compressed.length < room) {
            compressed = new byte[room];
        }
        return Arrays.copyOf(
                compressed, compressor.compressByteArray(compressed, 0, compressed.length, content, 0, length));
    }

    void close() {
        compressor.close();
    }
}
