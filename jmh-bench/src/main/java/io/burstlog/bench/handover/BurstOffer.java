// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.handover;

import io.burstlog.Binding;
import io.burstlog.BurstLog;
import io.burstlog.RecordBuffer;
import io.burstlog.Stage;
import io.burstlog.bench.subject.BurstTarget;
import io.burstlog.bench.subject.Media;
import java.nio.file.Path;
import java.time.Duration;
import org.HdrHistogram.Histogram;

/** Burstlog: the ring accepts the message, and makes it durable in the background. */
final class BurstOffer implements HandOver {

    private static final Duration LONG = Duration.ofMinutes(5);

    private final BurstLog log;
    private final RecordBuffer only; // for a single producer, which needs no look-up; null if there are several
    private final ThreadLocal<RecordBuffer> records;

    BurstOffer(Path ring, String io, Path file, int bytes, int producers) throws Media.NotPossible {
        log = BurstTarget.open(ring, io, file, Binding.JNI, Duration.ZERO);
        only = producers == 1 ? RecordBuffer.allocate(bytes, bytes) : null;
        records = ThreadLocal.withInitial(() -> RecordBuffer.allocate(bytes, bytes));
    }

    @Override
    public void offer(byte[] message) {
        RecordBuffer record = only != null ? only : records.get();
        record.clear();
        record.ensureRemaining(message.length).put(message);
        while (log.offer(record, 0) < 0) {
            Thread.onSpinWait();
        }
    }

    @Override
    public void prepare() {
        records.get();
    }

    /** Only when all is durable in the log file the whole ring is free again. */
    @Override
    public void awaitEmpty() {
        if (!log.awaitDrained(LONG)) {
            throw new IllegalStateException("not drained after " + LONG + ".");
        }
    }

    @Override
    public void addLags(Histogram nanos) {
        log.histogram(Stage.ENQUEUE_LAG).forEachBucket(nanos::recordValueWithCount);
    }

    @Override
    public void awaitDurable() {
        log.flush();
    }

    @Override
    public void close() {
        log.close();
    }
}
