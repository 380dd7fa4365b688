// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.jmh;

import io.burstlog.bench.harness.Target;
import io.burstlog.bench.subject.Targets;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.BenchmarkParams;

/** Messages to a target, one after the other; each thread has a buffer of its own. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(1)
public abstract class TargetBench {

    /**
     * After so many messages a thread waits, untimed, until they are at their destination, as the harness does after a
     * block.
     */
    private static final int BLOCK = 5_000;

    private static final int LEAD_IN = BLOCK / 10;

    /** Bytes of a message. */
    @Param("256")
    public int size;

    private JmhPlace place;
    private Targets targets;
    private Target open;
    private boolean taken;

    /** The name of the target; one of ours is at a medium of {@link io.burstlog.bench.subject.Media}. */
    abstract String target(JmhPlace at) throws Exception;

    @Setup
    public void open(BenchmarkParams run) throws Exception {
        place = new JmhPlace(size);
        try {
            String name = target(place); // makes a medium
            targets = new Targets(place.media());
            open = targets.open(name);
            if (run.getThreads() > 1 && open.forAnotherThread() == null) {
                throw new CannotRun(run, "it takes messages of one thread only, and -t asks for " + run.getThreads());
            }
        } catch (Exception reason) {
            close();
            throw CannotRun.because(run, reason);
        }
    }

    /** The first thread gets the target itself. */
    synchronized Target take() {
        Target mine = taken ? open.forAnotherThread() : open;
        taken = true;
        return mine;
    }

    @TearDown
    public void close() throws Exception {
        if (targets != null) {
            targets.close();
        }
        place.close();
    }

    /** A thread and its target. */
    public abstract static class Producer {

        private Target target;
        private int number;

        void begin(TargetBench bench) {
            target = bench.take();
        }

        /** Not timed. The lead-in finds the caches as they are after the wait. */
        @Setup(Level.Invocation)
        public void rest() throws Exception {
            if (++number % BLOCK == 0) {
                target.settle();
                for (int i = 0; i < LEAD_IN; i++) {
                    target.write(number);
                }
            }
        }

        void write() throws Exception {
            target.write(number);
        }
    }
}
