// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import org.apache.logging.log4j.core.appender.rolling.PatternProcessor;
import org.apache.logging.log4j.core.lookup.StrSubstitutor;

/** Makes the names of one roll from the times of the roll, whatever the time is now. Not thread-safe. */
final class RollPatternProcessor extends PatternProcessor {

    private final long nextMillis;

    RollPatternProcessor(final String pattern, final RollNote note) {
        super(pattern);
        super.setPrevFileTime(note.previousMillis());
        super.setCurrentFileTime(note.currentMillis());
        nextMillis = note.nextMillis();
    }

    /** Keeps the time of the roll: a strategy that writes directly sets the time of the call. */
    @Override
    public void setCurrentFileTime(final long ignored) {
        // The time stays that at which the policy decided on the roll.
    }

    @Override
    public void setPrevFileTime(final long ignored) {
        // As above.
    }

    @Override
    public long getNextFileTime() {
        return nextMillis;
    }

    /** Returns the name of the file that ends or begins, without the suffix of a compression. */
    String plainName(final StrSubstitutor substitutor, final boolean begins, final int index) {
        final StringBuilder name = new StringBuilder();
        formatFileName(substitutor, name, begins, index);
        return FileNames.withoutSuffix(name.toString());
    }
}
