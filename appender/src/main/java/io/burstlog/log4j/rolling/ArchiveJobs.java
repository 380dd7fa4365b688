// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The one thread of low priority in which files that ended are compressed and deleted. No other thread waits for it.
 */
final class ArchiveJobs {

    private static final ScheduledThreadPoolExecutor THREAD = thread();

    private ArchiveJobs() {}

    private static ScheduledThreadPoolExecutor thread() {
        final ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1, job -> {
            final Thread thread = new Thread(job, "burstlog-archives");
            thread.setDaemon(true);
            thread.setPriority(Thread.MIN_PRIORITY);
            return thread;
        });
        executor.setKeepAliveTime(10, TimeUnit.SECONDS);
        executor.allowCoreThreadTimeOut(true);
        executor.setRemoveOnCancelPolicy(true);
        return executor;
    }

    static ScheduledFuture<?> schedule(final Runnable job, final Duration delay) {
        return THREAD.schedule(job, delay.toNanos(), TimeUnit.NANOSECONDS);
    }
}
