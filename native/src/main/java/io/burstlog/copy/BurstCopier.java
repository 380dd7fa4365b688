// SPDX-License-Identifier: Apache-2.0
package io.burstlog.copy;

import io.burstlog.BurstException;
import io.burstlog.BurstException.Code;
import io.burstlog.BurstLog;
import io.burstlog.BurstStats;
import io.burstlog.CopyFeed;
import io.burstlog.copy.CopyStore.FencedException;
import io.burstlog.copy.CopyStore.RefusedException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Keeps the second copy of a log: takes its records while the ring writes them, and sends them to a {@link CopyStore}.
 *
 * <pre>{@code
 * BurstLog log = BurstLog.open(BurstConfig.builder().ring("orders.ring").fileName("orders.log").copy("B").build());
 * BurstCopier copier = BurstCopier.start(log, CopySettings.builder().store(store).build());
 * long sequence = log.append("order 1\n".getBytes(UTF_8));
 * boolean hasTwoCopies = log.awaitCopied(sequence, Duration.ofSeconds(5));
 * log.close();        // the copier goes on meanwhile: the close waits until the copy has everything
 * copier.close();
 * }</pre>
 *
 * <p>Its thread {@code burstlog-copier} is a daemon, in a thread group of that name inside that of the caller of
 * {@link #start}; the store's own threads inherit it. After a failure of the store it fences the store again, and goes
 * on behind the copy's last record. Once another writer has fenced this one, or the store refuses, no records get to
 * the copy any more: they have one copy only, whatever {@link Away} says.
 *
 * <p>Thread-safe.
 */
public final class BurstCopier implements AutoCloseable {

    /** Whether others wait for a copy that cannot be reached. */
    public enum Away {
        /** They wait, each within its own time. */
        WAIT,
        /** They do not wait: their records have one copy only. */
        DEGRADE
    }

    /** How a copier is. */
    public enum State {
        /** It has not reached the store yet. */
        BEGINNING,
        /** Records get to the copy. */
        COPYING,
        /** The store cannot be reached; the copier tries again. */
        AWAY,
        /** No records get to the copy any more: {@link BurstCopier#failure} says why. */
        FAILED,
        /** The log, or the copier, is closed. */
        CLOSED
    }

    /**
     * The figures of a copier.
     *
     * @param state its state
     * @param place where the copy is; null before the store was reached
     * @param copiedSequence the highest sequence that the copy has together with all before it
     * @param blocks so many the store has acknowledged
     * @param failures so often the store failed
     * @param missing so many records since the open the copy lacks for ever: they had left the ring while it was away
     */
    public record Stats(State state, CopyPlace place, long copiedSequence, long blocks, long failures, long missing) {}

    private static final Duration DEFAULT_LIMIT = Duration.ofSeconds(10);
    private static final long FIRST_PAUSE_MILLIS = 100;
    private static final long LONGEST_PAUSE_MILLIS = 10_000;
    private static final long FAREWELL_MILLIS = 1000;

    private final BurstLog log;
    private final CopyFeed feed;
    private final CopySettings settings;
    private final CopyReport report;
    private final Thread thread;
    private final CountDownLatch stop = new CountDownLatch(1);
    private final AtomicLong blocks = new AtomicLong();
    private final AtomicLong failures = new AtomicLong();
    private volatile State state = State.BEGINNING;
    private volatile CopyPlace place;
    private volatile Throwable failure;

    /** Made by the first step, since a store's client may take its time. Only the thread uses these. */
    private CopyStore store;

    private ByteBuffer buffer;
    private long pauseMillis = FIRST_PAUSE_MILLIS / 2;
    private long blocksBefore;

    private BurstCopier(BurstLog log, CopySettings settings) {
        this.log = log;
        this.feed = log.copyFeed();
        this.settings = settings;
        this.report = new CopyReport(feed.toString(), settings.away() == Away.WAIT, settings.listener());
        this.thread = new Thread(new ThreadGroup("burstlog-copier"), this::run, "burstlog-copier");
        thread.setDaemon(true);
    }

    /**
     * Starts the copier of a log that was opened with a {@link io.burstlog.BurstConfig.Builder#copy copy}. Returns
     * before the store was reached.
     *
     * @param log the log; close it before the copier
     * @param settings how the copy is kept
     * @return the copier
     * @throws BurstException with code {@link BurstException.Code#INVALID_ARGUMENT} if the log has no copy
     */
    public static BurstCopier start(BurstLog log, CopySettings settings) {
        BurstCopier copier = new BurstCopier(log, settings);
        copier.thread.start();
        return copier;
    }

    /** {@return the figures now} */
    public Stats stats() {
        BurstStats.Copy copy = log.stats().copy();
        return new Stats(state, place, copy.copiedSequence(), blocks.get(), failures.get(), copy.recordsMissing());
    }

    /** {@return why the copier failed, or why the store cannot be reached; empty while it can} */
    public Optional<Throwable> failure() {
        return Optional.ofNullable(failure);
    }

    /** As {@link #close(Duration)}, within 10 s. */
    @Override
    public void close() {
        close(DEFAULT_LIMIT);
    }

    /**
     * Ends the copier. Close the log first: its close waits until the copy has all records. Blocks that are under way
     * when the copier ends may still get to the copy.
     *
     * @param limit the longest time that the store gets to end a call; then it is interrupted
     */
    public void close(Duration limit) {
        stop.countDown();
        if (Thread.currentThread() == thread) {
            return; // a listener calls it
        }
        try {
            thread.join(Math.max(1, limit.toMillis()));
            thread.interrupt();
            thread.join(FAREWELL_MILLIS);
        } catch (InterruptedException stillToBeSeenByTheCaller) {
            thread.interrupt();
            Thread.currentThread().interrupt();
        }
    }

    private boolean isStopped() {
        return stop.getCount() == 0;
    }

    private void run() {
        State end = State.CLOSED;
        try {
            while (!isStopped()) {
                Throwable met = copy();
                if (isEnd(met)) {
                    break;
                }
                failure = met;
                failures.incrementAndGet();
                if (isFinal(met)) {
                    end = State.FAILED;
                    stayFailed(met);
                    break;
                }
            }
        } catch (BurstException closed) {
            if (closed.code() != Code.CLOSED) {
                throw closed;
            }
        } catch (InterruptedException closing) {
            // The thread ends, and the store is to close its clients in good order: so it is not interrupted again.
        } finally {
            state = end;
            closeStore();
        }
    }

    private void closeStore() {
        if (store != null) {
            boolean isInterrupted = Thread.interrupted(); // the store's client would end its own close halfway
            store.close();
            store = null;
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Tells the last failure and waits, then copies until something fails. Returns that, also if it is the telling;
     * null if the copier is to end.
     */
    private Throwable copy() {
        CopySession session = null;
        try {
            if (failure != null) {
                stayAway(failure);
            }
            if (isStopped()) {
                return null;
            }
            if (store == null) {
                store = settings.store().get();
            }
            CopyBlock newest = store.fence();
            require(store.place());
            session = new CopySession(feed, store, log.ringId(), blocks);
            begun(session.begin(newest));
            if (buffer == null) {
                buffer = ByteBuffer.allocateDirect(settings.blockBytes());
            }
            // A quarter is left for the names of streams.
            int blockBytes = Math.min(settings.blockBytes(), store.mostBlockBytes() / 4 * 3);
            while (!isStopped()) {
                buffer = session.step(buffer, blockBytes);
            }
            return null;
        } catch (Throwable met) {
            return met;
        } finally {
            if (session != null) {
                session.end();
            }
        }
    }

    private void require(CopyPlace given) {
        place = given;
        if (!given.isAtLeast(settings.atLeast())) {
            throw new RefusedException("it is in " + given + ", and atLeast asks for " + settings.atLeast());
        }
    }

    private void begun(CopyFeed.Begun begun) {
        failure = null;
        state = State.COPYING;
        report.begun(place, begun);
    }

    private boolean isEnd(Throwable met) {
        return met == null
                || met instanceof InterruptedException && isStopped()
                || met instanceof BurstException closed && closed.code() == Code.CLOSED;
    }

    private static boolean isFinal(Throwable met) {
        return met instanceof FencedException
                || met instanceof RefusedException
                || met instanceof Error && !(met instanceof OutOfMemoryError)
                || met instanceof BurstException refused && refused.code() != Code.COPY_AWAY;
    }

    private void stayAway(Throwable met) throws InterruptedException {
        if (settings.away() == Away.DEGRADE) {
            feed.away();
        }
        boolean hasStored = blocks.get() > blocksBefore;
        blocksBefore = blocks.get();
        pauseMillis = hasStored ? FIRST_PAUSE_MILLIS : Math.min(LONGEST_PAUSE_MILLIS, 2 * pauseMillis);
        state = State.AWAY;
        try {
            report.out(met, System.nanoTime());
        } finally {
            stop.await(pauseMillis, TimeUnit.MILLISECONDS);
        }
    }

    /** Nobody waits for the copy any more, and the operator hears of it until the log is closed. */
    private void stayFailed(Throwable met) throws InterruptedException {
        state = State.FAILED;
        do {
            feed.away();
            report.failed(met);
            closeStore(); // its client may have threads that keep the JVM alive
        } while (!stop.await(CopyReport.EVERY_NANOS, TimeUnit.NANOSECONDS));
    }
}
