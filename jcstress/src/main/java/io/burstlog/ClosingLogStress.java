// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.burstlog.stress.FreshRing;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** One thread closes a log, and the other does not know. */
public class ClosingLogStress {

    private static final String LINE = "order";
    private static final byte[] RECORD = (LINE + "\n").getBytes(StandardCharsets.UTF_8);

    @JCStressTest
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "Acknowledged, and in the file once.")
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "Refused, and not written.")
    @Outcome(expect = FORBIDDEN, desc = "Acknowledged and lost, refused and written, or twice.")
    @State
    public static class Append {

        private final long begin = FreshRing.fileLength();
        private final BurstLog log = BurstLog.open(FreshRing.config().build());

        @Actor
        public void appends(II_Result r) {
            try {
                r.r1 = log.append(RECORD) > 0 ? 1 : -1;
            } catch (BurstException refused) {
                r.r1 = refused.code() == BurstException.Code.CLOSED ? 0 : -2;
            }
        }

        @Actor
        public void closes() {
            log.close();
        }

        @Arbiter
        public void judge(II_Result r) {
            r.r2 = FreshRing.count(LINE, begin);
        }
    }

    @JCStressTest
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "Accepted before the close, which made it durable.")
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "Refused, and not written.")
    @Outcome(expect = FORBIDDEN, desc = "Accepted and lost, refused and written, or twice.")
    @State
    public static class Enqueue {

        private final long begin = FreshRing.fileLength();
        private final BurstLog log = BurstLog.open(FreshRing.config().build());

        @Actor
        public void enqueues(II_Result r) {
            try {
                r.r1 = log.enqueue(RECORD) > 0 ? 1 : -1;
            } catch (BurstException refused) {
                r.r1 = refused.code() == BurstException.Code.CLOSED ? 0 : -2;
            }
        }

        @Actor
        public void closes() {
            log.close();
        }

        @Arbiter
        public void judge(II_Result r) {
            r.r2 = FreshRing.count(LINE, begin);
        }
    }

    /** After a close has returned, its caller may open the ring again, and hears nothing more. */
    @JCStressTest
    @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "Closed, and the listener is gone.")
    @Outcome(expect = FORBIDDEN, desc = "A close returned before it was done.")
    @State
    public static class Close {

        private final CountDownLatch heard = new CountDownLatch(1);
        private volatile Thread listening;
        private final BurstLog log = open();
        private final long opened = System.nanoTime();

        private BurstLog open() {
            BurstLog opened =
                    BurstLog.open(FreshRing.config().listener(this::hear).build());
            try {
                // Each open tells what recovery found.
                heard.await();
            } catch (InterruptedException nobodyDoes) {
                throw new AssertionError(nobodyDoes);
            }
            return opened;
        }

        private void hear(BurstEvent event) {
            listening = Thread.currentThread();
            heard.countDown();
        }

        private boolean closeIsComplete() {
            log.close();
            return log.stats().state() == BurstStats.State.CLOSED && (!listening.isAlive() || gaveUpTheListener());
        }

        /** A close waits one second for its listener. */
        private boolean gaveUpTheListener() {
            return System.nanoTime() - opened >= TimeUnit.SECONDS.toNanos(1);
        }

        @Actor
        public void one(ZZ_Result r) {
            r.r1 = closeIsComplete();
        }

        @Actor
        public void two(ZZ_Result r) {
            r.r2 = closeIsComplete();
        }
    }

    @JCStressTest
    @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "It answers before, while and after it is closed.")
    @Outcome(expect = FORBIDDEN, desc = "A question failed, or its answer went back.")
    @State
    public static class Questions {

        private final BurstLog log = BurstLog.open(FreshRing.config().build());

        @Actor
        public void asks(ZZ_Result r) {
            BurstStats before = log.stats();
            boolean answered = log.currentFile().endsWith(".log")
                    && !log.recoveryStatement().isEmpty()
                    && log.provablyLost() == 0;
            BurstStats after = log.stats();
            r.r1 = answered
                    && after.state().compareTo(before.state()) >= 0
                    && after.durableSequence() >= before.durableSequence()
                    && after.capacityBytes() == before.capacityBytes();
        }

        @Actor
        public void closes(ZZ_Result r) {
            log.close();
            r.r2 = log.stats().state() == BurstStats.State.CLOSED;
        }
    }
}
