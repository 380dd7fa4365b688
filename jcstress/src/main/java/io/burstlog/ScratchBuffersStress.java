// SPDX-License-Identifier: Apache-2.0
package io.burstlog;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.nio.ByteBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** Only one thread has a scratch buffer at a time, be it its own or borrowed from the pool. */
public class ScratchBuffersStress {

    private static final int BYTES = 24;

    /** Says whether no other thread wrote to the buffer meanwhile. */
    private static boolean isAlone(RecordBuffer record, byte mark) {
        ByteBuffer bytes = record.buffer();
        for (int i = 0; i < BYTES; i++) {
            bytes.put(mark);
        }
        boolean alone = record.length() == BYTES;
        for (int i = 0; i < BYTES; i++) {
            alone &= bytes.get(i) == mark;
        }
        return alone;
    }

    @JCStressTest
    @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "Each writes to a buffer of its own.")
    @Outcome(expect = FORBIDDEN, desc = "One buffer in two hands.")
    @State
    public static class Lent {

        private static boolean borrowAndWrite(byte mark) {
            RecordBuffer record = ScratchBuffers.borrow();
            boolean alone = isAlone(record, mark);
            ScratchBuffers.giveBack(record);
            return alone;
        }

        @Actor
        public void one(ZZ_Result r) {
            r.r1 = borrowAndWrite((byte) 1);
        }

        @Actor
        public void two(ZZ_Result r) {
            r.r2 = borrowAndWrite((byte) 2);
        }
    }

    @JCStressTest
    @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "Each writes to a buffer of its own.")
    @Outcome(expect = FORBIDDEN, desc = "One buffer in two hands.")
    @State
    public static class Own {

        private static boolean takeAndWrite(byte mark) {
            RecordBuffer record = ScratchBuffers.take();
            boolean alone = isAlone(record, mark);
            ScratchBuffers.release(record);
            return alone;
        }

        @Actor
        public void one(ZZ_Result r) {
            r.r1 = takeAndWrite((byte) 1);
        }

        @Actor
        public void two(ZZ_Result r) {
            r.r2 = takeAndWrite((byte) 2);
        }
    }
}
