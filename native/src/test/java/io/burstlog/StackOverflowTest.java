// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The stack ends at each possible place of a call, one after the other. Data that later calls use must stay whole. */
@EachBinding
@Timeout(120)
class StackOverflowTest {

    private static final long STACK_BYTES = 256 * 1024;

    private final Binding binding;
    private TempLog temp;

    StackOverflowTest(Binding binding) {
        this.binding = binding;
    }

    @BeforeEach
    void createDirectory(@TempDir Path directory) {
        temp = new TempLog(directory, binding);
    }

    /** Calls it at each depth of a thread's stack, the deepest first, until it has succeeded twenty times. */
    private static int callFromTheEndOfTheStack(Runnable call) throws InterruptedException {
        int[] overflows = {0};
        Thread thread = new Thread(null, () -> descend(call, overflows, new int[1]), "deep", STACK_BYTES);
        thread.start();
        thread.join();
        return overflows[0];
    }

    private static void descend(Runnable call, int[] overflows, int[] completed) {
        try {
            descend(call, overflows, completed);
        } catch (StackOverflowError theEnd) {
            // From here on each frame has a little more room.
        }
        if (completed[0] < 20) {
            try {
                call.run();
                completed[0]++;
            } catch (StackOverflowError half) {
                overflows[0]++;
            }
        }
    }

    @Test
    void aRecordBufferThatCouldNotGrowIsAsItWas() throws InterruptedException {
        List<RecordBuffer> buffers = new ArrayList<>();
        List<Long> addresses = new ArrayList<>();
        List<Integer> lengths = new ArrayList<>();
        byte[] first = new byte[64];
        int overflows = callFromTheEndOfTheStack(() -> {
            RecordBuffer buffer = RecordBuffer.allocate(64, 4096).put(first, 0, 64);
            buffers.add(buffer);
            buffer.ensureRemaining(1000);
        });
        assertThat(overflows).isPositive();
        for (RecordBuffer buffer : buffers) {
            addresses.add(buffer.address());
            lengths.add(buffer.length());
        }
        assertThat(addresses)
                .isEqualTo(
                        buffers.stream().map(StackOverflowTest::addressOfBytes).toList());
        assertThat(lengths).containsOnly(64);
    }

    private static long addressOfBytes(RecordBuffer buffer) {
        return Pointer.nativeValue(
                Native.getDirectBufferPointer(buffer.buffer().duplicate().clear()));
    }

    @Test
    void aThreadWhoseStackEndedInAnAppendAppendsWholeRecordsAfterIt() throws InterruptedException, IOException {
        List<String> acknowledged = new ArrayList<>();
        List<String> given = new ArrayList<>();
        int overflows;
        try (BurstLog log = temp.open()) {
            overflows = callFromTheEndOfTheStack(() -> {
                String text = "record " + given.size() + " ";
                // Longer each time, so that the thread's buffer must grow.
                text = text + "x".repeat(600 + 100 * given.size());
                given.add(text);
                byte[] record = (text + "\n").getBytes(StandardCharsets.UTF_8);
                log.append(record);
                acknowledged.add(text);
            });
        }
        assertThat(overflows).isPositive();
        assertThat(acknowledged).hasSizeGreaterThanOrEqualTo(20);
        assertThat(temp.lines())
                .doesNotHaveDuplicates()
                .containsAll(acknowledged)
                .isSubsetOf(given);
    }
}
