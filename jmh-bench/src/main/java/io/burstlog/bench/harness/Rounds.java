// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.harness;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Measures targets in turns: in each round every target takes one block of messages, and the round begins with another
 * target each time. So whatever else the machine does hits all alike, and blocks of a round can be compared.
 *
 * @param blockMessages messages of one block
 * @param warmUpMessages messages of each target that are not counted; rounded up to whole blocks
 * @param messages messages of each target that are counted at most; rounded up to whole blocks
 * @param deadlineNanos when the clock reaches this, counting ends with the round, after three rounds at least
 */
public record Rounds(int blockMessages, int warmUpMessages, int messages, long deadlineNanos) {

    private static final int LEAST_ROUNDS = 3;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** The latencies of each target, in the order of the targets. */
    public List<TargetResult> measure(List<? extends Target> targets, LongSupplier nanoClock) throws Exception {
        List<TargetResult> results = new ArrayList<>();
        targets.forEach(target -> results.add(new TargetResult(target.name(), target.claims())));
        int warmUpRounds = rounds(warmUpMessages);
        int rounds = warmUpRounds + rounds(messages);
        for (int round = 0; round < rounds; round++) {
            if (round >= warmUpRounds + LEAST_ROUNDS && nanoClock.getAsLong() >= deadlineNanos) {
                break;
            }
            for (int turn = 0; turn < targets.size(); turn++) {
                int which = (round + turn) % targets.size();
                measureBlock(targets.get(which), round, round < warmUpRounds ? null : results.get(which));
            }
        }
        return results;
    }

    private void measureBlock(Target target, int round, TargetResult result) throws Exception {
        long[] nanos = new long[blockMessages];
        long thread = Thread.currentThread().getId();
        long allocatedBefore = THREADS.getThreadAllocatedBytes(thread);
        target.run(round * blockMessages, nanos);
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
