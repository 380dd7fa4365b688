// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import io.burstlog.BurstException;
import io.burstlog.RollRequest;
import io.burstlog.StreamStats;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.core.appender.rolling.RolloverListener;
import org.apache.logging.log4j.status.StatusLogger;

/**
 * The thread that answers the rolls of one stream. It lets the strategy name the file that ended; when the drain has
 * noted the roll, it hands the remaining work to {@link ArchiveJobs}. It answers rolls until the stream is closed.
 */
final class Roller implements Runnable {

    private static final Logger LOGGER = StatusLogger.getLogger();

    private static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE);
    private static final long SHORTEST_LOOK_NANOS = TimeUnit.MICROSECONDS.toNanos(50);
    private static final long LONGEST_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final String appender;
    private final RollingStream stream;
    private final BurstRollingFileManager manager;
    private final StrategyRun strategy;
    private final RollWarning warning;
    private final Thread thread;

    private volatile boolean isClosed;

    private Roller(
            final String appender,
            final RollingStream stream,
            final BurstRollingFileManager manager,
            final StrategyRun strategy,
            final RollWarning warning) {
        this.appender = appender;
        this.stream = stream;
        this.manager = manager;
        this.strategy = strategy;
        this.warning = warning;
        this.thread = new Answering(this, "burstlog-roller " + appender);
    }

    /**
     * A thread that answers rolls. Listeners, strategies and their actions run in it, and may log. Such a log call must
     * not wait for space in a ring: the drain frees none before this thread has answered. Nor may it ask the policy: a
     * thread that waits for space may hold the manager's lock.
     */
    private static final class Answering extends Thread {

        Answering(final Runnable task, final String name) {
            super(task, name);
            setDaemon(true);
        }
    }

    /** Whether the calling thread answers rolls, of whichever stream. */
    static boolean isCurrent() {
        return Thread.currentThread() instanceof Answering;
    }

    static Roller start(
            final String appender,
            final RollingStream stream,
            final BurstRollingFileManager manager,
            final StrategyRun strategy,
            final RollWarning warning) {
        final Roller roller = new Roller(appender, stream, manager, strategy, warning);
        roller.thread.start();
        return roller;
    }

    /** Waits for the last listener after the stream is closed. The drain notes no further roll. */
    void awaitEnd(final Duration timeout) {
        isClosed = true;
        if (thread == Thread.currentThread()) {
            return;
        }
        try {
            thread.join(Math.max(1, timeout.toMillis()));
        } catch (final InterruptedException stillToBeSeen) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void run() {
        try {
            while (true) {
                performNext();
            }
        } catch (final BurstException closed) {
            LOGGER.debug("Burst '{}': its roller ends: {}", appender, closed.getMessage());
        }
    }

    /**
     * Performs the next roll. If that fails before the drain has its answer, as for lack of memory, the roll comes
     * again.
     */
    private void performNext() {
        try {
            final RollRequest request = stream.nextRoll(FOREVER);
            if (request != null) {
                perform(request);
            }
        } catch (final BurstException closed) {
            throw closed;
        } catch (final RuntimeException | Error failure) {
            LockSupport.parkNanos(LONGEST_LOOK_NANOS);
            LOGGER.warn("Burst '{}': what follows a roll is not done: {}", appender, failure, failure);
        }
    }

    private void perform(final RollRequest request) {
        final RollNote note = RollNote.decode(request.note());
        if (note == null) {
            // Another program has rolled without a strategy.
            stream.rolled(request.sequence(), request.target().isEmpty() ? null : request.target(), null);
            awaitOutcome(request);
            return;
        }
        manager.tell(RolloverListener::rolloverTriggered, request.file());
        StrategyRun.Ended ended = null;
        try {
            ended = strategy.run(request, note);
        } catch (final Throwable failure) {
            warning.tell(request.file(), failure.toString());
        }
        if (ended == null) {
            stream.rollFailed(request.sequence(), 0);
        } else {
            stream.rolled(request.sequence(), ended.target(), ended.nextFile());
        }
        final StreamStats outcome = awaitOutcome(request);
        if (outcome == null) {
            return;
        }
        if (ended != null && outcome.fileNumber() > request.fileNumber()) {
            warning.rolled();
            manager.hasRolled(note);
            strategy.afterwards(ended);
        } else {
            // The engine has told of a rename that was refused.
            manager.goesOn(note, request.fileBytes(), TimeUnit.NANOSECONDS.toMillis(request.fileBornNanos()));
        }
        manager.tell(RolloverListener::rolloverComplete, request.file());
    }

    /** Waits until the drain has noted the outcome of a roll. Null if the stream is closed before that. */
    private StreamStats awaitOutcome(final RollRequest request) {
        for (long look = SHORTEST_LOOK_NANOS; ; look = Math.min(2 * look, LONGEST_LOOK_NANOS)) {
            final boolean isLast = isClosed;
            final StreamStats stats = stream.stats();
            if (stats.fileNumber() > request.fileNumber() || stats.drainedSequence() >= request.sequence()) {
                return stats;
            }
            if (isLast) {
                return null;
            }
            LockSupport.parkNanos(look);
        }
    }
}
