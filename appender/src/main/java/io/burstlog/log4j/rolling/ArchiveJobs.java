// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads of low priority that work on files that ended. One thread compresses for the whole JVM; each stream with
 * work to do has one of its own. So a deletion waits for no compression of another stream.
 */
final class ArchiveJobs {

    private static final int KEEP_ALIVE_SECONDS = 10;
    private static final ScheduledThreadPoolExecutor THREAD = thread();
    private static final ExecutorService OF_STREAMS = new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE,
            KEEP_ALIVE_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            named("burstlog-actions"));

    private ArchiveJobs() {}

    private static ScheduledThreadPoolExecutor thread() {
        final ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1, named("burstlog-archives"));
        executor.setKeepAliveTime(KEEP_ALIVE_SECONDS, TimeUnit.SECONDS);
        executor.allowCoreThreadTimeOut(true);
        executor.setRemoveOnCancelPolicy(true);
        return executor;
    }

    private static ThreadFactory named(final String name) {
        return job -> {
            final Thread thread = new Thread(job, name);
            thread.setDaemon(true);
            thread.setPriority(Thread.MIN_PRIORITY);
            return thread;
        };
    }

    static ScheduledFuture<?> schedule(final Runnable job, final Duration delay) {
        return THREAD.schedule(job, delay.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Does the work of a stream in a thread of its own. */
    static void start(final Runnable work) {
        OF_STREAMS.execute(work);
    }

    /** Compresses a file after the compressions before it, and returns when it is done. */
    static boolean inTurn(final Callable<Boolean> compression) throws IOException {
        try {
            return THREAD.submit(compression).get();
        } catch (final InterruptedException stillToBeSeen) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", stillToBeSeen);
        } catch (final ExecutionException failed) {
            if (failed.getCause() instanceof IOException failure) {
                throw failure;
            }
            if (failed.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            if (failed.getCause() instanceof Error failure) {
                throw failure;
            }
            throw new IOException(failed.getCause());
        }
    }
}
