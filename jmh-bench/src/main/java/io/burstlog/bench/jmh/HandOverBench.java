// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.jmh;

import io.burstlog.bench.handover.HandOver;
import io.burstlog.bench.handover.HandOvers;
import io.burstlog.bench.harness.Options;
import io.burstlog.bench.subject.Media;
import io.burstlog.bench.subject.Message;
import java.util.List;
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

/**
 * A hand-over in bursts that fit the queue, from one thread; each way in a JVM of its own. With a queue that is full
 * the thread at its other end would be measured.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 30)
@Measurement(iterations = 50)
@Fork(1)
public class HandOverBench {

    private static final int BURST = 20_000;

    /** See {@link HandOvers#NAMES}. */
    @Param({"copy", "mapped-copy", "jctools-spsc", "agrona-many-to-one", "disruptor", "offer@ssd"})
    public String way;

    /** Bytes of a message. */
    @Param({"64", "100"})
    public int bytes;

    private Media media;
    private HandOver handOver;
    private byte[] message;

    @Setup
    public void open() throws Exception {
        String directory = System.getProperty("bench.dir", "target/bench/run");
        media = new Media(new Options(
                List.of("--dir", directory + "/jmh-" + ProcessHandle.current().pid())));
        handOver = HandOvers.make(way, bytes, 1, media);
        message = Message.line(bytes);
    }

    @Setup(Level.Invocation)
    public void empty() {
        handOver.awaitEmpty();
    }

    @Benchmark
    @OperationsPerInvocation(BURST)
    public void burst() {
        for (int i = 0; i < BURST; i++) {
            handOver.offer(message);
        }
    }

    @TearDown
    public void close() throws Exception {
        handOver.close();
        media.clear();
    }
}
