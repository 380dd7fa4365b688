// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.jmh;

import io.burstlog.bench.handover.HandOver;
import io.burstlog.bench.handover.HandOvers;
import io.burstlog.bench.subject.Message;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.BenchmarkParams;

/**
 * A hand-over in bursts that fit the queue, each way in a JVM of its own. A full queue would measure the thread at its
 * other end.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 30)
@Measurement(iterations = 50)
@Fork(1)
public class HandOverBench {

    private static final int BURST = 16_000;

    /** See {@link HandOvers#NAMES}; the media are those of {@link AppendBench#ring}. */
    @Param({"copy", "mapped-copy", "jctools-spsc", "agrona-many-to-one", "disruptor", "offer@zram", "offer@ssd-file"})
    public String way;

    /** Bytes of a message. */
    @Param({"64", "100"})
    public int size;

    private JmhPlace place;
    private HandOver handOver;
    private byte[] message;

    @Setup
    public void open(BenchmarkParams run) throws Exception {
        place = new JmhPlace(size);
        message = Message.line(size);
        try {
            int threads = run.getThreads();
            int at = way.indexOf('@') + 1;
            String medium = at == 0 ? "" : place.medium(way.substring(at));
            handOver = HandOvers.make(way.substring(0, at) + (at == 0 ? way : medium), size, threads, place.media());
            if (handOver.producers() < threads || (long) threads * BURST > HandOver.CAPACITY) {
                handOver.close();
                throw new CannotRun(
                        run,
                        handOver.producers() < threads
                                ? "it takes messages of one thread only, and -t asks for " + threads
                                : "the bursts of " + threads + " threads do not fit the queue");
            }
        } catch (Exception reason) {
            place.close();
            throw CannotRun.because(run, reason);
        }
    }

    @Setup(Level.Invocation)
    public void empty() {
        handOver.awaitEmpty();
    }

    /** Each thread makes its own data before its first message. */
    @State(Scope.Thread)
    public static class Producer {

        @Setup
        public void prepare(HandOverBench bench) {
            bench.handOver.prepare();
        }
    }

    @Benchmark
    @OperationsPerInvocation(BURST)
    public void burst(Producer producer) {
        for (int i = 0; i < BURST; i++) {
            handOver.offer(message);
        }
    }

    @TearDown
    public void close() throws Exception {
        handOver.close();
        place.close();
    }
}
