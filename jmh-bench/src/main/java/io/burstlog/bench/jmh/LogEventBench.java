// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.jmh;

import io.burstlog.bench.harness.Options;
import io.burstlog.bench.harness.Target;
import io.burstlog.bench.subject.Media;
import io.burstlog.bench.subject.Targets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** One event after the other; with {@code -prof gc} the bytes that all threads allocate for each. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(1)
public class LogEventBench {

    /** See {@link Targets}. */
    @Param({
        "java-jni@ssd",
        "java-jna@ssd",
        "log4j-burst@ssd",
        "log4j-raf-flush",
        "log4j-raf-buffered",
        "log4j-async-raf",
        "log4j-force"
    })
    public String target;

    private Targets targets;
    private Target open;
    private int number;

    @Setup
    public void open() throws Exception {
        String directory = System.getProperty("bench.dir", "target/bench/run");
        targets = new Targets(new Media(new Options(
                List.of("--dir", directory + "/jmh-" + ProcessHandle.current().pid()))));
        open = targets.open(target);
    }

    @Benchmark
    public void event() throws Exception {
        open.write(number++);
    }

    @TearDown
    public void close() throws Exception {
        targets.close();
    }
}
