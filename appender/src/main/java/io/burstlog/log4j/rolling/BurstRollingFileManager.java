// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import io.burstlog.BurstException;
import io.burstlog.Roll;
import io.burstlog.StreamStats;
import io.burstlog.doors.OpenRing;
import io.burstlog.doors.Units;
import java.time.Duration;
import java.util.Date;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.logging.log4j.core.LifeCycle;
import org.apache.logging.log4j.core.LifeCycle2;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.appender.rolling.PatternProcessor;
import org.apache.logging.log4j.core.appender.rolling.RolloverListener;
import org.apache.logging.log4j.core.appender.rolling.RolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.TriggeringPolicy;

/**
 * The manager that policies see for a log file behind the ring. {@link #getFileSize()} counts the bytes accepted for
 * the current file, in the ring or already in the file. {@link #rollover()} appends a roll to the ring and returns when
 * it is durable there; the file gets its name when the drain comes to the roll: see {@link Roller}.
 *
 * <p>With one logging thread a file ends before the same event as with {@code RollingFile}. If another thread logs an
 * event between the decision and the roll, the event is still in the file that ends, but counts for the next one. If a
 * log call may not wait for ever and finds the ring full, the file goes on, and the next event tries the roll again, at
 * most once a millisecond.
 *
 * <p>Safe for use by any thread.
 */
public final class BurstRollingFileManager extends ManagerWithoutFile {

    private final RollingStream stream;
    private final List<RolloverListener> listeners = new CopyOnWriteArrayList<>();

    /** Guards the fields below. The volatile ones are changed under it and read without it. */
    private final PatientLock lock = new PatientLock();

    private final AtomicLong bytes = new AtomicLong();
    private volatile AskAt askAt = AskAt.NEVER;

    /** A roll that failed and is to be repeated; until it succeeds no policy is asked. */
    private final AtomicReference<RollRetry> retry = new AtomicReference<>();

    /** Why no roll should be added, or null. */
    private Supplier<String> reasonToPutOff = () -> null;

    private RollWarning warning;
    private Consumer<AcceptedRoll> acceptedRolls = roll -> {};

    private volatile Duration retryDelay = RollRetry.DELAY;
    private volatile Duration retryDelayOfFullRing = RollRetry.DELAY_OF_FULL_RING;
    private volatile RollContent content;
    private volatile long fileMillis;
    private boolean skipsFooter;
    private boolean isBeginning;

    /** Set without the lock, which a roll holds that waits for the ring. */
    private volatile boolean isEnded;

    /** @param stats figures of the stream, which has no waiting roll */
    BurstRollingFileManager(final RollingSettings settings, final RollingStream stream, final StreamStats stats) {
        super(settings, settings.isDirectWrite() ? 0 : millisOf(stats));
        this.stream = stream;
        this.content = new RollContent(settings, stream);
        this.fileMillis = millisOf(stats);
        this.bytes.set(stats.fileBytes());
    }

    /**
     * Sets the supplier of reasons against a roll; call it before the first roll. While it gives a reason no roll is
     * added, and the reason is told once.
     */
    void putOff(final Supplier<String> reason, final RollWarning told) {
        lock.lock();
        try {
            reasonToPutOff = reason;
            warning = told;
        } finally {
            lock.unlock();
        }
    }

    /** Sets who is told of each roll that the ring has accepted; call it before the first roll. It must not wait. */
    void tellAccepted(final Consumer<AcceptedRoll> told) {
        lock.lock();
        try {
            acceptedRolls = told;
        } finally {
            lock.unlock();
        }
    }

    private static long millisOf(final StreamStats stats) {
        return stats.fileBorn() == null ? 0 : stats.fileBorn().toEpochMilli();
    }

    /** Takes size and age of the current file, when no roll waits in the ring any more and nothing was logged yet. */
    void continues(final StreamStats stats, final long fileBytes) {
        bytes.set(fileBytes);
        fileMillis = millisOf(stats);
        if (!isDirectWrite()) {
            getPatternProcessor().setPrevFileTime(fileMillis);
        }
        final RollNote note = noteOfNow();
        content.look(note);
        // Loads what the first roll needs, so that it does not hold up the thread that logs.
        content.copy().roll(note, true, AskAt.NEVER, fileMillis);
    }

    /**
     * Called before an event is appended. Takes no lock and allocates nothing unless it is time to ask the policy.
     *
     * @param mayWait whether the call may wait for ever, for space and for other threads; if not, the roll waits for
     *     neither
     */
    public void beforeEvent(final LogEvent event, final boolean mayWait) {
        final RollRetry failed = retry.get();
        final AskAt at = askAt;
        final boolean mustAsk =
                failed != null ? failed.isDue() : bytes.get() > at.bytes() || event.getTimeMillis() >= at.millis();
        if (mustAsk && !isEnded && isLocked(mayWait)) {
            try {
                check(event, mayWait);
            } finally {
                lock.unlock();
            }
        }
    }

