// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bookkeeper;

import io.burstlog.BurstEvent;
import java.time.Instant;
import java.util.function.Consumer;

/** The copier's events, each told once. The copier's thread alone uses it. */
final class Announcements {

    private final String folder;
    private final Consumer<BurstEvent> listener;
    private String told;
    private boolean isToldThatItCopies;

    Announcements(CopierConfig config) {
        folder = config.folder();
        listener = config.listener();
    }

    private void tell(BurstEvent.Severity severity, String text) {
        listener.accept(new BurstEvent(severity, Instant.now(), text));
    }

    /** Tells that the copier copies: once, and once more after each failure. */
    void copies(boolean isAgain, long number) {
        if (isAgain) {
            tell(BurstEvent.Severity.WARN, "the copy of " + folder + " goes on, from number " + number + " on");
        } else if (!isToldThatItCopies) {
            tell(
                    BurstEvent.Severity.INFO,
                    "records of " + folder + " are copied to the disks of two of three bookies, from number " + number
                            + " on");
        }
        isToldThatItCopies = true;
        told = null;
    }

    void hasAll(long last) {
        if (last > 0) {
            tell(BurstEvent.Severity.INFO, "the copy of " + folder + " has all its records, up to number " + last);
        }
    }

    void copyHasLost(long first, long last) {
        tell(
                BurstEvent.Severity.WARN,
                "the copy of " + folder + " has lost the records with numbers " + first + " to " + last
                        + " again; those that the folder still has are copied once more");
    }

    /** @param sentence what the consumer says of its folder, which was replaced */
    void changesFolder(String sentence, long next) {
        tell(
                BurstEvent.Severity.WARN,
                "the copy of " + folder + " has got what could be read, up to number " + (next - 1) + ": "
                        + sentence.replaceFirst("; close the consumer and open it again.*", "")
                        + "; it goes on by itself with what is there now, as soon as a log has written that");
    }

    /** Tells that the copier waits, and why, whenever that changes. */
    void waits(Throwable reason) {
        String why = reason.getMessage() == null ? reason.toString() : reason.getMessage();
        if (!why.equals(told)) {
            told = why;
            tell(
                    BurstEvent.Severity.WARN,
                    "the copy of " + folder + " gets no records for the moment: " + why + "; they wait in the folder");
        }
    }

    void isLeft(long records) {
        if (records > 0) {
            tell(
                    BurstEvent.Severity.WARN,
                    "the copy of " + folder + " lacks the last " + records
                            + " records; they are copied at the next start");
        }
    }

    void ends(Throwable reason, Consumer<String> noted) {
        if (reason instanceof RefusedException) {
            end("the copy of " + folder + " gets no records: " + reason.getMessage() + ".", noted);
        } else if (reason instanceof Copy.FencedException) {
            end(
                    "the copy of " + folder
                            + " gets no more records from here: another copier of this folder has begun ("
                            + reason.getMessage() + "). Start it again if there is no other.",
                    noted);
        } else {
            end("the copy of " + folder + " gets no more records from here, which is a bug: " + reason, noted);
        }
    }

    /** @param noted gets the sentence before the listener does */
    private void end(String sentence, Consumer<String> noted) {
        noted.accept(sentence);
        tell(BurstEvent.Severity.ERROR, sentence);
    }
}
