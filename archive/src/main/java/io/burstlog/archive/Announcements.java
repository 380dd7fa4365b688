// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import io.burstlog.BurstEvent;
import java.time.Instant;
import java.util.function.Consumer;

/** Tells the listener of an archiver how that gets on, each change once. The archiver's thread alone uses it. */
final class Announcements {

    private final ArchiverConfig config;

    /** Why records wait, as it was told; null if they do not. */
    private String told;

    Announcements(ArchiverConfig config) {
        this.config = config;
    }

    private void tell(BurstEvent.Severity severity, String sentence) {
        config.listener().accept(new BurstEvent(severity, Instant.now(), sentence));
    }

    void begins(long number) {
        tell(
                BurstEvent.Severity.INFO,
                "the archive " + config.archive() + " gets the records of " + config.folder() + ", from number "
                        + number + " on");
    }

    void goesOn(long number) {
        tell(
                BurstEvent.Severity.INFO,
                "the archive " + config.archive() + " goes on with the records of " + config.folder() + ", from number "
                        + number + " on");
    }

    /** Tells why records wait, unless that is known. If it throws, the next failure tells. */
    void waits(Throwable failed) {
        String reason = failed.getMessage() == null ? failed.toString() : failed.getMessage();
        if (!reason.equals(told)) {
            tell(
                    BurstEvent.Severity.WARN,
                    "the archive " + config.archive() + " gets no records for the moment: " + reason + "; they wait in "
                            + config.folder());
        }
        told = reason;
    }

    /** {@return whether it was told that records wait, and not yet that they do no more} */
    boolean isWaiting() {
        return told != null;
    }

    void archives() {
        if (isWaiting()) {
            tell(BurstEvent.Severity.WARN, "the archive " + config.archive() + " gets records again");
        }
        told = null;
    }

    void lacks(long records) {
        tell(
                BurstEvent.Severity.WARN,
                "the archive " + config.archive() + " lacks the last " + records + " records of " + config.folder()
                        + "; the next archiver takes them");
    }

    /** @param noted gets the sentence before the listener does */
    void ends(RefusedException refused, Consumer<String> noted) {
        end("the archive " + config.archive() + " gets no more records from here: " + refused.getMessage(), noted);
    }

    /** @param noted gets the sentence before the listener does */
    void ends(Throwable bug, Consumer<String> noted) {
        end("the archive " + config.archive() + " gets no more records from here, which is a bug: " + bug, noted);
    }

    private void end(String sentence, Consumer<String> noted) {
        noted.accept(sentence);
        tell(BurstEvent.Severity.ERROR, sentence);
    }
}
