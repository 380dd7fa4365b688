// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
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

    /** So long a roll waits for the actions of those before it: the ring holds what is logged meanwhile. */
    static final Duration PATIENCE = Duration.ofSeconds(5);

    /** The work of so many rolls may wait, and no roll is performed beyond it. */
    static final int MOST_PENDING = 1_000;

    private static final Logger LOGGER = StatusLogger.getLogger();

    private final String appender;
    private volatile ArchiveActions actions;
    private volatile Duration compressDelay;
    private Retention retention;
    private final TreeSet<Job> pending = new TreeSet<>();
    private volatile Duration retryDelay = RETRY_DELAY;
    private volatile Duration patience = PATIENCE;
    private volatile int mostPending = MOST_PENDING;
    private long added;
    private boolean isWorking;
    private boolean isEnded;

    /** The one that is under way, or null; it is among those that are pending. */
    private Job current;

    /** What was told of actions that compress, and of others, until one of them succeeds. */
    private final Map<Boolean, Class<?>> told = new HashMap<>();

    /**
     * One of them, or the retention of its own.
     *
     * @param number in the order of the rolls
     * @param addedNanos when it came
     * @param dueNanos when it may begin
     * @param waitsForDelay whether it may begin when the delay of compressions is over
     * @param action null: only what is too much or too old is deleted
     */
    private record Job(long number, long addedNanos, long dueNanos, boolean waitsForDelay, Action action)
            implements Comparable<Job> {

        @Override
        public int compareTo(final Job other) {
            final long sooner = dueNanos - other.dueNanos;
            return sooner != 0 ? Long.signum(sooner) : Long.compare(number, other.number);
        }

        long lateNanos() {
            return System.nanoTime() - dueNanos;
        }
    }

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

    /** Takes what another configuration says. What is pending is done, compressions when its delay is over. */
    synchronized void update(
            final ArchiveActions newActions, final Duration newCompressDelay, final Retention newRetention) {
        actions = newActions;
        compressDelay = newCompressDelay;
        retention = newRetention;
        for (final Job job : List.copyOf(pending)) {
            if (job.waitsForDelay() && job != current) {
                pending.remove(job);
                pending.add(new Job(
                        job.number(),
                        job.addedNanos(),
                        job.addedNanos() + newCompressDelay.toNanos(),
                        true,
                        job.action()));
            }
        }
        notifyAll();
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
        final boolean compresses = ArchiveActions.compresses(safe);
        schedule(safe, compresses ? compressDelay : Duration.ZERO, compresses);
    }

    /** Lets the files of before the start be looked at. */
    synchronized void addRetention() {
        if (retention.isLimited()) {
            schedule(null, Duration.ZERO, false);
        }
    }

    /** Takes a file of before the start that should be compressed, or other work on such files. */
    void add(final Action action, final Duration delay) {
        schedule(action, delay, false);
    }

    /** Whether a job is to compress this file. */
    boolean compresses(final Path file) throws IOException {
        // A thread that logs may ask why no roll should begin, and must wait for no file system.
        final FileIdentity identity = FileIdentity.of(file);
        synchronized (this) {
            return pending.stream()
                    .anyMatch(job -> job.action() != null && ArchiveActions.compresses(job.action(), identity));
        }
    }

    private synchronized void schedule(final Action action, final Duration delay, final boolean waitsForDelay) {
        if (isEnded) {
            return;
        }
        final long now = System.nanoTime();
        pending.add(new Job(added++, now, now + delay.toNanos(), waitsForDelay, action));
        notifyAll();
        if (!isWorking) {
            try {
                ArchiveJobs.start(this::work);
                isWorking = true;
            } catch (final OutOfMemoryError noThread) {
                // The next one tries it again.
                tell(action, noThread);
            }
        }
    }

    private void work() {
        for (Job job = next(); job != null; job = next()) {
            try {
                if (job.action() != null) {
                    execute(job.action());
                }
                retentionOfNow().keep();
            } catch (final Throwable failure) {
                // The jobs behind it are done, whatever it was.
                tell(job.action(), failure);
            } finally {
                done(job);
            }
        }
    }

    private synchronized Retention retentionOfNow() {
        return retention;
    }

    /** Waits for the next that is due. Null if none is left. */
    private synchronized Job next() {
        while (!pending.isEmpty()) {
            final long late = pending.first().lateNanos();
            if (late >= 0) {
                current = pending.first();
                return current;
            }
            try {
                TimeUnit.NANOSECONDS.timedWait(this, -late);
            } catch (final InterruptedException ofAnAction) {
                LOGGER.debug("Burst '{}': an action has left an interrupt behind", appender);
            }
        }
        isWorking = false;
        return null;
    }

    private synchronized void done(final Job job) {
        current = null;
        pending.remove(job);
        notifyAll();
    }

    /** False if the thread is interrupted. */
    private boolean await(final long nanos) {
        try {
            TimeUnit.NANOSECONDS.timedWait(this, nanos);
            return true;
        } catch (final InterruptedException stillToBeSeen) {
            Thread.currentThread().interrupt();
            return false;
        }
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
        } catch (final Exception | LinkageError failure) {
            tell(action, failure);
        }
    }

    private void tell(final Action action, final Throwable failure) {
        if (isNews(action, failure)) {
            LOGGER.warn(
                    "Burst '{}': {} has failed after a roll: {}. That it fails again is not told.",
                    appender,
                    action == null ? "a deletion" : action,
                    failure,
                    failure);
        }
    }

    /** Called in the thread of the jobs only. */
    private boolean isNews(final Action action, final Throwable failure) {
        final boolean compresses = action != null && ArchiveActions.compresses(action);
        return told.put(compresses, failure.getClass()) != failure.getClass();
    }

    /** For tests, which do not wait as long. */
    void retryAfter(final Duration delay) {
        retryDelay = delay;
    }

    /** For tests, which have not as much work. */
    void limit(final int pendingJobs, final Duration wait) {
        mostPending = pendingJobs;
        patience = wait;
    }

    Duration patience() {
        return patience;
    }

    /** Why no roll should begin. Null if nothing is against it. Waits for no job. */
    synchronized String reasonToPutOff() {
        if (pending.size() >= mostPending) {
            return "what is to be done after " + pending.size() + " rolls before it waits still";
        }
        final long most = patience.toNanos();
        final boolean isLate =
                comesBeforeARoll(most) || current != null && ActionsOfRoll.nanosOf(current.action()) > most;
        return isLate ? tooLate() : null;
    }

    String tooLate() {
        return "what is to be done after a roll before it has not ended within " + patience.toMillis() + " ms";
    }

    /** Waits for what a strategy must find done: all but what waits for a compression. Returns whether it is. */
    synchronized boolean awaitActions(final Duration wait) {
        final long deadline = System.nanoTime() + wait.toNanos();
        while (comesBeforeARoll(0)) {
            final long left = deadline - System.nanoTime();
            if (left <= 0 || !await(left)) {
                return false;
            }
        }
        return true;
    }

    /** Whether there is such a job that was due so long ago. */
    private boolean comesBeforeARoll(final long nanos) {
        for (final Job job : pending) {
            if (job.action() != null && ArchiveActions.compresses(job.action())) {
                return false;
            }
            if (job.lateNanos() >= nanos) {
                return true;
            }
        }
        return false;
    }

    /**
     * Waits for the jobs that are due. A file whose compression is not due yet stays as it is until the next start;
     * what else is to be done after its roll is done.
     *
     * @return whether they are done
     */
    synchronized boolean end(final Duration timeout) {
        isEnded = true;
        for (final Job job : List.copyOf(pending)) {
            if (job != current && job.lateNanos() < 0) {
                pending.remove(job);
                final ActionsOfRoll others =
                        job.action() instanceof ActionsOfRoll some ? some.withoutCompression() : null;
                if (others != null) {
                    final long now = System.nanoTime();
                    pending.add(new Job(job.number(), now, now, false, others));
                }
            }
        }
        notifyAll();
        return awaitEmpty(timeout);
    }

    /** Waits for all jobs. Returns whether they are done. */
    synchronized boolean awaitEmpty(final Duration timeout) {
        final long deadline = System.nanoTime() + timeout.toNanos();
        while (!pending.isEmpty()) {
            final long left = deadline - System.nanoTime();
            if (left <= 0 || !await(left)) {
                return false;
            }
        }
        return true;
    }

    /** How many jobs wait or are under way. */
    synchronized int pending() {
        return pending.size();
    }
}
