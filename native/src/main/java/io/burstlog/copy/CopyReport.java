// SPDX-License-Identifier: Apache-2.0
package io.burstlog.copy;

import io.burstlog.BurstEvent;
import io.burstlog.BurstEvent.Severity;
import io.burstlog.CopyFeed;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Tells the operator of a copier: once at each change, and each minute while records do not get to the copy. */
final class CopyReport {

    static final long EVERY_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final String copy;
    private final boolean waits;
    private final Consumer<BurstEvent> listener;
    private boolean isOut;
    private long outSince;
    private long told;

    /**
     * @param copy its name and ring
     * @param waits whether calls wait for a copy that is away
     */
    CopyReport(String copy, boolean waits, Consumer<BurstEvent> listener) {
        this.copy = copy;
        this.waits = waits;
        this.listener = listener;
    }

    /** It got records never yet, or gets them again. */
    void begun(CopyPlace place, CopyFeed.Begun begun) {
        String dropped = begun.surplus() == 0
                ? ""
                : "; its last " + begun.surplus() + " records are void: no call acknowledged them";
        Severity severity = isOut ? Severity.WARN : Severity.INFO;
        String next = begun.nextSequence() + dropped;
        tell(severity, copy + " is in " + place + ", and goes on with record " + next);
        isOut = false;
    }

    /** It gets no records for the moment. */
    void out(Throwable failure, long nanoTime) {
        if (!isOut) {
            tell(Severity.WARN, copy + " gets no records: " + reason(failure) + "; the copier tries again");
            isOut = true;
            outSince = told = nanoTime;
        } else if (nanoTime - told >= EVERY_NANOS) {
            told = nanoTime;
            long seconds = TimeUnit.NANOSECONDS.toSeconds(nanoTime - outSince);
            String meanwhile = waits ? "records wait for it in the ring" : "records have one copy only";
            tell(
                    Severity.ERROR,
                    copy + " has got no records for " + seconds + " s: " + reason(failure) + "; " + meanwhile
                            + ", and the copier tries again");
        }
    }

    /** It gets no records any more. */
    void failed(Throwable failure) {
        String advice = failure instanceof CopyStore.FencedException
                ? "end this program if another host took over its work"
                : "mend that, and open the log again";
        tell(
                Severity.ERROR,
                copy + " gets no records any more: " + reason(failure) + "; records have one copy only, so " + advice);
    }

    private static String reason(Throwable failure) {
        String message = failure.getMessage();
        return message == null || message.isEmpty() ? failure.getClass().getSimpleName() : message;
    }

    private void tell(Severity severity, String text) {
        Thread current = Thread.currentThread();
        try {
            listener.accept(new BurstEvent(severity, Instant.now(), text));
        } catch (Throwable ofListener) { // the copy goes on
            current.getUncaughtExceptionHandler().uncaughtException(current, ofListener);
        }
    }
}
