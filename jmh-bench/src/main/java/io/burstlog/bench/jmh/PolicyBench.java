// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.jmh;

import io.burstlog.BurstStats;
import io.burstlog.Roll;
import io.burstlog.RollRequest;
import io.burstlog.StreamStats;
import io.burstlog.log4j.rolling.FileRolling;
import io.burstlog.log4j.rolling.RollingSettings;
import io.burstlog.log4j.rolling.RollingStream;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.appender.rolling.CompositeTriggeringPolicy;
import org.apache.logging.log4j.core.appender.rolling.DefaultRolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.SizeBasedTriggeringPolicy;
import org.apache.logging.log4j.core.appender.rolling.TimeBasedTriggeringPolicy;
import org.apache.logging.log4j.core.appender.rolling.TriggeringPolicy;
import org.apache.logging.log4j.core.config.DefaultConfiguration;
import org.apache.logging.log4j.core.impl.Log4jLogEvent;
import org.apache.logging.log4j.core.layout.PatternLayout;
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
import org.openjdk.jmh.annotations.Warmup;

/** The additional cost of an event when its file is rolled by policies, and this event rolls nothing. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class PolicyBench {

    private static final int LINE_BYTES = 256;

    private static final StreamStats NOTHING_YET = new StreamStats(
            BurstStats.State.OPEN, 0, 0, 0, 0, 0, 0, false, 0, 1, Instant.EPOCH.plusSeconds(1_700_000_000));

    @Param({"none", "size", "time", "size+time"})
    public String policies;

    private FileRolling rolling;
    private LogEvent event;

    @Setup
    public void begin() {
        event = Log4jLogEvent.newBuilder()
                .setTimeMillis(System.currentTimeMillis())
                .build();
        if (!policies.equals("none")) {
            rolling = FileRolling.of(settings(policies), new StreamThatNeverRolls());
            rolling.begin(false);
        }
    }

    /** The appender's order: the look, the encoding and the append (not here), the count. */
    @Benchmark
    public LogEvent check() {
        if (rolling != null) {
            rolling.beforeEvent(event, true);
            rolling.accepted(LINE_BYTES);
        }
        return event;
    }

    @SuppressWarnings("deprecation") // Older versions of Log4j do not have the factories' replacements.
    private static RollingSettings settings(String policies) {
        TriggeringPolicy size = SizeBasedTriggeringPolicy.createPolicy("1000000 GB");
        TriggeringPolicy time = TimeBasedTriggeringPolicy.createPolicy("1000", "false");
        TriggeringPolicy policy = switch (policies) {
            case "size" -> size;
            case "time" -> time;
            default -> CompositeTriggeringPolicy.createPolicy(size, time);
        };
        return new RollingSettings(
                "Bench",
                "/nowhere/bench.log",
                "/nowhere/bench-%d{yyyy}-%i.log",
                policy,
                DefaultRolloverStrategy.createStrategy(null, null, null, null, null, true, new DefaultConfiguration()),
                PatternLayout.createDefaultLayout(),
                null,
                new RollingSettings.FileAttributes(null, null, null),
                new RollingSettings.Archives(Duration.ZERO, 0, Duration.ZERO),
                false,
                false,
                null);
    }

    /** It has no ring: nothing is appended. */
    private static final class StreamThatNeverRolls implements RollingStream {

        @Override
        public long roll(Roll roll, long timeNanos) {
            throw new IllegalStateException("A roll would be measured.");
        }

        @Override
        public long offerRoll(Roll roll, long timeNanos) {
            return roll(roll, timeNanos);
        }

        @Override
        public RollRequest nextRoll(Duration timeout) {
            LockSupport.parkNanos(TimeUnit.HOURS.toNanos(1));
            return null;
        }

        @Override
        public void rolled(long sequence, String target, String nextFile) {}

        @Override
        public void rollFailed(long sequence, int errno) {}

        @Override
        public StreamStats stats() {
            return NOTHING_YET;
        }

        @Override
        public String currentFile() {
            return "/nowhere/bench.log";
        }

        @Override
        public String ring() {
            return "nowhere.ring";
        }

        @Override
        public long acceptedSequence() {
            return 0;
        }

        @Override
        public boolean awaitDrained(Duration timeout) {
            return true;
        }
    }
}
