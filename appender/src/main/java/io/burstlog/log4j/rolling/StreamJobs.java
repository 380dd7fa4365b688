// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.core.appender.rolling.action.Action;
import org.apache.logging.log4j.status.StatusLogger;

/**
 * What is left to do with the files of one stream that ended. Jobs of one stream run one after another, in the order of
 * its rolls. Safe for use by any thread.
 */
final class StreamJobs {

    /** For a compression that failed, as on a full disk; the file stays as it is until then. */
    static final Duration RETRY_DELAY = Duration.ofMinutes(1);

    private static final Logger LOGGER = StatusLogger.getLogger();

    private final String appender;
    private final ArchiveActions actions;
    private final Duration compressDelay;
    private final Retention retention;
    private final Map<Runnable, ScheduledFuture<?>> pending = new LinkedHashMap<>();
    private volatile Duration retryDelay = RETRY_DELAY;
    private boolean isEnded;

    /** What was told of actions that compress, and of others, until one of them succeeds. */
    private final Map<Boolean, Class<?>> told = new HashMap<>();

    StreamJobs(
            final String appender,
            final ArchiveActions actions,
            final Duration compressDelay,
            final Retention retention) {
        this.appender = appender;
        this.actions = actions;
        this.compressDelay = compressDelay;
        this.retention = retention;
    }

    /**
     * Takes what a strategy wants to be done after a roll.
     *
     * @param wanted null: nothing
     * @param planned the name that the strategy takes the file for
     * @param archive its name; null: it has none any more
     */
    void add(final Action wanted, final String planned, final Path archive) {
        if (wanted == null) {
            addRetention();
            return;
        }
        final Action safe = actions.safe(wanted, planned, archive);
        add(safe, ArchiveActions.compresses(safe) ? compressDelay : Duration.ZERO);
    }

    /** Lets the files of before the start be looked at. */
    void addRetention() {
        if (retention.isLimited()) {
            schedule(retention::keep, Duration.ZERO);
        }
    }

    /** Takes a file of before the start that should be compressed. */
    void add(final Action action, final Duration delay) {
        schedule(() -> execute(action), delay);
    }

    private void execute(final Action action) {
        try {
            action.execute();
            told.remove(ArchiveActions.compresses(action));
        } catch (final CompressAction.Failure failure) {
            if (isNews(action, failure)) {
                LOGGER.warn(
                        "Burst '{}': {}; the file stays as it is, and this is tried again every {} s. That it lasts is"
                                + " not told again.",
                        appender,
                        failure.getMessage(),
                        RETRY_DELAY.toSeconds());
            }
            add(action, retryDelay);
        } catch (final IOException | RuntimeException | LinkageError failure) {
            if (isNews(action, failure)) {
                LOGGER.warn(
                        "Burst '{}': {} has failed after a roll: {}. That it fails again is not told.",
                        appender,
                        action,
                        failure,
                        failure);
            }
        }
        retention.keep();
    }

    /** Called in the thread of the jobs only. */
    private boolean isNews(final Action action, final Throwable failure) {
        return told.put(ArchiveActions.compresses(action), failure.getClass()) != failure.getClass();
    }

    /** For tests, which do not wait as long. */
    void retryAfter(final Duration delay) {
        retryDelay = delay;
    }

    private synchronized void schedule(final Runnable what, final Duration delay) {
        if (isEnded) {
            return;
        }
        final Runnable job = new Runnable() {
            @Override
            public void run() {
                try {
                    what.run();
                } finally {
                    remove(this);
                }
            }
        };
        pending.put(job, ArchiveJobs.schedule(job, delay));
    }

    private synchronized void remove(final Runnable job) {
        pending.remove(job);
    }

    /**
     * Waits for the jobs that are due. A file whose compression is not due yet stays as it is until the next start.
     *
     * @return whether they are done
     */
    boolean end(final Duration timeout) {
        final long deadline = System.nanoTime() + timeout.toNanos();
        for (Future<?> job = nextDue(); job != null; job = nextDue()) {
            try {
                job.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
            } catch (final ExecutionException | java.util.concurrent.CancellationException isOver) {
                LOGGER.debug("Burst '{}': a job after a roll: {}", appender, isOver.toString());
            } catch (final TimeoutException notInTime) {
                return false;
            } catch (final InterruptedException stillToBeSeen) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return true;
    }

    /** Of those that are still to come, none begins any more. */
    private synchronized Future<?> nextDue() {
        isEnded = true;
        for (final Iterator<ScheduledFuture<?>> jobs = pending.values().iterator(); jobs.hasNext(); ) {
            final ScheduledFuture<?> job = jobs.next();
            if (job.isDone()) {
                jobs.remove();
            } else if (job.getDelay(TimeUnit.NANOSECONDS) <= 0) {
                return job;
            } else {
                job.cancel(false);
                jobs.remove();
            }
        }
        return null;
    }
}
