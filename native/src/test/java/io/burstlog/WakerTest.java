// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Waiters and the waker, over an engine that the test moves. Platform threads stand for virtual ones, on any JDK. */
@Timeout(60)
class WakerTest {

    private static final long FOREVER = -1;
    private static final long STREAM = 7;
    private static final Runnable NOTHING = () -> {};

    private final FakeEngine engine = new FakeEngine();
    private final List<Thread> threads = new ArrayList<>();
    private Waker waker;
    private ParkedWrites writes;

    @BeforeAll
    static void loadTheLibrary() {
        io.burstlog.binding.EngineLibrary.load(null); // for the sentence of a failing call
    }

    @BeforeEach
    void start() {
        waker = new Waker("test", 1, engine);
        writes = new ParkedWrites(waker, engine, STREAM, "BurstLog[test]", () -> engine.records.size(), null);
    }

    @AfterEach
    void end() throws InterruptedException {
        engine.finish();
        waker.end();
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private <T> FutureTask<T> begin(Callable<T> call) {
        FutureTask<T> task = new FutureTask<>(call);
        Thread thread = new Thread(task);
        threads.add(thread);
        thread.start();
        return task;
    }

    private static RecordBuffer record(int number) {
        return RecordBuffer.allocate(64, 64).put(new byte[] {(byte) number}, 0, 1);
    }

    private FutureTask<Long> append(int number, long limitNanos) {
        return begin(() -> writes.write(record(number), 0, true, OnFull.BLOCK, limitNanos, NOTHING));
    }

    private Thread last() {
        return threads.get(threads.size() - 1);
    }

    private static void awaitParked(Thread thread) throws InterruptedException {
        while (thread.getState() != Thread.State.WAITING && thread.getState() != Thread.State.TIMED_WAITING) {
            Thread.sleep(1);
        }
    }

    /** A thread that spins takes time of a processor; one whose park returns at once is seen parked nearly always. */
    private static void awaitIdle(Thread thread) throws InterruptedException {
        ThreadMXBean times = ManagementFactory.getThreadMXBean();
        awaitParked(thread);
        long before;
        do {
            before = times.getThreadCpuTime(thread.getId());
            Thread.sleep(100);
        } while (times.getThreadCpuTime(thread.getId()) != before);
    }

    /** Begins an append, and waits until its thread is parked and linked in. */
    private FutureTask<Long> parkedAppend(int number, long limitNanos) throws InterruptedException {
        int before = waker.waiters();
        FutureTask<Long> task = append(number, limitNanos);
        while (waker.waiters() == before) {
            Thread.sleep(1);
        }
        awaitParked(last());
        return task;
    }

    @Test
    void aThreadIsReleasedWhenItsRecordIsDurableAndNotBefore() throws Exception {
        FutureTask<Long> first = parkedAppend(1, FOREVER);
        FutureTask<Long> second = parkedAppend(2, FOREVER);
        engine.makeDurable(1);
        assertThat(first.get()).isEqualTo(1);
        engine.awaitWaker();
        assertThat(second.isDone()).isFalse();
        assertThat(waker.waiters()).isEqualTo(1);
        engine.makeDurable(2);
        assertThat(second.get()).isEqualTo(2);
    }

    @Test
    void aRecordThatIsDurableBeforeItsThreadIsLinkedInDoesNotWait() throws Exception {
        FutureTask<Long> other = parkedAppend(1, FOREVER);
        engine.makeDurable(2);
        other.get();
        assertThat(append(2, FOREVER).get()).isEqualTo(2);
        assertThat(waker.waiters()).isZero();
    }

    /** The waker sleeps in Java between two of them; each has to wake it. */
    @Test
    void eachRecordWakesAWakerThatSleeps() throws Exception {
        for (int i = 1; i <= 200; i++) {
            FutureTask<Long> append = append(i, FOREVER);
            while (waker.waiters() == 0) {
                Thread.onSpinWait();
            }
            engine.makeDurable(i);
            assertThat(append.get()).isEqualTo(i);
        }
    }

    @Test
    void anInterruptEndsNoWaitIsNotLostAndMakesNothingSpin() throws Exception {
        FutureTask<Boolean> wasInterrupted = begin(() -> {
            Thread.currentThread().interrupt();
            writes.write(record(1), 0, true, NOTHING);
            return Thread.interrupted();
        });
        awaitIdle(last());
        last().interrupt();
        awaitIdle(last());
        assertThat(wasInterrupted.isDone()).isFalse();
        engine.makeDurable(1);
        assertThat(wasInterrupted.get()).isTrue();
    }

    @Test
    void aThreadWhoseTimeIsOverLeavesNoWaiter() throws Exception {
        FutureTask<Long> late = append(1, TimeUnit.MILLISECONDS.toNanos(1));
        assertCode(late, BurstException.Code.UNDECIDED);
        assertThat(waker.waiters()).isZero();
        engine.giveRoom(0);
        assertCode(append(2, TimeUnit.MILLISECONDS.toNanos(1)), BurstException.Code.TIMED_OUT);
        assertCode(append(3, 0), BurstException.Code.TIMED_OUT);
        assertThat(waker.waiters()).isZero();
        engine.giveRoom(10);
        engine.makeDurable(1);
        FutureTask<Long> next = append(4, FOREVER);
        engine.makeDurable(2);
        assertThat(next.get()).isEqualTo(2);
        assertThat(engine.records).as("nothing of those").containsExactly((byte) 1, (byte) 4);
    }

    private static void assertCode(FutureTask<?> task, BurstException.Code code) {
        assertThatThrownBy(task::get)
                .cause()
                .isInstanceOfSatisfying(
                        BurstException.class,
                        failure -> assertThat(failure.code()).isEqualTo(code));
    }

    @Test
    void spaceIsGivenInTheOrderOfArrivalAndWakesNobodyWhoDoesNotFit() throws Exception {
        engine.giveRoom(0);
        List<FutureTask<Long>> appends = new ArrayList<>();
        for (int i = 1; i <= 5; i++) {
            appends.add(parkedAppend(i, FOREVER));
        }
        engine.awaitWaker();
        int before = engine.puts;
        engine.giveRoom(2);
        engine.awaitWaker();
        assertThat(engine.records).containsExactly((byte) 1, (byte) 2);
        assertThat(engine.puts - before)
                .as("two that fit, and one look for each round")
                .isLessThanOrEqualTo(2 + 3);
        for (Thread thread : threads) {
            assertThat(thread.getState()).isNotEqualTo(Thread.State.RUNNABLE);
        }
        FutureTask<Long> newcomer = parkedAppend(6, FOREVER);
        engine.giveRoom(100);
        engine.awaitWaker();
        engine.makeDurable(6);
        for (int i = 1; i <= 5; i++) {
            assertThat(appends.get(i - 1).get()).isEqualTo(i);
        }
        assertThat(newcomer.get()).isEqualTo(6);
        assertThat(engine.records).containsExactly((byte) 1, (byte) 2, (byte) 3, (byte) 4, (byte) 5, (byte) 6);
    }

    @Test
    void aNewcomerDoesNotOvertakeThoseWhoWaitForSpace() throws Exception {
        engine.giveRoom(0);
        FutureTask<Long> first = parkedAppend(1, FOREVER);
        engine.awaitWaker();
        synchronized (engine) { // there is room, and the waker cannot see it yet
            engine.giveRoom(100);
            assertThatThrownBy(() -> writes.write(record(2), 0, false, OnFull.BLOCK, 0, NOTHING))
                    .isInstanceOfSatisfying(
                            BurstException.class,
                            failure -> assertThat(failure.code()).isEqualTo(BurstException.Code.TIMED_OUT));
        }
        while (engine.records.isEmpty()) {
            Thread.sleep(1);
        }
        engine.makeDurable(1);
        assertThat(first.get()).isEqualTo(1);
        assertThat(engine.records).containsExactly((byte) 1);
    }

    @Test
    void theBufferGoesBackBeforeItsThreadParks() throws Exception {
        for (int round = 0; round < 2; round++) {
            engine.giveRoom(round == 0 ? 100 : 0);
            boolean[] isGivenBack = new boolean[1];
            FutureTask<Long> append = begin(() -> writes.write(record(1), 0, true, () -> isGivenBack[0] = true));
            while (waker.waiters() == 0) {
                Thread.sleep(1);
            }
            assertThat(isGivenBack[0]).isTrue();
            engine.giveRoom(100);
            while (engine.records.size() == round) {
                Thread.sleep(1);
            }
            engine.makeDurable(round + 1);
            append.get();
        }
    }

    @Test
    void anEnqueuedRecordWaitsForSpaceAndNotForDurability() throws Exception {
        engine.giveRoom(0);
        FutureTask<Long> enqueued = begin(() -> writes.write(record(1), 0, false, NOTHING));
        while (waker.waiters() == 0) {
            Thread.sleep(1);
        }
        engine.giveRoom(1);
        assertThat(enqueued.get()).isEqualTo(1);
        assertThat(engine.durableSequence(1)).isZero();
    }

    @Test
    void afterAFailureEachWaiterThrowsThoseThatComeLaterToo() throws Exception {
        FutureTask<Long> durable = parkedAppend(1, FOREVER);
        FutureTask<Long> lost = parkedAppend(2, FOREVER);
        FutureTask<Boolean> drained = begin(() -> waker.awaitDrained(STREAM, 0, FOREVER));
        assertThat(drained.get()).isTrue();
        synchronized (engine) {
            engine.makeDurable(1);
            engine.fail();
        }
        assertThat(durable.get()).isEqualTo(1);
        assertCode(lost, BurstException.Code.IO_ERROR);
        assertCode(append(3, FOREVER), BurstException.Code.IO_ERROR);
        assertThat(waker.waiters()).isZero();
    }

    @Test
    void aCloseAcknowledgesWhatIsDurableAndEveryOtherWaiterThrows() throws Exception {
        FutureTask<Long> durable = parkedAppend(1, FOREVER);
        FutureTask<Long> undecided = parkedAppend(2, FOREVER);
        engine.giveRoom(0);
        FutureTask<Long> refused = parkedAppend(3, FOREVER);
        FutureTask<Boolean> drained = begin(() -> waker.awaitDrained(STREAM, 1, FOREVER));
        awaitParked(last());
        synchronized (engine) {
            engine.makeDurable(1);
            engine.finish();
        }
        waker.end();
        assertThat(durable.get()).isEqualTo(1);
        assertCode(undecided, BurstException.Code.UNDECIDED);
        assertCode(refused, BurstException.Code.CLOSED);
        assertCode(drained, BurstException.Code.CLOSED);
        assertThat(waker.waiters()).isZero();
    }

    /** The close was given up, since a medium hangs: the waker itself may hang in a write. */
    @Test
    void aCloseThatWasGivenUpReleasesEverybodyWithoutTheWaker() throws Exception {
        FutureTask<Long> undecided = parkedAppend(1, FOREVER);
        engine.giveRoom(0);
        FutureTask<Long> refused = parkedAppend(2, FOREVER);
        engine.awaitWaker();
        synchronized (engine) { // so the waker cannot get on
            waker.end();
            assertThat(waker.waiters()).isZero();
        }
        assertCode(undecided, BurstException.Code.UNDECIDED);
        assertCode(refused, BurstException.Code.CLOSED);
    }

    @Test
    void aThreadThatWaitsForTheLogFileIsReleasedWhenItHasTheRecord() throws Exception {
        FutureTask<Long> append = append(1, FOREVER);
        engine.makeDurable(1);
        append.get();
        FutureTask<Boolean> drained = begin(() -> waker.awaitDrained(STREAM, 1, FOREVER));
        while (waker.waiters() == 0) {
            Thread.sleep(1);
        }
        assertThat(drained.isDone()).isFalse();
        engine.drain(1);
        assertThat(drained.get()).isTrue();
        assertThat(begin(() -> waker.awaitDrained(STREAM, 2, 1)).get()).isFalse();
        assertThat(waker.waiters()).isZero();
    }
}
