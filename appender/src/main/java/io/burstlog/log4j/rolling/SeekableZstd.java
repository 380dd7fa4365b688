// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * Zstandard in frames of some MB, and behind them the table of the public seekable format: one skippable frame with the
 * packed and the unpacked length of each frame. So a reader finds a place without unpacking all that lies before, and
 * each program that unpacks Zstandard passes over the table.
 */
final class SeekableZstd implements Compressor {

    /** The text of a frame. Each frame costs some compression, and the half of one is unpacked to find a place. */
    static final int FRAME_BYTES = 4 << 20;

    private static final int SKIPPABLE_MAGIC = 0x184D2A5E;
    private static final int SEEKABLE_MAGIC = 0x8F92EAB1;
    private static final int FOOTER_BYTES = 9;

    private final Compressor zstd;

    /** @param zstd makes one frame */
    SeekableZstd(final Compressor zstd) {
        this.zstd = zstd;
    }

    @Override
    public OutputStream compress(final OutputStream out, final String entry) {
        return new Frames(out, entry);
    }

    @Override
    public InputStream decompress(final InputStream in) throws IOException {
        return zstd.decompress(in);
    }

    private record Frame(long packed, int bytes) {}

    private final class Frames extends OutputStream {
        private final OutputStream out;
        private final String entry;
        private final List<Frame> frames = new ArrayList<>();
        private Counted counted;
        private OutputStream frame;
        private int bytes;
        private boolean isClosed;

        Frames(final OutputStream out, final String entry) {
            this.out = out;
            this.entry = entry;
        }

        @Override
        public void write(final int one) throws IOException {
            write(new byte[] {(byte) one}, 0, 1);
        }

        @Override
        public void write(final byte[] data, final int offset, final int length) throws IOException {
            for (int at = offset, end = offset + length; at < end; ) {
                if (frame == null) {
                    begin();
                }
                final int part = Math.min(end - at, FRAME_BYTES - bytes);
                frame.write(data, at, part);
                bytes += part;
                at += part;
                if (bytes == FRAME_BYTES) {
                    end();
                }
            }
        }

        private void begin() throws IOException {
            counted = new Counted(out);
            frame = zstd.compress(counted, entry);
        }

        private void end() throws IOException {
            frame.close();
            frames.add(new Frame(counted.count, bytes));
            frame = null;
            bytes = 0;
        }

        /** Ends the last frame and adds the table. After an error of a write nothing more is written. */
        @Override
        public void close() throws IOException {
            if (isClosed) {
                return;
            }
            isClosed = true;
            try (OutputStream closing = out) {
                if (frame == null && frames.isEmpty()) {
                    begin();
                }
                if (frame != null) {
                    end();
                }
                closing.write(table());
            }
        }

        private byte[] table() {
            final int length = frames.size() * 2 * Integer.BYTES + FOOTER_BYTES;
            final ByteBuffer table =
                    ByteBuffer.allocate(2 * Integer.BYTES + length).order(ByteOrder.LITTLE_ENDIAN);
            table.putInt(SKIPPABLE_MAGIC).putInt(length);
            for (final Frame each : frames) {
                table.putInt((int) each.packed).putInt(each.bytes);
            }
            return table.putInt(frames.size())
                    .put((byte) 0)
                    .putInt(SEEKABLE_MAGIC)
                    .array();
        }
    }

    /** Counts the bytes of a frame, whose end does not close the file. */
    private static final class Counted extends FilterOutputStream {
        private long count;

        Counted(final OutputStream out) {
            super(out);
        }

        @Override
        public void write(final int one) throws IOException {
            out.write(one);
            count++;
        }

        @Override
        public void write(final byte[] data, final int offset, final int length) throws IOException {
            out.write(data, offset, length);
            count += length;
        }

        @Override
        public void close() throws IOException {
            flush();
        }
    }
}
