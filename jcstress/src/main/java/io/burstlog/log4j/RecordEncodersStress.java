// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.burstlog.RecordBuffer;
import java.util.Arrays;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** Only one thread has an encoder at a time, be it its own or borrowed from the pool, nested or not. */
public class RecordEncodersStress {

    private static final int BYTES = 24;
    private static final byte[][] TEXTS = new byte[4][BYTES];

    static {
        for (int mark = 0; mark < TEXTS.length; mark++) {
            Arrays.fill(TEXTS[mark], (byte) mark);
        }
    }

    private static boolean holds(final RecordBuffer record, final int mark) {
        boolean whole = record.length() == BYTES;
        for (int i = 0; i < BYTES; i++) {
            whole &= record.buffer().get(i) == mark;
        }
        return whole;
    }

    @JCStressTest
    @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "Each encodes alone.")
    @Outcome(expect = FORBIDDEN, desc = "One encoder in two hands.")
    @State
    public static class Lent {

        private static boolean borrowAndEncode(final int mark) {
            final RecordEncoder encoder = RecordEncoders.borrow();
            final RecordBuffer record = encoder.encode(TEXTS[mark], BYTES);
            final boolean whole = holds(record, mark);
            RecordEncoders.release(encoder);
            return whole;
        }

        @Actor
        public void one(final ZZ_Result r) {
            r.r1 = borrowAndEncode(0);
        }

        @Actor
        public void two(final ZZ_Result r) {
            r.r2 = borrowAndEncode(1);
        }
    }

    @JCStressTest
    @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "Each encodes alone, at each depth.")
    @Outcome(expect = FORBIDDEN, desc = "One encoder in two hands.")
    @State
    public static class Own {

        private static boolean encodeOneInAnother(final int mark) {
            final RecordEncoder outer = RecordEncoders.acquire();
            final RecordBuffer record = outer.encode(TEXTS[mark], BYTES);
            final RecordEncoder inner = RecordEncoders.acquire();
            final boolean innerWhole = holds(inner.encode(TEXTS[mark + 1], BYTES), mark + 1);
            RecordEncoders.release(inner);
            final boolean outerWhole = holds(record, mark);
            RecordEncoders.release(outer);
            return inner != outer && innerWhole && outerWhole;
        }

        @Actor
        public void one(final ZZ_Result r) {
            r.r1 = encodeOneInAnother(0);
        }

        @Actor
        public void two(final ZZ_Result r) {
            r.r2 = encodeOneInAnother(2);
        }
    }
}
