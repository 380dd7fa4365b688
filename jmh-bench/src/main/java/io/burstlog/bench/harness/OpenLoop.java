// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.harness;

import org.HdrHistogram.Histogram;

/**
 * Messages at intended times, whatever the target does. A message that is late because the one before was slow has
 * waited, and that wait is part of its response time. Service time is the time of the call itself.
 */
public final class OpenLoop {

    /** Time, and waiting for it. */
    public interface Clock {
        long nanos();

        /** Returns when {@link #nanos()} is at least this. */
        void awaitNanos(long until);
    }

    /**
     * The machine's own clock. It waits without giving up the processor, which would cost more than many an interval.
     */
    public static final Clock SPINNING = new Clock() {
        @Override
        public long nanos() {
            return System.nanoTime();
        }

        @Override
        public void awaitNanos(long until) {
            while (System.nanoTime() - until < 0) {
                Thread.onSpinWait();
            }
        }
    };

    private final Clock clock;
    private final Histogram service = TargetResult.emptyHistogram();
    private final Histogram response = TargetResult.emptyHistogram();
    private int sent;
    private long busyNanos;
    private long elapsedNanos;

    public OpenLoop(Clock clock) {
        this.clock = clock;
    }

    /** Sends messages at a constant rate, and adds to the histograms. */
    public void run(Target target, double perSecond, int messages) throws Exception {
        long start = clock.nanos();
        long end = start;
        for (int i = 0; i < messages; i++) {
            long intended = start + (long) (i * 1e9 / perSecond);
            clock.awaitNanos(intended);
            long begin = clock.nanos();
            target.write(sent++);
            end = clock.nanos();
            service.recordValue(end - begin);
            response.recordValue(end - intended);
            busyNanos += end - begin;
        }
        elapsedNanos += end - start;
    }

    public Histogram service() {
        return service;
    }

    /** Times from the intended time to the end of the call. */
    public Histogram response() {
        return response;
    }

    /** The part of the time for which the target was at work, 0 to 1. */
    public double utilization() {
        return elapsedNanos == 0 ? 0 : (double) busyNanos / elapsedNanos;
    }

    /** Messages for each second that passed. */
    public double reachedPerSecond() {
        return elapsedNanos == 0 ? 0 : sent * 1e9 / elapsedNanos;
    }
}
