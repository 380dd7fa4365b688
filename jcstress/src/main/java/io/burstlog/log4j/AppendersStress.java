// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.burstlog.BurstConfig;
import io.burstlog.BurstLog;
import io.burstlog.StreamConfig;
import io.burstlog.doors.Ack;
import io.burstlog.doors.Location;
import io.burstlog.doors.RingTerms;
import io.burstlog.doors.StreamTerms;
import io.burstlog.stress.FreshRing;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.appender.AppenderLoggingException;
import org.apache.logging.log4j.core.config.Property;
import org.apache.logging.log4j.core.impl.Log4jLogEvent;
import org.apache.logging.log4j.core.layout.PatternLayout;
import org.apache.logging.log4j.message.SimpleMessage;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** Appenders that start, stop and log while other threads do. */
public class AppendersStress {

    private static final PatternLayout LAYOUT =
            PatternLayout.newBuilder().withPattern("%m%n").build();

    /** The attributes of an element with these values. The log file is that of its stream. */
    static StreamTerms terms(final BurstConfig.Builder values) {
        final StreamConfig ofStream = values.build().main();
        final BurstConfig ofRing = values.fileName(null).build();
        final String ring = Location.of(ofRing.ring(), null).ring();
        return StreamTerms.of(
                new RingTerms(ring, new TreeMap<>(), Set.of(), ofRing, false, null), ofStream, null, Ack.DURABLE);
    }

    private static BurstAppender appender(final BurstConfig.Builder values) {
        final StreamTerms stream = terms(values);
        final BurstElement.Terms terms =
                new BurstElement.Terms(stream, null, AckRule.durable(), new Advertisement(false, null), List.of());
        return new BurstAppender(
                "Orders",
                null,
                LAYOUT,
                false,
                Property.EMPTY_ARRAY,
                null,
                new BurstElement(stream.location(), null, terms));
    }

    private static BurstAppender started() {
        final BurstAppender appender = appender(FreshRing.config());
        appender.start();
        return appender;
    }

    private static LogEvent event(final String message) {
        return Log4jLogEvent.newBuilder()
                .setLevel(Level.INFO)
                .setMessage(new SimpleMessage(message))
                .build();
    }

    /** 1: the event was logged; 0: it was refused. */
    private static int log(final BurstAppender appender, final String message) {
        try {
            appender.append(event(message));
            return 1;
        } catch (final AppenderLoggingException refused) {
            return 0;
        }
    }

    /** As a reconfiguration; but there the old appender stops only after the new one has started. */
    @JCStressTest
    @Outcome(id = "1, 1, 0", expect = ACCEPTABLE, desc = "The ring was there for both, and is closed after the last.")
    @Outcome(expect = FORBIDDEN, desc = "An event lost or doubled, or a ring that nobody closed.")
    @State
    public static class StopAndStart {

        private final long begin = FreshRing.fileLength();
        private final BurstAppender old = started();
        private final BurstAppender fresh = appender(FreshRing.config());

        @Actor
        public void stopsTheOld() {
            log(old, "old");
            old.stop(0, TimeUnit.MILLISECONDS);
        }

        @Actor
        public void startsTheNew() {
            fresh.start();
            log(fresh, "fresh");
        }

        @Arbiter
        public void judge(final III_Result r) {
            fresh.stop(0, TimeUnit.MILLISECONDS);
            r.r1 = FreshRing.count("old", begin);
            r.r2 = FreshRing.count("fresh", begin);
            BurstLog.open(FreshRing.config().build()).close();
            r.r3 = log(fresh, "late");
        }
    }

    @JCStressTest
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "Logged, and in the file once.")
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "Refused, and not written.")
    @Outcome(expect = FORBIDDEN, desc = "Logged and lost, refused and written, or twice.")
    @State
    public static class StopAndLog {

        private final long begin = FreshRing.fileLength();
        private final BurstAppender appender = started();

        @Actor
        public void logs(final II_Result r) {
            r.r1 = log(appender, "order");
        }

        @Actor
        public void stops() {
            appender.stop(0, TimeUnit.MILLISECONDS);
        }

        @Arbiter
        public void judge(final II_Result r) {
            r.r2 = FreshRing.count("order", begin);
        }
    }

    /** After a stop has returned, its caller may rely on it. */
    @JCStressTest
    @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "Stopped for both.")
    @Outcome(expect = FORBIDDEN, desc = "A stop returned before the ring was closed.")
    @State
    public static class StopTwice {

        private final BurstAppender appender = started();

        private boolean stopIsComplete() {
            return appender.stop(0, TimeUnit.MILLISECONDS) && appender.isStopped() && log(appender, "late") == 0;
        }

        @Actor
        public void one(final ZZ_Result r) {
            r.r1 = stopIsComplete();
        }

        @Actor
        public void two(final ZZ_Result r) {
            r.r2 = stopIsComplete();
        }
    }

    /** The event comes before the start, during it, or after it. */
    @JCStressTest
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "Logged, and in the file once.")
    @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "Refused, because it had not started.")
    @Outcome(expect = FORBIDDEN, desc = "Logged and lost, refused and written, or something else thrown.")
    @State
    public static class StartAndLog {

        private final long begin = FreshRing.fileLength();
        private final BurstAppender appender = appender(FreshRing.config());

        @Actor
        public void starts() {
            appender.start();
        }

        @Actor
        public void logs(final II_Result r) {
            r.r1 = log(appender, "order");
        }

        @Arbiter
        public void judge(final II_Result r) {
            appender.stop(0, TimeUnit.MILLISECONDS);
            r.r2 = FreshRing.count("order", begin);
        }
    }

    /**
     * A ring that cannot be opened: the appender tells a thread that logs meanwhile why, or that it was never started.
     */
    @JCStressTest
    @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "Refused with a reason.")
    @Outcome(expect = FORBIDDEN, desc = "Logged to nowhere, or no reason.")
    @State
    public static class RefusedAndLog {

        private final BurstAppender appender = appender(FreshRing.config().ringBytes(1));

        private boolean isRefused() {
            try {
                appender.append(event("order"));
                return false;
            } catch (final AppenderLoggingException refused) {
                return refused.getMessage().startsWith("Burst 'Orders' ");
            }
        }

        @Actor
        public void starts(final ZZ_Result r) {
            appender.start();
            r.r1 = isRefused();
        }

        @Actor
        public void logs(final ZZ_Result r) {
            r.r2 = isRefused();
        }
    }
}
