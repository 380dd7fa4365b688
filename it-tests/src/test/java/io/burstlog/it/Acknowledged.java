// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * The lines that a child has acknowledged, after their log call had returned. For each line the child makes one write
 * to a pipe, and a pipe outlives its writer: so this process is the witness after a kill.
 */
final class Acknowledged {
    private static final int BYTES = 2 * Integer.BYTES;

    private final Map<Integer, Integer> lastNumberOfThread = new HashMap<>();
    private final CompletableFuture<Void> end;

    /** Listens to the child until it is gone. */
    Acknowledged(Process child) {
        // It waits for the child, so it has a thread of its own: the common pool may have a single one.
        end = CompletableFuture.runAsync(
                () -> listen(child.getInputStream()), task -> new Thread(task, "acknowledged").start());
    }

    /** In the child: makes one write system call, without a buffer that a kill could take along. */
    static void tell(int thread, int number) throws IOException {
        ByteBuffer said = ByteBuffer.allocate(BYTES).putInt(thread).putInt(number);
        StandardOutput.STREAM.write(said.array());
    }

    private static final class StandardOutput {
        private static final FileOutputStream STREAM = new FileOutputStream(FileDescriptor.out);
    }

    private void listen(InputStream pipe) {
        DataInputStream in = new DataInputStream(pipe);
        try {
            while (true) {
                acknowledge(in.readInt(), in.readInt());
            }
        } catch (EOFException childIsGone) {
            // A pipe takes these few bytes whole or not at all, so no message is cut in the middle.
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns when the child is gone and all its messages have been read. */
    void awaitEnd() {
        end.join();
    }

    private synchronized void acknowledge(int thread, int number) {
        int last = lastNumberOfThread.getOrDefault(thread, 0);
        if (number != last + 1) {
            throw new IllegalStateException("thread " + thread + " acknowledged " + number + " after " + last);
        }
        lastNumberOfThread.put(thread, number);
        notifyAll();
    }

    /** Says whether the thread acknowledges this number within that time. */
    synchronized boolean await(int thread, int number, long timeoutMillis) throws InterruptedException {
        long deadline = System.nanoTime() + timeoutMillis * 1_000_000;
        while (lastNumber(thread) < number && !end.isDone() && System.nanoTime() < deadline) {
            wait(10);
        }
        return lastNumber(thread) >= number;
    }

    synchronized boolean awaitFirst(long timeoutMillis) throws InterruptedException {
        long deadline = System.nanoTime() + timeoutMillis * 1_000_000;
        while (lastNumberOfThread.isEmpty() && !end.isDone() && System.nanoTime() < deadline) {
            wait(10);
        }
        return !lastNumberOfThread.isEmpty();
    }

    /** Says whether the threads 1 to n together acknowledge so many lines within that time. */
    synchronized boolean awaitLines(int threads, int lines, long timeoutMillis) throws InterruptedException {
        long deadline = System.nanoTime() + timeoutMillis * 1_000_000;
        while (linesOf(threads) < lines && !end.isDone() && System.nanoTime() < deadline) {
            wait(10);
        }
        return linesOf(threads) >= lines;
    }

    /** The thread has acknowledged lines 1..n. */
    synchronized int lastNumber(int thread) {
        return lastNumberOfThread.getOrDefault(thread, 0);
    }

    /** How many threads have acknowledged a line. */
    synchronized int threads() {
        return lastNumberOfThread.size();
    }

    /** The acknowledged lines of the threads 1 to n. */
    synchronized int linesOf(int threads) {
        int lines = 0;
        for (int thread = 1; thread <= threads; thread++) {
            lines += lastNumber(thread);
        }
        return lines;
    }
}
