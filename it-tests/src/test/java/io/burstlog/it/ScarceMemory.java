// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import io.burstlog.BurstConfig;
import io.burstlog.BurstLog;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A child process whose heap is full. Threads append until an OutOfMemoryError kills them, and others take their place.
 * At the end memory is free again, and a last thread appends some lines. Arguments: ring, file, least milliseconds. It
 * has no Log4j, since that answers an error of its own by returning, as if the event were logged.
 */
final class ScarceMemory {
    static final int LAST = 1;
    static final int FIRST = 2;
    static final int LINES_OF_LAST = 50;
    static final int MOST_THREADS = 500;

    /** So many threads must have a line acknowledged, even if that takes longer than the given time. */
    private static final int ENOUGH_THREADS = 20;

    private static final long MOST_NANOS = 60_000_000_000L;
    private static final AtomicInteger ACKNOWLEDGED = new AtomicInteger();
    private static final int AT_A_TIME = 3;
    private static final int PIECE_BYTES = 256;
    private static final int PIECES_LET_GO = 400;

    private ScarceMemory() {}

    public static void main(String[] arguments) throws Exception {
        BurstConfig config = BurstConfig.builder()
                .ring(arguments[0])
                .fileName(arguments[1])
                .ringBytes(4 << 20)
                .shutdownTimeout(Duration.ofMinutes(5))
                .build();
        long end = System.nanoTime() + 1_000_000L * Integer.parseInt(arguments[2]);
        try (BurstLog log = BurstLog.open(config)) {
            // Beforehand the JVM links all that the first call needs: if memory ran out during that, it
            // would never link it again.
            append(log, FIRST, 10);
            fillMemoryAndAppend(log, end);
            append(log, LAST, LINES_OF_LAST);
        }
    }

    private static boolean goesOn(long end) {
        long now = System.nanoTime();
        return now < end || (ACKNOWLEDGED.get() < ENOUGH_THREADS && now < end + MOST_NANOS);
    }

    private static void fillMemoryAndAppend(BurstLog log, long end) throws InterruptedException {
        List<byte[]> held = new ArrayList<>(100_000);
        Thread[] appending = new Thread[AT_A_TIME];
        int next = FIRST + 1;
        while (goesOn(end)) {
            try {
                for (int i = 0; i < AT_A_TIME; i++) {
                    if ((appending[i] == null || !appending[i].isAlive()) && next < MOST_THREADS) {
                        int number = next;
                        appending[i] = new Thread(() -> appendUntil(log, number, end));
                        appending[i].start();
                        next++;
                    }
                }
                while (goesOn(end)) {
                    held.add(new byte[PIECE_BYTES]);
                }
            } catch (OutOfMemoryError full) {
                // For a moment the other threads get no memory; then a little, so that they are started anew. The code
                // that frees it must need none itself.
                Thread.sleep(5);
                for (int i = 0; i < PIECES_LET_GO && !held.isEmpty(); i++) {
                    held.remove(held.size() - 1);
                }
            }
        }
        held.clear();
        for (Thread thread : appending) {
            thread.join();
        }
    }

    private static void appendUntil(BurstLog log, int thread, long end) {
        try {
            for (int number = 1; goesOn(end); number++) {
                append(log, thread, number, number);
                if (number == 1) {
                    ACKNOWLEDGED.incrementAndGet();
                }
            }
        } catch (OutOfMemoryError died) {
            // Another thread takes over.
        } catch (IOException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private static void append(BurstLog log, int thread, int lines) throws IOException {
        append(log, thread, 1, lines);
    }

    private static void append(BurstLog log, int thread, int first, int last) throws IOException {
        for (int number = first; number <= last; number++) {
            log.append((new LineText(1, thread, number).text() + "\n").getBytes(StandardCharsets.UTF_8));
            Acknowledged.tell(thread, number);
        }
    }
}
