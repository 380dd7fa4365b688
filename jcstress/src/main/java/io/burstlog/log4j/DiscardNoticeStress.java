// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.burstlog.doors.Holder;
import io.burstlog.doors.OpenRing;
import io.burstlog.doors.StreamTerms;
import io.burstlog.stress.FreshRing;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.layout.AbstractStringLayout;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** Each discarded event is counted in one line of the log, whichever thread writes that line. */
public class DiscardNoticeStress {

    private static final long RING_BYTES = 256 << 20;
    private static final int EVENTS = 2;
    private static final EventStream STREAM = open(AppendersStress.terms(FreshRing.config("discards", RING_BYTES)));

    private static EventStream open(final StreamTerms terms) {
        final Holder holder =
                new ElementHolder(new BurstAppenderBuilder().setName("Orders").build());
        return EventStream.open(new OpenRing(terms.ring(), holder), terms, null, new Reported(), holder);
    }

    /** Adds up the events of the lines that go to the ring. */
    private static final class Reported extends AbstractStringLayout {

        private final AtomicInteger events = new AtomicInteger();

        Reported() {
            super(StandardCharsets.US_ASCII);
        }

        @Override
        public String toSerializable(final LogEvent event) {
            final String sentence = event.getMessage().getFormattedMessage();
            events.addAndGet(Integer.parseInt(sentence.substring(0, sentence.indexOf(' '))));
            return "\n";
        }
    }

    /**
     * Writes the remaining lines. A line that finds the ring full is rightly written twice, so that must not happen
     * here.
     */
    private static int finish(final DiscardNotice notice, final Reported reported) {
        while (!notice.write() && reported.events.get() <= EVENTS) {
            Thread.onSpinWait();
        }
        if (STREAM.ring().log().stats().fullWaits() > 0) {
            throw new IllegalStateException("the ring was full; it is too small for this machine");
        }
        return reported.events.get();
    }

    @JCStressTest
    @Outcome(id = "2", expect = ACCEPTABLE, desc = "Both events are told, each once.")
    @Outcome(expect = FORBIDDEN, desc = "An event told twice, or never.")
    @State
    public static class AddAndWrite {

        private final Reported reported = new Reported();
        private final DiscardNotice notice = new DiscardNotice(STREAM);

        @Actor
        public void one() {
            notice.add(reported);
            notice.write();
        }

        @Actor
        public void two() {
            notice.add(reported);
            notice.write();
        }

        @Arbiter
        public void judge(final I_Result r) {
            r.r1 = finish(notice, reported);
        }
    }

    /** One of the two threads reports the line that is under way when the ring is closed. */
    @JCStressTest
    @Outcome(id = "2", expect = ACCEPTABLE, desc = "Both events are told before the ring closes, each once.")
    @Outcome(expect = FORBIDDEN, desc = "An event told twice, or left for after the close.")
    @State
    public static class WriteAndClose {

        private final Reported reported = new Reported();
        private final DiscardNotice notice = new DiscardNotice(STREAM);
        private int toldAtClose;

        public WriteAndClose() {
            notice.add(reported);
            notice.add(reported);
        }

        @Actor
        public void writes() {
            notice.write();
        }

        @Actor
        public void closes() {
            notice.writeBeforeClose(Duration.ZERO);
            toldAtClose = reported.events.get();
        }

        @Arbiter
        public void judge(final I_Result r) {
            r.r1 = Math.max(toldAtClose, finish(notice, reported));
            if (toldAtClose != r.r1) {
                r.r1 = -1;
            }
        }
    }
}
