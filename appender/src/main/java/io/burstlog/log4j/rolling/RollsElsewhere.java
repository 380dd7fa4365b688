// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import io.burstlog.BurstException;
import io.burstlog.Rolling;
import io.burstlog.StreamStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.core.appender.rolling.RolloverListener;
import org.apache.logging.log4j.status.StatusLogger;

/**
 * The rolls of a stream whose drain is another process. That performs each as its record says: it renames, compresses
 * and deletes. A thread here waits until it has, for the names and the size of the files that follow, and for
 * listeners.
 */
final class RollsElsewhere implements RollWork, Runnable {

    private static final Logger LOGGER = StatusLogger.getLogger();

    private static final long SHORTEST_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LONGEST_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final String appender;
    private final RollingStream stream;
    private final BurstRollingFileManager manager;

    /** The drain learns this from each roll; null: it learns only names. */
    private final Rolling rules;

    private final Queue<AcceptedRoll> waiting = new ConcurrentLinkedQueue<>();
    private final Thread thread;

    /** The number of the file once the rolls before those that wait are performed. */
    private volatile long fileNumber;

    private volatile boolean isClosed;

    RollsElsewhere(final RollingSettings settings, final RollingStream stream, final BurstRollingFileManager manager) {
        this.appender = settings.appender();
        this.stream = stream;
        this.manager = manager;
        this.rules = WithoutJvm.rules(settings);
        this.thread = new Thread(this, "burstlog-roller " + appender);
        thread.setDaemon(true);
        manager.tellAccepted(this::add);
    }

    @Override
    public void begin() {
        fileNumber = stream.stats().fileNumber();
        thread.start();
    }

    private void add(final AcceptedRoll roll) {
        waiting.add(roll);
        LockSupport.unpark(thread);
    }

    @Override
    public void update(final RollingSettings settings) {
        WithoutJvm.require(settings);
        if (!Objects.equals(WithoutJvm.rules(settings), rules)) {
            throw new BurstException(
                    BurstException.Code.INVALID_ARGUMENT,
                    "the drain of another process goes on to compress and delete as the log file was opened with: "
                            + "restart the process for another filePattern, compression, maxTotalSize or maxAge.");
        }
    }

    @Override
    public void run() {
        try {
            for (long look = SHORTEST_LOOK_NANOS; ; ) {
                final boolean isLast = isClosed;
                if (waiting.isEmpty()) {
                    if (isLast) {
                        return;
                    }
                    LockSupport.park(this);
                    look = SHORTEST_LOOK_NANOS;
                } else if (!lookAtDrain() && isLast) {
                    return;
                } else {
                    LockSupport.parkNanos(look);
                    look = Math.min(2 * look, LONGEST_LOOK_NANOS);
                }
            }
        } catch (final BurstException closed) {
            LOGGER.debug("Burst '{}': its rolls are not followed any more: {}", appender, closed.getMessage());
        }
    }

    /** Returns whether the drain has passed a roll that waited. */
    private boolean lookAtDrain() {
        final StreamStats stats = stream.stats();
        final List<AcceptedRoll> passed = new ArrayList<>();
        while (!waiting.isEmpty() && waiting.peek().sequence() <= stats.drainedSequence()) {
            passed.add(waiting.remove());
        }
        if (passed.isEmpty()) {
            return false;
        }
        final AcceptedRoll last = passed.get(passed.size() - 1);
        final long performed = fileNumber + passed.size();
        if (stats.fileNumber() >= performed || passed.size() > 1 && hasBegun(stats, last)) {
            manager.hasRolled(last.note());
        } else {
            manager.goesOn(last.note(), last.bytes(), last.bornMillis());
        }
        // The drain's number may count the next roll, which it has performed and not passed yet.
        fileNumber = Math.min(stats.fileNumber(), performed);
        for (final AcceptedRoll roll : passed) {
            manager.tell(RolloverListener::rolloverTriggered, roll.file());
            manager.tell(RolloverListener::rolloverComplete, roll.file());
        }
        return true;
    }

    /** Whether the drain has performed the last roll of several, which makes up for those that it has given up. */
    private static boolean hasBegun(final StreamStats stats, final AcceptedRoll last) {
        return stats.fileBorn() != null && stats.fileBorn().toEpochMilli() == last.millis();
    }

    @Override
    public boolean end(final Duration timeout) {
        isClosed = true;
        LockSupport.unpark(thread);
        if (thread != Thread.currentThread()) {
            try {
                thread.join(Math.max(1, timeout.toMillis()));
            } catch (final InterruptedException stillToBeSeen) {
                Thread.currentThread().interrupt();
            }
        }
        return true;
    }
}
