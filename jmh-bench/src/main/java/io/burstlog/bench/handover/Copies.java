// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.handover;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A copy and nothing else: the least cost of any hand-over. One thread. */
final class Copies implements HandOver {

    private static final int BYTES = 32 << 20;

    private final ByteBuffer buffer;
    private final Path file;

    private Copies(ByteBuffer buffer, Path file) {
        this.buffer = buffer;
        this.file = file;
        for (int at = 0; at < BYTES; at += 4096) {
            buffer.put(at, (byte) 1);
        }
    }

    static HandOver toMemory() {
        return new Copies(ByteBuffer.allocateDirect(BYTES), null);
    }

    static HandOver toMappedFile(Path file) {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return new Copies(channel.map(FileChannel.MapMode.READ_WRITE, 0, BYTES), file);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @Override
    public void offer(byte[] message) {
        if (buffer.remaining() < message.length) {
            buffer.clear();
        }
        buffer.put(message);
    }

    @Override
    public int producers() {
        return 1;
    }

    @Override
    public void close() {
        try {
            if (file != null) {
                Files.deleteIfExists(file);
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
