// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.burstlog.stress.FreshRing;
import java.time.Duration;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;
import org.openjdk.jcstress.infra.results.Z_Result;

/** Two threads on one open log: sequences, the durable watermark, and the sentence of a failure. */
public class OpenLogStress {

    private static final BurstLog LOG = FreshRing.forAllTests();
    private static final byte[] RECORD = {'\n'};

    @JCStressTest
    @Outcome(id = "true", expect = ACCEPTABLE, desc = "Two records, two sequences.")
    @Outcome(expect = FORBIDDEN, desc = "A sequence given out twice, or none.")
    @State
    public static class Sequences {

        private long first;
        private long second;

        @Actor
        public void one() {
            first = LOG.enqueue(RECORD);
        }

        @Actor
        public void two() {
            second = LOG.enqueue(RECORD);
        }

        @Arbiter
        public void judge(Z_Result r) {
            r.r1 = first > 0 && second > 0 && first != second;
        }
    }

    @JCStressTest
    @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "What was acknowledged is durable, and stays so.")
    @Outcome(id = "false, .*", expect = FORBIDDEN, desc = "Acknowledged beyond the watermark.")
    @Outcome(id = ".*, false", expect = FORBIDDEN, desc = "The watermark went back.")
    @State
    public static class Watermark {

        @Actor
        public void appends(ZZ_Result r) {
            long sequence = LOG.append(RECORD);
            r.r1 = sequence > 0 && LOG.durableSequence() >= sequence;
        }

        @Actor
        public void reads(ZZ_Result r) {
            long before = LOG.durableSequence();
            r.r2 = LOG.durableSequence() >= before;
        }
    }

    /** The engine's sentence goes to the thread whose call failed. */
    @JCStressTest
    @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "Each reads about its own call.")
    @Outcome(expect = FORBIDDEN, desc = "The sentence of the other thread, or a torn one.")
    @State
    public static class Sentences {

        private static boolean failsWithItsOwnSequence(long neverGivenOut) {
            try {
                LOG.awaitDurable(neverGivenOut, Duration.ZERO);
                return false;
            } catch (BurstException failure) {
                return failure.code() == BurstException.Code.INVALID_ARGUMENT
                        && failure.getMessage().contains(Long.toString(neverGivenOut));
            }
        }

        @Actor
        public void one(ZZ_Result r) {
            r.r1 = failsWithItsOwnSequence(1_111_111_111_111_111L);
        }

        @Actor
        public void two(ZZ_Result r) {
            r.r2 = failsWithItsOwnSequence(2_222_222_222_222L);
        }
    }
}
