// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.fix;

import io.burstlog.bench.harness.Options;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A noisy neighbour in a process of its own. A thread for each second processor walks through 64 MB of memory without a
 * rest. Another one writes 4 MB to the same disk and syncs them, twenty times a second. It ends when it is killed.
 */
public final class Neighbour {

    private static final int WORDS = 8 << 20;
    private static final int WRITE_BYTES = 4 << 20;
    private static final int PAUSE_MILLIS = 50;

    private Neighbour() {}

    public static void run(Options options) throws IOException, InterruptedException {
        int threads = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
        for (int i = 0; i < threads; i++) {
            Thread walker = new Thread(Neighbour::walk, "noise-" + i);
            walker.setDaemon(true);
            walker.start();
        }
        try (FileChannel file = FileChannel.open(
                Path.of(options.required("file")), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            ByteBuffer bytes = ByteBuffer.allocateDirect(WRITE_BYTES);
            while (true) {
                bytes.clear();
                file.write(bytes, 0);
                file.force(false);
                Thread.sleep(PAUSE_MILLIS);
            }
        }
    }

    private static void walk() {
        long[] words = new long[WORDS];
        for (int at = 0; ; at = (at + 4_099) & (WORDS - 1)) { // a new page each time
            words[at]++;
        }
    }
}