    /** Takes the lock; false if another thread rolls the file, and this one may not wait for it. */
    private boolean isLocked(final boolean mayWait) {
        if (mayWait) {
            lock.lock();
            return true;
        }
        return lock.tryLock();
    }

    /** Called when an event was accepted. */
    public void accepted(final int length) {
        bytes.getAndAdd(length);
    }

    @Override
    public void checkRollover(final LogEvent event) {
        lock.lock();
        try {
            check(event, true);
        } finally {
            lock.unlock();
        }
    }

    private void check(final LogEvent event, final boolean mayWait) {
        if (isEnded) {
            return;
        }
        final RollRetry failed = retry.get();
        if (failed != null) {
            if (failed.isDue()) {
                roll(failed.note(), failed.skipsFooter(), event.getTimeMillis(), mayWait);
            }
        } else if (getTriggeringPolicy().isTriggeringEvent(event)) {
            roll(noteOfNow(), skipsFooter, event.getTimeMillis(), mayWait);
        }
        askAt = AskAt.of(getTriggeringPolicy());
    }

    @Override
    public void rollover() {
        lock.lock();
        try {
            if (!isEnded) {
                roll(noteOfNow(), skipsFooter, System.currentTimeMillis(), !isBeginning);
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void rollover(final Date previousFileTime, final Date previousRollTime) {
        lock.lock();
        try {
            getPatternProcessor().setPrevFileTime(previousFileTime.getTime());
            getPatternProcessor().setCurrentFileTime(previousRollTime.getTime());
            rollover();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Makes the note of a roll at this moment. For a time that the processor does not know it takes the time of the
     * roll.
     */
    private RollNote noteOfNow() {
        final PatternProcessor processor = getPatternProcessor();
        final long now = System.currentTimeMillis();
        return new RollNote(
                processor.getPrevFileTime() != 0 ? processor.getPrevFileTime() : now,
                isDirectWrite() || processor.getCurrentFileTime() == 0 ? now : processor.getCurrentFileTime(),
                processor.getNextFileTime(),
                isRenameEmptyFiles());
    }

    private void roll(final RollNote note, final boolean withoutFooter, final long millis, final boolean mayWait) {
        final String reason = reasonToPutOff.get();
        if (reason != null) {
            final RollRetry before = retry.get();
            retry.set(RollRetry.after(retryDelay, note, withoutFooter, before != null && before.isOfDrain()));
            warning.tell(getFileName(), reason);
            return;
        }
        final String file = getFileName();
        // Set before the roll is appended: the roller may take it back when the roll fails.
        final long ending = bytes.getAndSet(0);
        final long began = fileMillis;
        fileMillis = millis;
        retry.set(null);
        long sequence = 0;
        try {
            final Roll roll = content.roll(note, withoutFooter, AskAt.of(getTriggeringPolicy()), millis);
            sequence = add(roll, TimeUnit.MILLISECONDS.toNanos(millis), mayWait);
            if (sequence > 0) {
                acceptedRolls.accept(new AcceptedRoll(sequence, note, file, ending, began, millis));
            }
        } catch (final BurstException failure) {
            // The next event meets the same failure, and its call throws.
            LOGGER.debug("Burst '{}': no roll: {}", getName(), failure.getMessage());
        } finally {
            if (sequence <= 0) {
                content.takeBack();
                fileMillis = began;
                bytes.getAndAdd(ending);
                retry.set(
                        RollRetry.after(sequence < 0 ? retryDelayOfFullRing : retryDelay, note, withoutFooter, false));
            }
        }
    }

    /** Returns the sequence of the roll, or a later one; 0 if it was refused, -1 if there is no space for it now. */
    private long add(final Roll roll, final long timeNanos, final boolean mayWait) {
        try {
            return mayWait ? stream.roll(roll, timeNanos) : stream.offerRoll(roll, timeNanos);
        } catch (final BurstException failure) {
            if (failure.code() != BurstException.Code.UNDECIDED) {
                throw failure;
            }
            // It is in the ring, and was not durable in time.
            return stream.acceptedSequence();
        }
    }

    /** Whether a roll failed and is to be repeated. */
    boolean hasFailed() {
        return retry.get() != null;
    }

    /** For tests, which do not wait as long. */
    void retryAfter(final Duration delay) {
        retryDelay = delay;
        retryDelayOfFullRing = delay;
    }

    /**
     * Called when a roll was not performed and the file goes on: bytes logged since then count on top of the file's. It
     * takes no lock: a thread that waits for space in the ring may hold the lock, and space comes only when the rolls
     * in the ring are answered.
     */
    void goesOn(final RollNote note, final long fileBytes, final long bornMillis) {
        bytes.getAndAdd(fileBytes);
        fileMillis = bornMillis;
        retry.set(RollRetry.after(retryDelay, note, false, true));
    }

    /** Called when a roll was performed; it makes up for failed rolls before it. It takes no lock either. */
    void hasRolled(final RollNote note) {
        content.look(note);
        final RollRetry before = retry.get();
        if (before != null && before.isOfDrain()) {
            retry.compareAndSet(before, null);
        }
    }

    /** Lets the policy begin, which may roll. */
    @Override
    public void initialize() {
        begin(() -> {
            final TriggeringPolicy policy = getTriggeringPolicy();
            policy.initialize(this);
            if (policy instanceof LifeCycle beginning) {
                beginning.start();
            }
        });
    }

    /**
     * A start or a reconfiguration waits for no roll of its policy: the next event tries it again if there is no space.
     */
    private void begin(final Runnable step) {
        lock.lock();
        isBeginning = true;
        try {
            step.run();
            askAt = AskAt.of(getTriggeringPolicy());
        } finally {
            isBeginning = false;
            lock.unlock();
        }
    }

    /**
     * Takes policy, strategy and pattern of another configuration; the file that is written goes on. If this throws, as
     * the policy may, nothing changes.
     *
     * @param first runs before that, and may refuse the configuration by an exception
     * @param undo takes that back
     * @param patience how long to wait for a roll that waits for the ring
     * @throws BurstException if that roll still waits
     */
    void update(final RollingSettings settings, final Runnable first, final Runnable undo, final Duration patience) {
        if (!lock.isTakenWithin(patience)) {
            throw new BurstException(
                    BurstException.Code.TIMED_OUT,
                    "a roll of the log file still waits for the ring " + stream.ring() + " after shutdownTimeout, "
                            + Units.of(patience) + "; give the configuration again when the ring takes events.");
        }
        final RollContent contentBefore = content;
        final RolloverStrategy strategyBefore = getRolloverStrategy();
        final PatternProcessor patternBefore = getPatternProcessor();
        try {
            first.run();
            content = new RollContent(settings, stream);
            setRolloverStrategy(settings.strategy());
            setPatternProcessor(new PatternProcessor(settings.filePattern(), patternBefore));
            setTriggeringPolicy(settings.policy());
        } catch (final RuntimeException | Error failure) {
            undo.run();
            content = contentBefore;
            setRolloverStrategy(strategyBefore);
            setPatternProcessor(patternBefore);
            throw failure;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void setTriggeringPolicy(final TriggeringPolicy policy) {
        begin(() -> super.setTriggeringPolicy(policy));
    }

    /** Returns the strategy that names files from now on, also for rolls that already wait. */
    RolloverStrategy strategy() {
        return getRolloverStrategy();
    }

    /** Ends the policy: no roll begins any more. Returns whether the policy ended within the time. */
    boolean end(final Duration timeout) {
        final long begin = System.nanoTime();
        isEnded = true;
        // A roll under way comes before the last lines. If it waits for the ring, only the close behind this ends it.
        if (lock.isTakenWithin(timeout)) {
            lock.unlock();
        }
        final TriggeringPolicy policy = getTriggeringPolicy();
        if (policy instanceof LifeCycle2 ending) {
            return ending.stop(OpenRing.left(timeout, begin).toMillis(), TimeUnit.MILLISECONDS);
        }
        if (policy instanceof LifeCycle ending) {
            ending.stop();
        }
        return true;
    }

    /** The bytes accepted for the current file, but for its header, which {@code RollingFile} does not count either. */
    @Override
    public long getFileSize() {
        return bytes.get();
    }

    /** When the current file began, in milliseconds since 1970; 0: not known. */
    @Override
    public long getFileTime() {
        return fileMillis;
    }

    /** The file that is written now. */
    @Override
    public String getFileName() {
        // The constructor of a class above asks for it, too.
        return stream == null ? getName() : stream.currentFile();
    }

    @Override
    public void skipFooter(final boolean choice) {
        lock.lock();
        try {
            skipsFooter = choice;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void addRolloverListener(final RolloverListener listener) {
        listeners.add(listener);
    }

    @Override
    public void removeRolloverListener(final RolloverListener listener) {
        listeners.remove(listener);
    }

    /** Calls each listener. One that throws does no harm. */
    void tell(final BiConsumer<RolloverListener, String> what, final String file) {
        for (final RolloverListener listener : listeners) {
            try {
                what.accept(listener, file);
            } catch (final RuntimeException | Error failure) {
                LOGGER.warn("Burst '{}': the rollover listener {} failed: {}", getName(), listener, failure, failure);
            }
        }
    }
}
