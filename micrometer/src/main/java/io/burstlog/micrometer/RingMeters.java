// SPDX-License-Identifier: Apache-2.0
package io.burstlog.micrometer;

import io.burstlog.BurstStats;
import io.burstlog.Stage;
import io.burstlog.jmx.RingMXBean;
import io.burstlog.jmx.StageFigures;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;

/** The meters of a ring. */
final class RingMeters {

    private static final Map<Stage, Function<RingMXBean, StageFigures>> STAGES = Map.of(
            Stage.CLAIM_WAIT, RingMXBean::getClaimWait,
            Stage.COPY, RingMXBean::getCopy,
            Stage.COMMIT_WAIT, RingMXBean::getCommitWait,
            Stage.DEVICE_WRITE, RingMXBean::getDeviceWrite,
            Stage.DRAIN_LAG, RingMXBean::getDrainLag,
            Stage.ENQUEUE_LAG, RingMXBean::getEnqueueLag,
            Stage.COPY_WAIT, RingMXBean::getCopyWait);

    private static final Map<String, ToLongFunction<StageFigures>> PERCENTILES = Map.of(
            "50", StageFigures::getP50Nanos,
            "99", StageFigures::getP99Nanos,
            "99.9", StageFigures::getP999Nanos,
            "99.99", StageFigures::getP9999Nanos);

    private RingMeters() {}

    static Meters of(MeterRegistry registry, Tags tags, RingMXBean ring) {
        Meters meters = new Meters(registry, tags);
        meters.counter("burstlog.records.accepted", null, "Records accepted", ring::getAcceptedSequence);
        meters.counter("burstlog.records.durable", null, "Records durable in the ring", ring::getDurableSequence);
        meters.counter("burstlog.records.drained", null, "Records durable in log files", ring::getDrainedSequence);
        meters.counter("burstlog.records.discarded", null, "Records dropped, full ring", ring::getDiscarded);
        meters.counter("burstlog.records.lost", null, "Records that a failed ring lost", ring::getLostEnqueued);
        meters.counter("burstlog.full.waits", null, "Calls that found the ring full", ring::getFullWaits);
        meters.counter("burstlog.commits", null, "Group commits", ring::getCommits);
        meters.counter("burstlog.ring.writes", null, "Writes to the ring", ring::getDeviceWrites);
        meters.counter("burstlog.ring.written", "bytes", "Bytes written to the ring", ring::getDeviceBytes);
        meters.gauge("burstlog.ring.used", "bytes", "Bytes of the ring not released yet", ring::getUsedBytes);
        meters.gauge("burstlog.ring.capacity", "bytes", "Bytes of the ring for records", ring::getCapacityBytes);
        meters.gauge("burstlog.records.waiting", null, "Records that log files do not have yet", () -> {
            long drained = ring.getDrainedSequence(); // read first: it cannot be ahead of the other then
            return ring.getAcceptedSequence() - drained;
        });
        meters.state("burstlog.ring.state", BurstStats.State.class, "1: the ring is in this state", ring::getState);
        if (ring.getCopyState() != null) {
            addCopy(meters, ring);
        }
        STAGES.forEach((stage, figures) -> addStage(meters, ring, stage, figures));
        return meters;
    }

    private static void addCopy(Meters meters, RingMXBean ring) {
        meters.counter("burstlog.records.copied", null, "Records in the second copy", ring::getCopiedSequence);
        meters.gauge("burstlog.copy.behind", null, "Records not in the copy yet", ring::getCopyRecordsBehind);
        meters.gauge("burstlog.copy.missing", null, "Records it will never have", ring::getCopyRecordsMissing);
        meters.state("burstlog.copy.state", BurstStats.CopyState.class, "1: it is in this state", ring::getCopyState);
    }

    private static void addStage(
            Meters meters, RingMXBean ring, Stage stage, Function<RingMXBean, StageFigures> figures) {
        String name = stage.name().toLowerCase(Locale.ROOT).replace('_', '-');
        Tags tags = meters.tags().and("stage", name);
        meters.add(FunctionTimer.builder(
                        "burstlog.stage",
                        meters,
                        ignored -> (long)
                                Meters.orNothing(() -> figures.apply(ring).getCount()),
                        ignored -> Meters.orNothing(() -> ring.totalNanos(stage)),
                        TimeUnit.NANOSECONDS)
                .tags(tags)
                .description("Time of those timed")
                .register(meters.registry()));
        addTime(
                meters,
                "burstlog.stage.max",
                tags,
                "Longest of those timed since the ring was opened",
                () -> figures.apply(ring).getMaxNanos());
        PERCENTILES.forEach((percent, nanos) -> addTime(
                meters,
                "burstlog.stage.percentile",
                tags.and("percent", percent),
                "What so many percent did not exceed since the ring was opened",
                () -> nanos.applyAsLong(figures.apply(ring))));
        Buckets buckets = new Buckets(ring, stage);
        for (int i = 0; i < Buckets.LIMITS; i++) {
            int limit = i;
            meters.counter(
                    "burstlog.stage.within",
                    tags.and("le", Buckets.secondsOf(limit)),
                    null,
                    "How many of those timed took at most so many seconds",
                    () -> buckets.count(limit));
        }
    }

    private static void addTime(Meters meters, String name, Tags tags, String description, LongSupplier nanos) {
        meters.add(TimeGauge.builder(name, meters, TimeUnit.NANOSECONDS, ignored -> Meters.orNothing(nanos::getAsLong))
                .tags(tags)
                .description(description)
                .register(meters.registry()));
    }

    /**
     * One reading of the histogram serves all limits. A limit that is asked for a second time begins the next reading.
     */
    private static final class Buckets {

        private static final long[] NANOS = limits();
        private static final int LIMITS = NANOS.length;

        private final RingMXBean ring;
        private final Stage stage;
        private final boolean[] isTold = new boolean[LIMITS];
        private long[] counts;

        Buckets(RingMXBean ring, Stage stage) {
            this.ring = ring;
            this.stage = stage;
        }

        /** Limits from 100 ns to 10 s, three for each power of ten; the last one takes all that is longer. */
        private static long[] limits() {
            long[] nanos = new long[26];
            long power = 100;
            int[] steps = {1, 2, 5};
            for (int i = 0; i < nanos.length - 1; i++) {
                nanos[i] = power * steps[i % 3];
                power *= i % 3 == 2 ? 10 : 1;
            }
            nanos[nanos.length - 1] = Long.MAX_VALUE;
            return nanos;
        }

        static String secondsOf(int limit) {
            return limit == LIMITS - 1
                    ? "+Inf"
                    : BigDecimal.valueOf(NANOS[limit], 9).stripTrailingZeros().toPlainString();
        }

        synchronized long count(int limit) {
            if (counts == null || isTold[limit]) {
                counts = ring.countsAtMost(stage, NANOS);
                Arrays.fill(isTold, false);
            }
            isTold[limit] = true;
            return counts[limit];
        }
    }
}
