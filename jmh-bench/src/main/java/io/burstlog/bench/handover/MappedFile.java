// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.handover;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A file that grows under the messages, mapped piece by piece. The times include page faults, and the kernel writes
 * back meanwhile. One thread.
 */
final class MappedFile implements HandOver {

    private static final int PIECE_BYTES = 64 << 20;

    private final Path file;
    private final FileChannel channel;
    private MappedByteBuffer piece;
    private long end;

    MappedFile(Path file) {
        this.file = file;
        try {
            channel = FileChannel.open(
                    file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @Override
    public void offer(byte[] message) {
        if (piece == null || piece.remaining() < message.length) {
            next();
        }
        piece.put(message);
    }

    private void next() {
        try {
            end += piece == null ? 0 : piece.position();
            piece = channel.map(FileChannel.MapMode.READ_WRITE, end, PIECE_BYTES);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** All of the file is on the disk. */
    @Override
    public void awaitEmpty() {
        if (piece != null) {
            piece.force();
        }
        try {
            channel.force(false);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @Override
    public int producers() {
        return 1;
    }

    @Override
    public void close() {
        try {
            channel.close();
            Files.deleteIfExists(file);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
