// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * Steps that another thread does, one after the other, in the order in which they came. So whoever prepares the next
 * ones waits for no compressor and no disk. After a step that fails none is done any more, and every call throws what
 * it threw. One thread adds; the other one is a daemon, and begins with the first step.
 */
final class WriteBehind implements AutoCloseable {

    /** A thread that adds waits while steps with more bytes than this are not done. */
    static final int MOST_BYTES = 16 << 20;

    private final String name;
    private final Queue<Waiting> steps = new ArrayDeque<>();
    private Thread thread;
    private long bytes;
    private boolean isClosed;
    private Throwable failure;

    interface Step {
        void run() throws IOException;
    }

    private record Waiting(int bytes, Step step) {}

    WriteBehind(String name) {
        this.name = name;
    }

    /**
     * Adds a step.
     *
     * @param size how many bytes it keeps in memory, about
     */
    synchronized void add(int size, Step step) throws IOException {
        while (failure == null && !steps.isEmpty() && bytes + size > MOST_BYTES) {
            rest();
        }
        check();
        if (thread == null) {
            thread = new Thread(this::run, name);
            thread.setDaemon(true);
            thread.start();
        }
        bytes += size;
        steps.add(new Waiting(size, step));
        notifyAll();
    }

    /** Returns when all steps are done. */
    synchronized void await() throws IOException {
        while (failure == null && !steps.isEmpty()) {
            rest();
        }
        check();
    }

    /** Throws what a step has thrown, if one has. */
    synchronized void check() throws IOException {
        if (failure instanceof IOException told) {
            throw told;
        }
        if (failure instanceof RuntimeException bug) {
            throw bug;
        }
        if (failure instanceof Error bug) {
            throw bug;
        }
    }

    private void rest() throws IOException {
        try {
            wait();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new IOException("the archive was interrupted while it was written", stopped);
        }
    }

    private void run() {
        for (Waiting next = peek(); next != null; next = peek()) {
            Throwable thrown = null;
            try {
                next.step.run();
            } catch (IOException | RuntimeException | Error failed) {
                thrown = failed;
            }
            end(next, thrown);
        }
    }

    /** Returns the next step, which stays among those that are not done; null if there will be none. */
    private synchronized Waiting peek() {
        while (steps.isEmpty() && !isClosed) {
            try {
                wait();
            } catch (InterruptedException nobodyDoesThat) {
                isClosed = true;
            }
        }
        return isClosed || failure != null ? null : steps.peek();
    }

    private synchronized void end(Waiting done, Throwable thrown) {
        failure = thrown;
        steps.remove();
        bytes -= done.bytes;
        notifyAll();
    }

    /** Forgets the steps that have not begun, and returns when nothing is written any more. */
    @Override
    public void close() {
        Thread running;
        synchronized (this) {
            isClosed = true;
            running = thread;
            notifyAll();
        }
        boolean isInterrupted = false;
        while (running != null && running.isAlive()) {
            try {
                running.join();
            } catch (InterruptedException later) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
