// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import io.burstlog.binding.Engine;
import io.burstlog.binding.EventStruct;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** The thread that waits for the engine's events and hands them to a listener. It ends when the log is closed. */
final class EventDelivery implements Runnable {

    private static final BurstEvent.Severity[] SEVERITIES = BurstEvent.Severity.values();

    private final long handle;
    private final Consumer<BurstEvent> listener;

    private EventDelivery(long handle, Consumer<BurstEvent> listener) {
        this.handle = handle;
        this.listener = listener;
    }

    static Thread start(String ring, long handle, Consumer<BurstEvent> listener) {
        Thread thread = new Thread(new EventDelivery(handle, listener), "burstlog-events " + ring);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /**
     * Waits for the last events of a closed log, but not on the listener's own thread, nor for a listener that hangs.
     *
     * @param thread null if there is no listener
     */
    static void awaitEnd(Thread thread, long timeoutMillis) {
        if (thread == null || thread == Thread.currentThread()) {
            return;
        }
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
        boolean interrupted = false;
        for (long left = timeoutMillis; left > 0 && thread.isAlive(); ) {
            try {
                thread.join(left);
            } catch (InterruptedException stillToBeSeenByTheCaller) {
                interrupted = true;
            }
            left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void run() {
        EventStruct event = new EventStruct();
        while (Engine.burst_next_event(handle, event, NativeTime.FOREVER) > 0) {
            deliver(new BurstEvent(SEVERITIES[event.severity], instantOf(event.timeNanos), event.sentence()));
        }
    }

    /** Catches all that a listener throws, so that the next event is still delivered. */
    private void deliver(BurstEvent event) {
        try {
            listener.accept(event);
        } catch (Throwable failure) {
            handle(failure);
        }
    }

    private static void handle(Throwable failure) {
        Thread current = Thread.currentThread();
        try {
            current.getUncaughtExceptionHandler().uncaughtException(current, failure);
        } catch (Throwable ignoredAsByTheJvm) {
            // There is nobody left to tell.
        }
    }

    private static Instant instantOf(long nanosSince1970) {
        return Instant.ofEpochSecond(0, nanosSince1970);
    }
}
