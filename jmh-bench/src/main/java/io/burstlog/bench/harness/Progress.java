// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.harness;

import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** Prints every few seconds how far a study is, and how long the rest takes at the same speed. */
public final class Progress {

    private static final long PAUSE_NANOS = 5_000_000_000L;

    private final String study;
    private final LongSupplier nanoClock;
    private final Consumer<String> out;
    private final long begin;
    private long said;

    public Progress(String study) {
        this(study, System::nanoTime, System.out::println);
    }

    Progress(String study, LongSupplier nanoClock, Consumer<String> out) {
        this.study = study;
        this.nanoClock = nanoClock;
        this.out = out;
        begin = nanoClock.getAsLong();
        said = begin;
    }

    /** The progress of one of several equal parts of the study, 0 to 1. */
    public interface Part {
        void is(double done);
    }

    /** @param number of the part, from 0 on */
    public Part part(int number, int of) {
        return done -> is((number + done) / of);
    }

    /** Nanoseconds since the study began. */
    long nanos() {
        return nanoClock.getAsLong() - begin;
    }

    /** @param done which part of the whole, 0 to 1 */
    public void is(double done) {
        double part = Math.min(done, 1); // the least number of rounds may take longer than the time
        long now = nanoClock.getAsLong();
        if (now - said < PAUSE_NANOS || part <= 0) {
            return;
        }
        said = now;
        double left = (now - begin) / 1e9 * (1 - part) / part;
        out.accept("%-12s .. %.0f%% done, about %.0f s left".formatted(study, 100 * part, left));
    }
}
