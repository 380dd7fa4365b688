// SPDX-License-Identifier: Apache-2.0
package io.burstlog.doors;

import io.burstlog.BurstException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Closes all rings of this class loader for a while: before a checkpoint of this process (CRaC), whose image may hold
 * no open file and no thread in native code. After the restore the rings are opened as at any start, with recovery,
 * since other processes may have written to them and to the log files meanwhile.
 *
 * <p>Log calls that come meanwhile wait until the restore, and so does who opens a further log file. Only the thread
 * that makes the checkpoint is refused: it would wait for itself.
 */
public final class Suspension {

    /** An appender or handler that has a log file open. */
    public interface Part {

        /** {@return the part and the place of its configuration, for sentences} */
        String place();

        /**
         * Makes everything durable and lets go of the log file, and of its ring if nobody else has that open.
         *
         * @return whether everything is durable; if not, the operator has been told why
         */
        boolean letGo();

        /** {@return whether the ring that this part has let go of is closed} */
        boolean isClosed();

        /**
         * Opens the log file again.
         *
         * @throws BurstException if it cannot be opened; each further event is then refused
         */
        void takeUp();
    }

    private static final Lock LOCK = new ReentrantLock();
    private static final Condition CHANGED = LOCK.newCondition();
    private static final Set<Part> PARTS = new LinkedHashSet<>();

    /** The parts that have let go, in the order in which they were opened. */
    private static final List<Part> SUSPENDED = new ArrayList<>();

    /** Null: nothing is suspended. */
    private static Thread maker;

    private static boolean isEnding;
    private static int openings;

    static {
        try {
            Checkpoints.watch();
        } catch (LinkageError | RuntimeException withoutCrac) {
            // This class loader has no org.crac, or one that does not work: no program in it makes a checkpoint by
            // that.
        }
    }

    private Suspension() {}

    /** Adds a part that has its log file open. Adding it again does nothing. */
    public static void add(Part part) {
        LOCK.lock();
        try {
            PARTS.add(part);
        } finally {
            LOCK.unlock();
        }
    }

    /** Removes a part that lets go of its log file for good. */
    public static void remove(Part part) {
        LOCK.lock();
        try {
            PARTS.remove(part);
            SUSPENDED.remove(part);
        } finally {
            LOCK.unlock();
        }
    }

    /**
     * Waits until the rings are open again, if they are closed for a checkpoint.
     *
     * @throws BurstException if the calling thread makes the checkpoint
     */
    public static void awaitEnd() {
        LOCK.lock();
        try {
            while (maker != null && !mayGoOn(Thread.currentThread())) {
                CHANGED.awaitUninterruptibly();
            }
        } finally {
            LOCK.unlock();
        }
    }

    /** Tells whether the caller is the thread that opens the rings again. */
    private static boolean mayGoOn(Thread caller) {
        if (maker == caller && !isEnding) {
            throw new BurstException(
                    BurstException.Code.CLOSED,
                    "The log is closed for a checkpoint of this process, which this thread makes, and nothing was written:"
                            + " do not log between the beforeCheckpoint() of the log and its afterRestore().");
        }
        return maker == caller;
    }

    /** Called before a ring or log file is opened: no suspension begins until {@link #opened()}. */
    static void opens() {
        LOCK.lock();
        try {
            awaitEnd();
            openings++;
        } finally {
            LOCK.unlock();
        }
    }

    /** Called once, whether the open succeeded or not. */
    static void opened() {
        LOCK.lock();
        try {
            openings--;
            CHANGED.signalAll();
        } finally {
            LOCK.unlock();
        }
    }

    /**
     * Closes all rings. If that fails, it opens them again.
     *
     * @throws BurstException if a ring could not be closed, or not everything was durable
     */
    static void begin() {
        List<Part> parts = start();
        List<String> failures = new ArrayList<>();
        for (Part part : parts) {
            if (!part.letGo()) {
                failures.add(part.place() + ": not everything was durable, see the message before");
            }
        }
        for (Part part : parts) {
            if (failures.isEmpty() && !part.isClosed()) {
                failures.add(part.place() + ": its ring is not closed within shutdownTimeout; look at its medium");
            }
        }
        if (!failures.isEmpty()) {
            BurstException failure = new BurstException(
                    BurstException.Code.OTHER,
                    "The log cannot be closed for a checkpoint of this process; " + String.join(". ", failures) + ".");
            try {
                end();
            } catch (BurstException further) {
                failure.addSuppressed(further);
            }
            throw failure;
        }
    }

    /** Returns the parts that are to let go: the one that was opened last is the first. */
    private static List<Part> start() {
        LOCK.lock();
        try {
            awaitEnd();
            maker = Thread.currentThread();
            isEnding = false;
            while (openings > 0) {
                CHANGED.awaitUninterruptibly();
            }
            SUSPENDED.addAll(PARTS);
            List<Part> parts = new ArrayList<>(PARTS);
            Collections.reverse(parts);
            return parts;
        } finally {
            LOCK.unlock();
        }
    }

    /**
     * Opens all rings again, and lets the threads go on that wait. Does nothing if nothing is suspended.
     *
     * @throws BurstException if a ring or log file cannot be opened; all others are open
     */
    static void end() {
        List<String> failures = new ArrayList<>();
        try {
            for (Part part : suspended()) {
                try {
                    part.takeUp();
                } catch (BurstException failure) {
                    failures.add(part.place() + ": " + failure.getMessage());
                }
            }
        } finally {
            goOn();
        }
        if (!failures.isEmpty()) {
            throw new BurstException(
                    BurstException.Code.CLOSED,
                    "Not every log file could be opened after the restore of this process; "
                            + String.join(" ", failures));
        }
    }

    private static List<Part> suspended() {
        LOCK.lock();
        try {
            if (maker != null) {
                maker = Thread.currentThread(); // a restore may come on another thread than its checkpoint
                isEnding = true;
            }
            return new ArrayList<>(SUSPENDED);
        } finally {
            LOCK.unlock();
        }
    }

    private static void goOn() {
        LOCK.lock();
        try {
            SUSPENDED.clear();
            maker = null;
            CHANGED.signalAll();
        } finally {
            LOCK.unlock();
        }
    }
}
