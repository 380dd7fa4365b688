// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.burstlog.binding.RecordCalls;
import io.burstlog.stress.FreshRing;
import java.lang.reflect.Proxy;
import java.util.concurrent.TimeUnit;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;
import org.openjdk.jcstress.infra.results.Z_Result;

/**
 * Threads that wait as virtual ones do, while the waker falls asleep, commits, and releases. None is left behind: a
 * thread that is not woken gives up after ten seconds, which no write to memory takes.
 */
public class WakerStress {

    private static final long LOST_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final BurstLog LOG = FreshRing.forAllTests();

    private static boolean append() {
        RecordBuffer record = ScratchBuffers.borrow().put(new byte[] {'\n'}, 0, 1);
        try {
            return LOG.mainStream()
                            .parked()
                            .write(record, 0, true, OnFull.BLOCK, LOST_NANOS, () -> ScratchBuffers.giveBack(record))
                    > 0;
        } catch (BurstException neverWoken) {
            return false;
        }
    }

    /** A waker without its thread, over a watermark that an actor moves. */
    private static final class Steps {

        private volatile long durable;
        final Waker waker = new Waker("stress", 1, (RecordCalls) Proxy.newProxyInstance(
                Steps.class.getClassLoader(), new Class<?>[] {RecordCalls.class}, (self, call, arguments) -> durable));

        /** As the waker does once it has read the watermark. */
        void makeDurable(long sequence) {
            durable = sequence;
            waker.releaseDurable(sequence);
        }
    }

    @JCStressTest
    @Outcome(id = "true", expect = ACCEPTABLE, desc = "The thread saw its record durable, or was released.")
    @Outcome(expect = FORBIDDEN, desc = "It parks, and its record was durable when the waker looked.")
    @State
    public static class LinkAndLook {

        private final Steps steps = new Steps();
        private Waiter waiter;

        @Actor
        public void waits() {
            waiter = steps.waker.linkedForDurability(1);
        }

        @Actor
        public void wakes() {
            steps.makeDurable(1);
        }

        @Arbiter
        public void judge(Z_Result r) {
            r.r1 = waiter == null || waiter.get() == Waiter.DONE;
        }
    }

    @JCStressTest
    @Outcome(id = "true", expect = ACCEPTABLE, desc = "The waker does not sleep, or was woken.")
    @Outcome(expect = FORBIDDEN, desc = "It sleeps while a thread waits.")
    @State
    public static class LinkAndSleep {

        private final Steps steps = new Steps();
        private boolean sleeps;

        @Actor
        public void waits() {
            steps.waker.linkedForDurability(1);
        }

        @Actor
        public void sleeps() {
            steps.waker.announceSleep();
            sleeps = steps.waker.maySleep();
        }

        @Arbiter
        public void judge(Z_Result r) {
            r.r1 = !(sleeps && steps.waker.isAsleep());
        }
    }

    @JCStressTest
    @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "Both are released.")
    @Outcome(expect = FORBIDDEN, desc = "Nobody released a thread whose record is durable.")
    @State
    public static class BothParked {

        @Actor
        public void one(ZZ_Result r) {
            r.r1 = append();
        }

        @Actor
        public void two(ZZ_Result r) {
            r.r2 = append();
        }
    }

    @JCStressTest
    @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "Both are released.")
    @Outcome(expect = FORBIDDEN, desc = "Nobody released a thread whose record is durable.")
    @State
    public static class OneLeadsByItself {

        private static final byte[] RECORD = {'\n'};

        @Actor
        public void parked(ZZ_Result r) {
            r.r1 = append();
        }

        @Actor
        public void platform(ZZ_Result r) {
            r.r2 = LOG.append(RECORD) > 0;
        }
    }

    @JCStressTest
    @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "Both are released.")
    @Outcome(expect = FORBIDDEN, desc = "Nobody released a thread whose record is durable.")
    @State
    public static class OneAwaitsWhatItEnqueued {

        private static final byte[] RECORD = {'\n'};

        @Actor
        public void parked(ZZ_Result r) {
            r.r1 = append();
        }

        @Actor
        public void awaits(ZZ_Result r) {
            r.r2 = LOG.mainStream().parked().awaitDurable(LOG.enqueue(RECORD), LOST_NANOS);
        }
    }
}
