// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import static io.burstlog.TempLog.line;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@EachBinding
class AllocationTest {

    private static final int WARM_UP = 20_000;
    private static final int MEASURED = 1000;
    private static final int TRIES = 5;

    private final Binding binding;
    private TempLog temp;

    AllocationTest(Binding binding) {
        this.binding = binding;
    }

    @BeforeEach
    void createDirectory(@TempDir Path directory) {
        temp = new TempLog(directory, binding);
    }

    @Test
    void anAppendAllocatesNothing() {
        byte[] array = line("an order of ordinary length");
        ByteBuffer direct = ByteBuffer.allocateDirect(array.length).put(array).flip();
        RecordBuffer record = RecordBuffer.allocate(64, 64).put(array, 0, array.length);
        try (BurstLog log = temp.open()) {
            assertAllocatesNothing(() -> log.enqueue(array));
            assertAllocatesNothing(() -> log.enqueue(direct.rewind()));
            assertAllocatesNothing(() -> log.enqueue(record, 0));
            assertAllocatesNothing(() -> log.offer(record, 0));
            assertAllocatesNothing(() -> log.enqueue(record, 0, OnFull.BLOCK, TempLog.LONG_ENOUGH));
            assertAllocatesNothing(log::durableSequence);
            assertAllocatesNothing(() -> log.append(record, 0), MEASURED);
            assertAllocatesNothing(() -> log.append(record, 0, OnFull.BLOCK, TempLog.LONG_ENOUGH), MEASURED);
        }
    }

    @Test
    void anAppendToAStreamAllocatesNothing() {
        byte[] array = line("an order of ordinary length");
        RecordBuffer record = RecordBuffer.allocate(64, 64).put(array, 0, array.length);
        StreamConfig config =
                StreamConfig.builder().fileName(temp.directory() + "/audit.log").build();
        try (BurstLog log = temp.open();
                BurstStream audit = log.stream("audit", config)) {
            assertAllocatesNothing(() -> audit.enqueue(array));
            assertAllocatesNothing(() -> audit.enqueue(record, 0));
            assertAllocatesNothing(() -> audit.offer(record, 0));
            assertAllocatesNothing(() -> audit.enqueue(record, 0, OnFull.BLOCK, TempLog.LONG_ENOUGH));
            assertAllocatesNothing(() -> audit.append(record, 0), MEASURED);
            assertAllocatesNothing(() -> audit.append(record, 0, OnFull.BLOCK, TempLog.LONG_ENOUGH), MEASURED);
        }
    }

    private static void assertAllocatesNothing(Runnable call) {
        assertAllocatesNothing(call, WARM_UP);
    }

    /**
     * The interpreter allocates where compiled code does not, hence the warm-up. A call also allocates if the compiler
     * takes its code back or replaces it meanwhile, hence several tries. An allocation of the call itself is found in
     * every try.
     */
    private static void assertAllocatesNothing(Runnable call, int warmUp) {
        assertAllocatesNothing(call, warmUp, MEASURED);
    }

    static void assertAllocatesNothing(Runnable call, int warmUp, int measured) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        repeat(call, warmUp);
        long least = Long.MAX_VALUE;
        for (int i = 0; i < TRIES && least > 0; i++) {
            long itself = allocatedBy(threads, () -> {}, 1);
            least = Math.min(least, allocatedBy(threads, call, measured) - itself);
        }
        assertThat(least).isZero();
    }

    private static long allocatedBy(ThreadMXBean threads, Runnable call, int times) {
        long thread = Thread.currentThread().getId();
        long before = threads.getThreadAllocatedBytes(thread);
        repeat(call, times);
        return threads.getThreadAllocatedBytes(thread) - before;
    }

    private static void repeat(Runnable call, int times) {
        for (int i = 0; i < times; i++) {
            call.run();
        }
    }
}
