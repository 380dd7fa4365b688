// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import io.burstlog.BurstConfig;
import io.burstlog.BurstException;
import io.burstlog.BurstLog;
import io.burstlog.OnFull;
import io.burstlog.RecordBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * What an appender does when its ring is full.
 *
 * <p>The engine has one such rule for each ring, fixed when the ring is opened, and that one costs nothing. An appender
 * that comes with a reconfiguration may have another; the ring stays open then, and the appender keeps its own rule
 * with offers, which never wait. That is one more native call for each event, until the ring is opened again.
 *
 * @param onFull wait, throw or discard
 * @param blockTimeout bounds how long a log call waits for space and for another thread's write; zero: for ever
 */
record FullRingRule(OnFull onFull, Duration blockTimeout) {

    private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(200);
    private static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE);

    /** Shorter waits are told to nobody: a burst may fill a ring. */
    private static final long LONG_WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);

    static FullRingRule of(final BurstConfig config) {
        return new FullRingRule(config.onFull(), config.blockTimeout());
    }

    /**
     * Appends under this rule, whatever rule the log was opened with.
     *
     * @param count counts the offers that are none to the caller
     * @return the sequence, or 0 if the record was discarded
     */
    long append(
            final BurstLog log,
            final FullRingCount count,
            final RecordBuffer record,
            final long eventTimeNanos,
            final boolean durableOnReturn) {
        final long begin = System.nanoTime();
        Duration left = all();
        long sequence = log.offer(record, eventTimeNanos);
        if (sequence < 0) {
            if (onFull == OnFull.DISCARD) {
                return 0;
            }
            if (onFull == OnFull.FAIL) {
                throw new BurstException(
                        BurstException.Code.RING_FULL,
                        "The ring is full and onFull=\"fail\", and the event was not logged: "
                                + FullRingCount.whatToDo(log));
            }
            sequence = offerUntilAccepted(log, count, record, eventTimeNanos, begin);
            left = left(begin);
        }
        if (durableOnReturn) {
            awaitDurable(BurstLog::awaitDurable, log, sequence, left);
        }
        return sequence;
    }

    private long offerUntilAccepted(
            final BurstLog log,
            final FullRingCount count,
            final RecordBuffer record,
            final long eventTimeNanos,
            final long begin) {
        long tellNanos = LONG_WAIT_NANOS;
        try (Pauses pauses = new Pauses(PAUSE_NANOS)) {
            while (!isOver(begin)) {
                pauses.pause();
                if (System.nanoTime() - begin >= tellNanos) {
                    count.waits(log);
                    tellNanos += LossReport.ONE_MINUTE.toNanos();
                }
                final long sequence = log.offer(record, eventTimeNanos);
                if (sequence >= 0) {
                    return sequence;
                }
                count.repeated();
            }
        }
        throw new BurstException(
                BurstException.Code.TIMED_OUT,
                "The ring was full for longer than blockTimeout, " + Units.of(blockTimeout)
                        + ", and the event was not logged: " + FullRingCount.whatToDo(log));
    }

    /** {@link BurstLog#awaitDurable}. */
    interface Wait {
        boolean isDurable(BurstLog log, long sequence, Duration timeout);
    }

    void awaitDurable(final Wait wait, final BurstLog log, final long sequence, final Duration left) {
        if (!wait.isDurable(log, sequence, left)) {
            throw new BurstException(
                    BurstException.Code.UNDECIDED,
                    "The event was not durable within blockTimeout, " + Units.of(blockTimeout)
                            + "; it is in the ring's memory and may still become durable.");
        }
    }

    private boolean isOver(final long begin) {
        return left(begin).isZero();
    }

    /** The block timeout of a call that has only begun. */
    Duration all() {
        return blockTimeout.isZero() ? FOREVER : blockTimeout;
    }

    /** What is left of the block timeout, which is one for the whole call. */
    Duration left(final long begin) {
        if (blockTimeout.isZero()) {
            return FOREVER;
        }
        final Duration left = blockTimeout.minusNanos(System.nanoTime() - begin);
        return left.isNegative() ? Duration.ZERO : left;
    }
}
