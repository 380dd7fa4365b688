// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WriteBehindTest {

    private final WriteBehind behind = new WriteBehind("test write behind");
    private final List<Integer> done = new CopyOnWriteArrayList<>();
    private final CountDownLatch hold = new CountDownLatch(1);

    @AfterEach
    void close() {
        hold.countDown();
        behind.close();
    }

    private void hold() throws IOException {
        try {
            hold.await();
        } catch (InterruptedException stopped) {
            throw new IOException(stopped);
        }
    }

    @Test
    void stepsAreDoneInTheirOrder() throws IOException {
        for (int number = 0; number < 1000; number++) {
            int each = number;
            behind.add(1, () -> done.add(each));
        }
        behind.await();
        assertThat(done)
                .containsExactlyElementsOf(IntStream.range(0, 1000).boxed().toList());
    }

    @Test
    void nothingIsDoneBehindAStepThatFailedAndEveryCallTellsIt() throws IOException {
        behind.add(1, this::hold);
        behind.add(1, () -> {
            throw new IOException("No space left on device");
        });
        behind.add(1, () -> done.add(3));
        hold.countDown();
        assertThatThrownBy(behind::await).hasMessage("No space left on device");
        assertThatThrownBy(() -> behind.add(1, () -> done.add(4))).hasMessage("No space left on device");
        assertThatThrownBy(behind::check).hasMessage("No space left on device");
        behind.close();
        assertThat(done).isEmpty();
    }

    @Test
    void aBugIsToldAsWhatItIs() throws IOException {
        behind.add(1, () -> {
            throw new IllegalStateException("a bug");
        });
        assertThatThrownBy(behind::await).isInstanceOf(IllegalStateException.class);
    }

    /** {@return a thread that does this step, and waits in it for what is held} */
    private Thread waiting(WriteBehind.Step step) {
        Thread thread = new Thread(() -> {
            try {
                step.run();
            } catch (IOException failed) {
                done.add(-1);
            }
        });
        thread.start();
        while (thread.isAlive() && thread.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
        assertThat(thread.getState()).isEqualTo(Thread.State.WAITING);
        return thread;
    }

    @Test
    void whoAddsWaitsWhileTooManyBytesAreNotDone() throws Exception {
        behind.add(WriteBehind.MOST_BYTES, this::hold);
        Thread adding = waiting(() -> behind.add(1, () -> done.add(2)));
        hold.countDown();
        adding.join();
        behind.await();
        assertThat(done).containsExactly(2);
    }

    @Test
    void whoAwaitsWaitsForTheLastStep() throws Exception {
        behind.add(1, this::hold);
        Thread awaiting = waiting(behind::await);
        hold.countDown();
        awaiting.join();
        assertThat(done).isEmpty();
    }

    @Test
    void closeWaitsForTheStepThatRunsAndForgetsTheOthers() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        behind.add(1, () -> {
            begun.countDown();
            hold();
            done.add(1);
        });
        behind.add(1, () -> done.add(2));
        begun.await();
        Thread closing = waiting(behind::close);
        hold.countDown();
        closing.join();
        assertThat(done).containsExactly(1);
    }
}
