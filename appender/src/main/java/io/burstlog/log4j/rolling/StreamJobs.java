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
 * The work on one stream's files that ended. Jobs of a stream run one after another, in the order of its rolls. Safe
 * for use by any thread.
 */
final class StreamJobs {

    /** The delay before a failed compression is tried again; the file stays plain until then. */
    static final Duration RETRY_DELAY = Duration.ofMinutes(1);

    /** The longest time that a roll waits for the actions of earlier rolls; the ring keeps the events of that time. */
    static final Duration PATIENCE = Duration.ofSeconds(5);

    /** The work of at most this many rolls may wait; beyond it no roll is performed. */
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

    /** The job under way, or null. It counts as pending. */
    private Job current;

    /** The failures that were told, for actions that compress and for others, until an action of that kind succeeds. */
    private final Map<Boolean, Class<?>> told = new HashMap<>();

    /**
     * One job: the actions of a roll, or the stream's own retention.
     *
     * @param number in the order of the rolls
     * @param addedNanos when it came
     * @param dueNanos the earliest time at which it may begin
     * @param waitsForDelay whether it waits for the delay of compressions
     * @param action null: the job only deletes files beyond the limits
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

    /** Takes another configuration. Pending jobs are still done; its delay counts for pending compressions. */
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
     * Takes the actions that a strategy wants after a roll.
     *
     * @param wanted null: nothing
     * @param planned the name that the strategy believes the file has
     * @param archive the file's name; null: it is gone
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

    /** Adds a job that applies the limits to files of earlier processes. */
    synchronized void addRetention() {
        if (retention.isLimited()) {
            schedule(null, Duration.ZERO, false);
        }
    }

    /** Takes work on files of earlier processes, such as a compression. */
    void add(final Action action, final Duration delay) {
        schedule(action, delay, false);
    }

    /** Whether a job is to compress this file. */
    boolean compresses(final Path file) throws IOException {
        // Outside the lock: a logging thread takes it to ask about rolls, and must wait for no file system.
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
                // The next job tries to start a thread again.
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
                // The jobs behind it are done even after this failure.
                tell(job.action(), failure);
            } finally {
                done(job);
            }
        }
    }

    private synchronized Retention retentionOfNow() {
        return retention;
    }

    /** Waits for the next due job. Null if none is left. */
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

    /** Shortens the delay for tests. */
    void retryAfter(final Duration delay) {
        retryDelay = delay;
    }

    /** Lowers the limits for tests. */
    void limit(final int pendingJobs, final Duration wait) {
        mostPending = pendingJobs;
        patience = wait;
    }

    Duration patience() {
        return patience;
    }

    /** Returns why no roll should begin now; null if one may. It waits for no job. */
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

    /**
     * Waits for the jobs that a strategy must find done: all that do not wait for a compression. Returns whether they
     * are done.
     */
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

    /** Whether a job that a strategy must find done has been due for this long. */
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
     * Waits for the jobs that are due. A file whose compression is not due yet stays plain until the next start; the
     * other actions of its roll are done.
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
