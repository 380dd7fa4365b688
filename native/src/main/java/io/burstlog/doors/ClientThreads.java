// SPDX-License-Identifier: Apache-2.0
package io.burstlog.doors;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.function.Supplier;

/**
 * The threads that pass records on, or keep a copy of them, and those of the clients that they use: all of one group,
 * which a thread hands down to those that it starts. A log call of such a thread must not wait for space in the ring,
 * nor for its copy: the ring may get space only when this thread goes on. And it must throw nothing, which would end
 * the thread.
 *
 * <p>Thread-safe.
 */
public final class ClientThreads {

    private static final ThreadGroup GROUP = new ThreadGroup("burstlog-shippers");

    private ClientThreads() {}

    /** {@return whether the calling thread is one of these} */
    public static boolean isOne() {
        Thread current = Thread.currentThread();
        return GROUP.parentOf(current.getThreadGroup()) && !isShared(current);
    }

    /** Workers of the common pool have the group of whoever was the first to need one, and run anybody's tasks. */
    private static boolean isShared(Thread thread) {
        return thread instanceof ForkJoinWorkerThread worker && worker.getPool() == ForkJoinPool.commonPool();
    }

    /** {@return a new daemon thread of the group, which is not started} */
    public static Thread of(Runnable task, String name) {
        Thread thread = new Thread(GROUP, task, name);
        thread.setDaemon(true);
        return thread;
    }

    /** Makes a call in a thread of the group, so that all threads that it starts are of the group, too. */
    static <T> T call(Supplier<T> call) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        of(() -> answer.completeAsync(call, Runnable::run), "burstlog-client").start();
        try {
            return answer.join();
        } catch (CompletionException failure) {
            throw failure.getCause() instanceof RuntimeException cause ? cause : failure;
        }
    }
}
