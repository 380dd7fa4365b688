// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** The memory of a writer has bounds. CrashTest is about its files. */
class ArchiveWriterTest {

    /** Leaves and hashes of 140 MB. */
    private static final long MANY = 1_000_000;

    private volatile boolean isOver;

    /** Records without a payload have leaves and hashes all the same. */
    @Test
    void whoAppendsWaitsForASlowDiskAlsoIfPayloadsAreEmpty() throws Exception {
        MemoryDisk disk = Written.archive(1, 1);
        CountDownLatch hold = new CountDownLatch(1);
        Disk slow = WatchedDisk.of(disk, (call, name) -> {
            if (call.equals("append")) {
                await(hold);
            }
        });
        try (ArchiveWriter writer =
                ArchiveWriter.open(slow, Written.key(1), disk.kept(), Written.NO_FENCE, () -> 1_000)) {
            Thread appending = new Thread(() -> append(writer));
            appending.start();
            while (appending.isAlive() && appending.getState() != Thread.State.WAITING) {
                Thread.onSpinWait();
            }
            boolean isWaiting = appending.isAlive();
            isOver = true;
            hold.countDown();
            appending.join();
            assertThat(isWaiting).isTrue();
        }
    }

    private void append(ArchiveWriter writer) {
        byte[] nothing = {};
        try {
            for (long number = 2; number < MANY && !isOver; number++) {
                writer.append(Written.leaf(number, 1_000, nothing), nothing);
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static void await(CountDownLatch hold) throws IOException {
        try {
            hold.await();
        } catch (InterruptedException stopped) {
            throw new IOException(stopped);
        }
    }
}
