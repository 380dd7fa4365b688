// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.jmh;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** A durable message through Burstlog: the ring is on a fast device, in a file on the log file's disk, or in memory. */
public class AppendBench extends TargetBench {

    /** {@code zram} is made for the run. A path is a block device that {@code burstlog format} prepared. */
    @Param({"zram", "ssd-file", "tmpfs"})
    public String ring;

    /** {@code log4j}, {@code log4j-enqueued}, {@code java-jni}, {@code java-jna}. */
    @Param({"log4j", "java-jni", "java-jna"})
    public String way;

    @Override
    String target(JmhPlace at) throws Exception {
        return way.replace("log4j", "log4j-burst") + "@" + at.medium(ring);
    }

    /** One of {@code -t} threads. */
    @State(Scope.Thread)
    public static class Thread extends Producer {

        @Setup
        public void take(AppendBench bench) {
            begin(bench);
        }
    }

    @Benchmark
    public void append(Thread producer) throws Exception {
        producer.write();
    }
}
