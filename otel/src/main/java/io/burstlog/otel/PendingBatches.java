// SPDX-License-Identifier: Apache-2.0
package io.burstlog.otel;

import io.burstlog.BurstException;
import io.burstlog.doors.RecordStream;
import io.opentelemetry.sdk.common.CompletableResultCode;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The batches that are accepted and not yet durable. A daemon thread waits for the oldest, and completes the results of
 * all that are durable. In the end it closes the log file.
 */
final class PendingBatches {

    /** How often the thread looks whether it is to end although a batch does not become durable. */
    private static final Duration LOOK = Duration.ofMillis(200);

    /** @param sequence that of the last record of a batch; 0: there is none */
    private record Pending(long sequence, CompletableResultCode result) {}

    private final RecordStream stream;
    private final BlockingQueue<Pending> queue = new LinkedBlockingQueue<>();

    private final AtomicLong last = new AtomicLong();

    /** Why the ring takes no batch any more; null: it does. */
    private final AtomicReference<BurstException> ringFailure = new AtomicReference<>();

    /** Null until the end is asked for. */
    private final AtomicReference<CompletableResultCode> end = new AtomicReference<>();

    private PendingBatches(RecordStream stream) {
        this.stream = stream;
    }

    static PendingBatches start(RecordStream stream) {
        PendingBatches batches = new PendingBatches(stream);
        Thread thread = new Thread(batches::run, "burstlog-otel");
        thread.setDaemon(true);
        thread.start();
        return batches;
    }

    /** Returns the result of a batch that ends with the record of that sequence. */
    CompletableResultCode add(long sequence) {
        Pending batch = new Pending(sequence, new CompletableResultCode());
        last.accumulateAndGet(sequence, Math::max);
        queue.add(batch);
        if (end.get() != null && queue.remove(batch)) {
            tell(() -> batch.result.failExceptionally(closed())); // the thread may be gone
        }
        return batch.result;
    }

    /** The ring has failed, and refused a batch: no flush and no shutdown succeeds any more. */
    void fail(BurstException reason) {
        ringFailure.compareAndSet(null, reason);
    }

    /** Returns a result that succeeds when all batches before are durable. */
    CompletableResultCode flush() {
        if (end.get() != null) {
            return end.get();
        }
        BurstException reason = ringFailure.get();
        return reason != null ? CompletableResultCode.ofExceptionalFailure(reason) : add(last.get());
    }

    CompletableResultCode end() {
        CompletableResultCode asked = new CompletableResultCode();
        if (end.compareAndSet(null, asked)) {
            queue.add(new Pending(0, new CompletableResultCode())); // wakes the thread
        }
        return end.get();
    }

    private void run() {
        while (end.get() == null) {
            try {
                complete(queue.take());
            } catch (InterruptedException nobodyMayEndIt) {
                // It goes on: results would stay open.
            }
        }
        close();
    }

    private void complete(Pending oldest) {
        try {
            boolean isDurable = isDurable(oldest);
            while (!isDurable && end.get() == null) {
                isDurable = isDurable(oldest);
            }
            if (isDurable) {
                tell(oldest.result::succeed);
            } else {
                queue.add(oldest); // the close decides
            }
        } catch (RuntimeException | Error failure) {
            tell(() -> oldest.result.failExceptionally(failure));
        }
    }

    private boolean isDurable(Pending batch) {
        return batch.sequence == 0 || stream.awaitDurable(batch.sequence, LOOK);
    }

    private void close() {
        boolean isDurable = stream.close(() -> null);
        for (Pending batch = queue.poll(); batch != null; batch = queue.poll()) {
            CompletableResultCode result = batch.result;
            tell(isDurable ? result::succeed : () -> result.failExceptionally(closed()));
        }
        tell(isDurable && ringFailure.get() == null ? end.get()::succeed : end.get()::fail);
    }

    /** Completes a result. No thread ends by what an action on it throws. */
    private static void tell(Runnable completion) {
        try {
            completion.run();
        } catch (RuntimeException | Error thrown) {
            Thread thread = Thread.currentThread();
            thread.getUncaughtExceptionHandler().uncaughtException(thread, thrown);
        }
    }

    private static BurstException closed() {
        return new BurstException(
                BurstException.Code.CLOSED,
                "The exporter was shut down before the batch was known to be durable; it may still become so.");
    }
}
