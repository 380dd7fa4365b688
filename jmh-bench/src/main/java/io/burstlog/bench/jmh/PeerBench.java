// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.jmh;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** The same message through the usual ways of today. */
public class PeerBench extends TargetBench {

    /** The first three write straight to the disk and wait for it; see {@link io.burstlog.bench.subject.Targets}. */
    @Param({
        "log4j-force",
        "file-force",
        "file-rwd",
        "log4j-raf-flush",
        "log4j-raf-buffered",
        "log4j-file-flush",
        "log4j-file-buffered",
        "log4j-mmap-flush",
        "log4j-mmap-buffered",
        "log4j-async-raf",
        "logback-flush",
        "logback-buffered",
        "chronicle",
        "chronicle-sync",
        "chronicle-msync"
    })
    public String peer;

    @Override
    String target(JmhPlace at) {
        return peer;
    }

    /** One of {@code -t} threads. */
    @State(Scope.Thread)
    public static class Thread extends Producer {

        @Setup
        public void take(PeerBench bench) {
            begin(bench);
        }
    }

    @Benchmark
    public void append(Thread producer) throws Exception {
        producer.write();
    }
}
