// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Random;

/** The disk of an archive whose archiver commits between the reads of others, as often as not. */
final class GrowingDisk implements Disk {

    private final MemoryDisk disk;
    private final ArchiveWriter writer;
    private final Random random;
    private final int mostLeaves;
    private long left;

    GrowingDisk(MemoryDisk disk, long seed, int mostLeaves, long records) throws IOException {
        this.disk = disk;
        this.mostLeaves = mostLeaves;
        writer = Written.open(disk);
        random = new Random(seed);
        left = records;
    }

    private synchronized void grow() throws IOException {
        long most = Math.min(left, random.nextInt(mostLeaves));
        if (most > 0 && random.nextBoolean()) {
            left -= most;
            Written.append(writer, writer.lastOfStream().number() + most, mostLeaves);
        }
    }

    @Override
    public synchronized byte[] read(String name, int most) throws IOException {
        grow();
        return disk.read(name, most);
    }

    @Override
    public synchronized byte[] read(String name, long offset, int length) throws IOException {
        grow();
        return disk.read(name, offset, length);
    }

    @Override
    public synchronized String stamp(String name) {
        return disk.stamp(name);
    }

    @Override
    public synchronized long length(String name) throws IOException {
        grow();
        return disk.length(name);
    }

    @Override
    public synchronized List<String> list(String folder) throws IOException {
        grow();
        return disk.list(folder);
    }

    @Override
    public void write(String name, byte[] bytes) {
        throw new UnsupportedOperationException(name);
    }

    @Override
    public void append(String name, long offset, byte[] bytes, int length) {
        throw new UnsupportedOperationException(name);
    }

    @Override
    public void sync(Collection<String> names) {
        throw new UnsupportedOperationException(names.toString());
    }

    @Override
    public void rename(String from, String to) {
        throw new UnsupportedOperationException(from);
    }

    @Override
    public void delete(String name) {
        throw new UnsupportedOperationException(name);
    }
}
