// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import java.time.Duration;

/** The rolls of a stream that this process drains: the strategy gives names, the jobs compress and delete. */
final class RollsHere implements RollWork {

    private final RollingStream stream;
    private final StrategyRun strategy;
    private final StreamJobs jobs;
    private final Roller roller;

    RollsHere(final RollingSettings settings, final RollingStream stream, final BurstRollingFileManager manager) {
        this.stream = stream;
        strategy = new StrategyRun(settings);
        jobs = strategy.jobsFor(settings, stream);
        strategy.begin(manager, jobs);
        strategy.deleteBeginnings(stream, jobs);
        final RollWarning warning = new RollWarning(settings.appender());
        manager.putOff(jobs::reasonToPutOff, warning);
        roller = Roller.start(settings.appender(), stream, manager, strategy, warning);
    }

    @Override
    public void begin() {
        strategy.finishLeftovers(stream, jobs);
    }

    @Override
    public void update(final RollingSettings settings) {
        strategy.update(settings, stream);
    }

    @Override
    public void updated() {
        strategy.finishLeftovers(stream, jobs);
    }

    /** For tests. */
    StreamJobs jobs() {
        return jobs;
    }

    @Override
    public boolean end(final Duration timeout) {
        final long begin = System.nanoTime();
        roller.awaitEnd(timeout);
        return jobs.end(timeout.minusNanos(System.nanoTime() - begin));
    }
}
