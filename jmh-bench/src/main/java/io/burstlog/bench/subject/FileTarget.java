// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.subject;

import io.burstlog.bench.harness.Target;
import java.io.Closeable;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Direct durable logging, as people write it by hand. Each message is on the disk when its call returns: there is
 * nothing to settle.
 */
final class FileTarget implements Target {

    private interface Write {
        void write() throws IOException;
    }

    private final String name;
    private final Write write;
    private final Closeable file;

    private FileTarget(String name, Write write, Closeable file) {
        this.name = name;
        this.write = write;
        this.file = file;
    }

    /** {@code FileChannel.force} for each message. */
    static Target forced(String name, Path path, int bytes) throws IOException {
        FileChannel channel = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        ByteBuffer line = ByteBuffer.allocateDirect(bytes).put(Message.line(bytes));
        return new FileTarget(
                name,
                () -> {
                    line.rewind();
                    while (line.hasRemaining()) {
                        channel.write(line);
                    }
                    channel.force(false);
                },
                channel);
    }

    /** {@code RandomAccessFile} in mode {@code rwd}: every write is durable. */
    static Target synchronous(String name, Path path, int bytes) throws IOException {
        RandomAccessFile file = new RandomAccessFile(path.toFile(), "rwd");
        file.seek(file.length());
        byte[] line = Message.line(bytes);
        return new FileTarget(name, () -> file.write(line), file);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void write(int number) throws IOException {
        write.write();
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
