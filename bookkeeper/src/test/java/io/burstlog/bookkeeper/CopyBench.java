// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bookkeeper;

import io.burstlog.RecordBuffer;
import io.burstlog.copy.BurstCopier;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.config.Configurator;

/**
 * Prints how long a call takes whose record is durable in the ring alone, and one whose record is copied to the disks
 * of two of three bookies: with their defaults, and without their wait for company. All run on this host.
 * {@code scripts/bench/bookkeeper-copy} builds and starts it.
 */
final class CopyBench {

    private static final int PAYLOAD_BYTES = 256;
    private static final int[] THREADS = {1, 4, 16};

    private CopyBench() {}

    public static void main(String[] arguments) throws Exception {
        Configurator.setRootLevel(Level.OFF);
        Path directory = Path.of(arguments[0]).toAbsolutePath();
        int calls = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 4000;
        System.out.printf("%-34s %7s %9s %9s %9s %10s%n", "", "threads", "p50 us", "p99 us", "p99.9 us", "records/s");
        run(directory, calls, "their defaults", "");
        run(directory, calls, "no wait for company", Bookies.AT_ONCE);
        System.exit(0);
    }

    private static void run(Path directory, int calls, String journal, String settings) throws Exception {
        try (Bookies bookies = new Bookies(directory.resolve("bookies"), settings);
                CopiedLog log = new CopiedLog(
                        directory.resolve("log"),
                        Map.of("metadataServiceUri", bookies.uri()),
                        BurstCopier.Away.WAIT,
                        event -> {})) {
            for (int threads : THREADS) {
                run(log, false, "ring alone", threads, calls);
                run(log, true, "copied, " + journal, threads, calls);
            }
        }
        Bookies.deleteTree(directory);
    }

    private static void run(CopiedLog log, boolean isCopied, String name, int threads, int calls) throws Exception {
        time(log, isCopied, threads, calls / 4);
        long begin = System.nanoTime();
        long[] nanos = time(log, isCopied, threads, calls);
        double seconds = (System.nanoTime() - begin) / 1e9;
        Arrays.sort(nanos);
        System.out.printf(
                "%-34s %7d %9.1f %9.1f %9.1f %10.0f%n",
                name,
                threads,
                nanos[nanos.length / 2] / 1e3,
                nanos[(int) (nanos.length * 0.99)] / 1e3,
                nanos[(int) (nanos.length * 0.999)] / 1e3,
                nanos.length / seconds);
    }

    private static long[] time(CopiedLog log, boolean isCopied, int threads, int calls) throws InterruptedException {
        long[][] nanos = new long[threads][calls];
        Thread[] all = new Thread[threads];
        for (int t = 0; t < threads; t++) {
            long[] own = nanos[t];
            all[t] = new Thread(() -> time(log, isCopied, own));
            all[t].start();
        }
        for (Thread each : all) {
            each.join();
        }
        return Arrays.stream(nanos).flatMapToLong(Arrays::stream).toArray();
    }

    private static void time(CopiedLog log, boolean isCopied, long[] nanos) {
        RecordBuffer record = RecordBuffer.allocate(PAYLOAD_BYTES, PAYLOAD_BYTES);
        byte[] payload = new byte[PAYLOAD_BYTES];
        for (int i = 0; i < nanos.length; i++) {
            long begin = System.nanoTime();
            long sequence = log.log().append(record.clear().put(ByteBuffer.wrap(payload)), begin);
            if (isCopied && !log.awaitCopied(sequence)) {
                throw new IllegalStateException("it is not copied in " + CopiedLog.LONG_ENOUGH);
            }
            nanos[i] = System.nanoTime() - begin;
        }
    }
}
