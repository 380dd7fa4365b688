// SPDX-License-Identifier: Apache-2.0
package io.burstlog.copy;

import io.burstlog.copy.CopyPlace.Medium;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;

/**
 * A store in a file, which outlives the process that is killed. A few blocks stay under way in memory, and then go to
 * the file; some sends fail. One thread uses it, so that a second writer comes only after the first one is dead.
 */
final class FileStore implements CopyStore {

    private static final int ONE_OF = 40;

    private record UnderWay(CopyBlock block, Runnable acknowledged) {}

    private final FileChannel file;
    private final Random random;
    private final Deque<UnderWay> underWay = new ArrayDeque<>();

    FileStore(Path path, long seed) throws IOException {
        file = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        random = new Random(seed);
    }

    @Override
    public CopyBlock fence() throws IOException {
        underWay.clear();
        CopyBlock[] newest = new CopyBlock[1];
        long end = read(block -> newest[0] = block);
        file.truncate(end); // the one who was killed may have written a part of a block
        file.position(end);
        return newest[0];
    }

    @Override
    public void send(CopyBlock block, Runnable acknowledged) throws IOException {
        underWay.add(new UnderWay(block, acknowledged));
        if (random.nextInt(ONE_OF) == 0) {
            for (int stored = random.nextInt(underWay.size() + 1); stored > 0; stored--) {
                write(underWay.removeFirst().block);
            }
            throw new IOException("the file failed");
        }
        letIn(random.nextInt(4));
    }

    @Override
    public void check() throws IOException {
        letIn(0);
    }

    private void letIn(int most) throws IOException {
        while (underWay.size() > most) {
            UnderWay first = underWay.removeFirst();
            write(first.block);
            first.acknowledged.run();
        }
    }

    private void write(CopyBlock block) throws IOException {
        ByteBuffer entry = ByteBuffer.allocate(Integer.BYTES + block.bytes().length);
        entry.putInt(block.bytes().length).put(block.bytes()).flip();
        while (entry.hasRemaining()) {
            file.write(entry);
        }
    }

    @Override
    public void readBack(Reader reader) throws IOException {
        read(reader);
    }

    /** Returns the end of the last whole block. */
    private long read(Reader reader) throws IOException {
        ByteBuffer all = ByteBuffer.allocate(Math.toIntExact(file.size()));
        while (all.hasRemaining()) {
            file.read(all, all.position());
        }
        all.flip();
        int end = 0;
        while (all.remaining() >= Integer.BYTES) {
            int length = all.getInt();
            if (length > all.remaining()) {
                break;
            }
            reader.block(CopyBlock.read(all.slice(all.position(), length), "the block at " + end));
            all.position(all.position() + length);
            end = all.position();
        }
        return end;
    }

    @Override
    public CopyPlace place() {
        return new CopyPlace(Medium.DISK, 2, 3, "disks");
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException failure) {
            throw new AssertionError(failure);
        }
    }
}
