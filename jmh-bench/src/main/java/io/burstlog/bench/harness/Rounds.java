// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.harness;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

/**
 * Measures targets in {@link Turns}: in each round every target takes one block of messages. So the machine's other
 * work hits all alike, and blocks of a round can be compared.
 *
 * <p>Each block begins with messages that are not counted, a tenth of its number: the target before has left its own
 * data in the caches, which a log that is written all the time would not notice.
 *
 * @param study for the line that says how far it is
 * @param blockMessages messages of one block that are counted
 * @param warmUpMessages messages of each target that are not counted; rounded up to whole blocks
 * @param messages messages of each target that are counted at most; rounded up to whole blocks
 * @param nanos how long all this may take: warm-up ends after half of it, counting after all of it but not before three
 *     rounds
 */
public record Rounds(String study, int blockMessages, int warmUpMessages, int messages, long nanos) {

    private static final int LEAST_ROUNDS = 3;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** The latencies of each target, in the order of the targets. */
    public List<TargetResult> measure(List<? extends Target> targets, LongSupplier nanoClock) throws Exception {
        List<TargetResult> results = new ArrayList<>();
        targets.forEach(target -> results.add(new TargetResult(target.name(), target.claims())));
        long begin = nanoClock.getAsLong();
        Progress progress = new Progress(study);
        double all = rounds(warmUpMessages) + rounds(messages);
        int warmUp = 0;
        while (warmUp < rounds(warmUpMessages) && nanoClock.getAsLong() - begin < nanos / 2) {
            measureRound(targets, warmUp++, null);
            progress.is(done(warmUp, 0, warmUp / all, progress.nanos() / (double) nanos));
        }
        int rounds = 0;
        while (rounds < rounds(messages) && (rounds < LEAST_ROUNDS || nanoClock.getAsLong() - begin < nanos)) {
            measureRound(targets, warmUp + rounds++, results);
            progress.is(done(warmUp, rounds, (warmUp + rounds) / all, progress.nanos() / (double) nanos));
        }
        int notCounted = warmUp * blockMessages;
        results.forEach(result -> result.setWarmUp(notCounted));
        return results;
    }

    /**
     * The progress by rounds or by time, whichever ends first. The least number of rounds may take longer than the
     * time.
     */
    static double done(int warmUp, int rounds, double ofRounds, double ofTime) {
        double ofLeast = rounds < LEAST_ROUNDS ? (double) (warmUp + rounds) / (warmUp + LEAST_ROUNDS) : 1;
        return Math.max(ofRounds, Math.min(ofTime, ofLeast));
    }

    /** @param results null while warming up */
    private void measureRound(List<? extends Target> targets, int round, List<TargetResult> results) throws Exception {
        for (int which : Turns.of(IntStream.range(0, targets.size()).boxed().toList(), round)) {
            measureBlock(targets.get(which), round, results == null ? null : results.get(which));
        }
    }

    private void measureBlock(Target target, int round, TargetResult result) throws Exception {
        int leadIn = blockMessages / 10;
        int first = round * (leadIn + blockMessages);
        long[] nanos = new long[blockMessages];
        target.run(first, new long[leadIn]);
        long thread = Thread.currentThread().getId();
        long allocatedBefore = THREADS.getThreadAllocatedBytes(thread);
        target.run(first + leadIn, nanos);
        long allocated = THREADS.getThreadAllocatedBytes(thread) - allocatedBefore;
        target.settle();
        if (result != null) {
            result.add(nanos, allocated);
        }
    }

    private int rounds(int ofMessages) {
        return (ofMessages + blockMessages - 1) / blockMessages;
    }
}
