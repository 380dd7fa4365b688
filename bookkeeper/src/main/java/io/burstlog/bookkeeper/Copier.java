// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bookkeeper;

import io.burstlog.BurstConsumer;
import io.burstlog.BurstException;
import io.burstlog.ConsumedRecords;
import io.burstlog.ConsumerLag;
import io.burstlog.bookkeeper.CopierStats.State;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Copies the records of a folder of segments into ledgers of Apache BookKeeper: each once, in order, to the disks of
 * two of three bookies.
 *
 * <pre>{@code
 * CopierConfig config = CopierConfig.builder()
 *         .folder("orders.segments")
 *         .property("metadataServiceUri", "zk+hierarchical://zk-1:2181;zk-2:2181/ledgers")
 *         .build();
 * try (Copier copier = Copier.start(config)) {
 *     ...
 * }
 * }</pre>
 *
 * <p>The copier needs no open log: it runs in the process of the log, or in one of its own. At its start and after any
 * failure it fences the newest ledger of the folder, reads the last block in it, and goes on behind that in a new
 * ledger. Its acknowledged position in the folder counts only while the folder has no ledger. While bookies are away
 * the records wait in the folder, and the copier tries again, after a tenth of a second at first and ten seconds at
 * last.
 *
 * <p>If a second copier of the same folder begins, or another host recovers the folder, this one ends as
 * {@link State#FAILED}.
 *
 * <p>Thread-safe. All work is done by one thread of its own, a daemon.
 */
public final class Copier implements AutoCloseable {

    private static final Duration LOOK = Duration.ofMillis(200);
    private static final long NOTE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long FIRST_BACK_OFF_MILLIS = 100;
    private static final long LAST_BACK_OFF_MILLIS = 10_000;
    private static final Duration FAREWELL = Duration.ofSeconds(10);
    private static final Duration LAST_PATIENCE = Duration.ofSeconds(1);

    /** The errno of a consumer whose folder has been replaced. */
    private static final int ESTALE = 116;

    private final CopierConfig config;
    private final Maker maker;
    private final Announcements announcements;
    private final Thread thread;
    private volatile boolean isStopping;
    private volatile boolean isFinishing;
    private volatile String failure;
    private volatile State state = State.CONNECTING;
    private volatile long copied;
    private volatile long blocks;
    private volatile long failures;
    private volatile ConsumerLag lag = new ConsumerLag(0, 0, 0);

    /** Null while there is no folder. The copier's thread alone uses this and the fields below. */
    private BurstConsumer consumer;

    private Copy copy;

    /** The number of the next record to send. */
    private long next;

    /** The number of the first record behind what the copy had when it was last fenced. */
    private long begun;

    private long acknowledged;
    private long noted;
    private boolean isCaughtUp;

    /** Makes the copy of a folder; it begins with {@link Copy#fence}. */
    interface Maker {
        Copy make(BurstConsumer folder, Consumer<Block> acknowledging);
    }

    private Copier(CopierConfig config, Maker maker) {
        this.config = config;
        this.maker = maker;
        announcements = new Announcements(config);
        beginFolder(BurstConsumer.open(config.folder(), config.consumer()));
        thread = ClientThreads.daemon(this::run);
    }

    /**
     * Opens the consumer in the folder, and copies in the background from then on, as soon as the bookies answer.
     *
     * @param config what to copy, and where to
     * @return the running copier
     * @throws BurstException if the folder or the consumer in it cannot be opened
     */
    public static Copier start(CopierConfig config) {
        return start(
                config,
                (folder, acknowledging) ->
                        new Ledgers(config.properties(), folder.folderId(), folder.stream(), acknowledging));
    }

    static Copier start(CopierConfig config, Maker maker) {
        Copier copier = new Copier(config, maker);
        copier.thread.start();
        return copier;
    }

    /** {@return the figures of this moment} */
    public CopierStats stats() {
        ConsumerLag seen = lag;
        long oldest = seen.oldestEventTimeNanos();
        double seconds = oldest == 0 ? 0 : Math.max(0, System.currentTimeMillis() / 1e3 - oldest / 1e9);
        return new CopierStats(state, copied, blocks, failures, seen.records(), seconds);
    }

    /** {@return why it has ended by itself, in a sentence; null if it has not} */
    public String failure() {
        return failure;
    }

    /**
     * Waits until the copier ends, by itself or because it is closed.
     *
     * @param timeout how long to wait at most
     * @return whether it has ended
     * @throws InterruptedException if the thread was interrupted
     */
    public boolean awaitEnd(Duration timeout) throws InterruptedException {
        thread.join(Math.max(1, timeout.toMillis()));
        return !thread.isAlive();
    }

    /** Ends, within ten seconds, and lets go of the folder. A second call does nothing. */
    @Override
    public void close() {
        isStopping = true;
        if (!hasEnded(FAREWELL)) {
            thread.interrupt();
            hasEnded(FAREWELL);
        }
    }

    /**
     * Copies the records that are in the folder until something fails, and lets go of the folder. The listener is told
     * what is left; the next copier copies it.
     *
     * @param limit how long that may take; it may be exceeded by a second
     */
    public void close(Duration limit) {
        isFinishing = true;
        if (!hasEnded(limit)) {
            isStopping = true;
            thread.interrupt();
            hasEnded(LAST_PATIENCE);
        }
    }

    private boolean hasEnded(Duration timeout) {
        try {
            return awaitEnd(timeout);
        } catch (InterruptedException stillToBeSeenByTheCaller) {
            Thread.currentThread().interrupt();
            return !thread.isAlive();
        }
    }

    @Override
    public String toString() {
        return "Copier[" + config.folder() + "]";
    }

    // ------------------------------------------------------------------------------------------------ its own thread

    private void beginFolder(BurstConsumer opened) {
        consumer = opened;
        copy = maker.make(opened, block -> copied = block.last());
        next = opened.position();
        acknowledged = next - 1;
        copied = acknowledged;
    }

    private void leaveFolder() {
        if (consumer != null) {
            copy.close();
            consumer.close();
            consumer = null;
        }
    }

    private static boolean isStale(Throwable reason) {
        return reason instanceof BurstException && ((BurstException) reason).errno() == ESTALE;
    }

    private void run() {
        try {
            for (long backOff = FIRST_BACK_OFF_MILLIS;
                    !isStopping;
                    backOff = Math.min(2 * backOff, LAST_BACK_OFF_MILLIS)) {
                long before = copied;
                Exception reason = copy();
                if (reason == null || isStopping) {
                    break;
                }
                if (reason instanceof Copy.FencedException || reason instanceof RefusedException) {
                    fail(reason);
                    return;
                }
                failures++;
                if (isStale(reason)) {
                    leaveFolder();
                    announcements.changesFolder(reason.getMessage(), next);
                } else {
                    announcements.waits(reason);
                }
                state = State.WAITING;
                backOff = copied > before || consumer == null ? FIRST_BACK_OFF_MILLIS : backOff;
                rest(backOff);
                if (isFinishing) {
                    break;
                }
            }
            if (isFinishing) {
                tellWhatIsLeft();
            }
            state = State.CLOSED;
        } catch (Throwable unexpected) {
            fail(unexpected);
        } finally {
            leaveFolder();
        }
    }

    /** Fences the copy, and sends until something fails. Returns what failed; null if the copier was stopped. */
    private Exception copy() {
        try {
            if (consumer == null) {
                beginFolder(BurstConsumer.open(config.folder(), config.consumer()));
            }
            begin(copy.fence());
            while (!isStopping) {
                // Read before the poll: records that were there when the copier was told to finish must be found.
                boolean isLast = isFinishing;
                ConsumedRecords records = consumer.poll(config.blockBytes(), isLast ? Duration.ZERO : LOOK);
                boolean hasNone = records.isEmpty();
                for (Block each : Block.of(consumer.folderId(), records)) {
                    copy.send(each);
                    blocks++;
                    next = each.last() + 1;
                }
                copy.acknowledged();
                boolean hasAll = hasNone && copied == next - 1;
                if (hasAll && isLast) {
                    break;
                }
                tellProgress(hasAll);
                note(false);
                if (hasNone && !isLast && ClientThreads.keepTheJvmAlive()) {
                    copy.close();
                    awaitEndOfApplication();
                    begin(copy.fence());
                }
            }
            note(true);
            return null;
        } catch (InterruptedException stopped) {
            return isStopping ? null : stopped;
        } catch (Exception failed) {
            return failed;
        } finally {
            copy.close();
        }
    }

    private void awaitEndOfApplication() throws InterruptedException {
        while (!isFinishing) {
            if (isStopping) {
                throw new InterruptedException("it is stopped");
            }
            Thread.sleep(LOOK.toMillis());
        }
    }

    /** @param last the last block of the copy; null: it has none */
    private void begin(Block last) {
        if (last != null) {
            requireSame(last.entries().get(last.entries().size() - 1));
            if (last.last() < acknowledged) {
                announcements.copyHasLost(last.last() + 1, acknowledged);
            }
            acknowledged = Math.min(acknowledged, last.last());
            copied = last.last();
        } else {
            copied = acknowledged;
        }
        next = copied + 1;
        begun = next;
        consumer.seek(next);
        isCaughtUp = false;
    }

    /**
     * Refuses a folder that was turned back to an older state (by a snapshot of its host, for instance): it uses
     * numbers again that the copy has, and going on behind them would skip records.
     */
    private void requireSame(Block.Entry last) {
        consumer.seek(last.number());
        ConsumedRecords found = consumer.poll(0, Duration.ZERO);
        if (!found.next()) {
            throw new BurstException(
                    BurstException.Code.OTHER,
                    "the folder ends before number " + last.number() + ", which the copy has");
        }
        if (found.kind() != ConsumedRecords.Kind.MISSING
                && !Block.Entry.of(found).isSame(last)) {
            throw new RefusedException("its record number " + last.number()
                    + " is another one there: the folder was turned back to an older state and gives numbers again."
                    + " Nothing from it is copied; move it away and begin a new one");
        }
    }

    /** The connection alone proves nothing: bookies may refuse the next block each time. */
    private void tellProgress(boolean hasAll) {
        if (hasAll || copied >= next - 1) {
            boolean isAgain = state == State.WAITING;
            state = State.COPYING;
            announcements.copies(isAgain, begun);
        }
        if (hasAll && !isCaughtUp) {
            announcements.hasAll(next - 1);
            isCaughtUp = true;
        }
    }

    private void fail(Throwable reason) {
        announcements.ends(reason, sentence -> {
            failure = sentence;
            state = State.FAILED;
        });
    }

    private void tellWhatIsLeft() {
        if (consumer != null) {
            consumer.seek(copied + 1);
            announcements.isLeft(consumer.lag().records());
        }
    }

    private void rest(long millis) {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (!isStopping && !isFinishing && System.nanoTime() < end) {
            try {
                Thread.sleep(Math.min(millis, LOOK.toMillis()));
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    /** Once a second, acknowledges to the folder what it need not keep, and measures how much waits there. */
    private void note(boolean now) {
        long time = System.nanoTime();
        if (!now && time - noted < NOTE_NANOS) {
            return;
        }
        noted = time;
        try {
            lag = consumer.lag();
        } catch (BurstException stale) {
            if (isStale(stale)) {
                return; // The next poll throws it again, when all readable records are copied.
            }
            throw stale;
        }
        long reached = copied;
        if (reached > acknowledged) {
            consumer.ack(reached);
            acknowledged = reached;
        }
    }
}
