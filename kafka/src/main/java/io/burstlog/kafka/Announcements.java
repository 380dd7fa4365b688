// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import io.burstlog.BurstEvent;
import java.time.Instant;
import java.util.function.Consumer;

/** The shipper's events, each told once. From its start on the shipper's thread alone uses it. */
final class Announcements {

    /** The number of sessions in a row that must fail for the same reason. */
    private static final int LASTING = 3;

    private final ShipperConfig config;

    /** The reason of the last failure, how many sessions in a row failed for it, and the reason that was told. */
    private String seen;

    private int timesSeen;
    private String told;
    private boolean isToldThatItShips;

    Announcements(ShipperConfig config) {
        this.config = config;
    }

    private void tell(BurstEvent.Severity severity, String text) {
        Thread current = Thread.currentThread();
        try {
            config.listener().accept(new BurstEvent(severity, Instant.now(), text));
        } catch (Throwable ofListener) { // the shipper goes on
            current.getUncaughtExceptionHandler().uncaughtException(current, ofListener);
        }
    }

    void isNotShown(String sentence) {
        tell(BurstEvent.Severity.WARN, sentence);
    }

    /** Tells that the shipper ships: once, and once more after each failure. */
    void ships(boolean isAgain, long number) {
        if (isAgain) {
            tell(
                    BurstEvent.Severity.WARN,
                    "topic " + config.topic() + " gets records again, from number " + number + " on");
        } else if (!isToldThatItShips) {
            tell(
                    BurstEvent.Severity.INFO,
                    "topic " + config.topic() + " gets the records of " + config.folder() + ", from number " + number
                            + " on");
        }
        isToldThatItShips = true;
    }

    void hasAll(long next) {
        if (next > 1) {
            tell(
                    BurstEvent.Severity.INFO,
                    "topic " + config.topic() + " has caught up: it has all records of " + config.folder()
                            + ", up to number " + (next - 1));
        }
    }

    void topicHasLost(long first, long last) {
        tell(
                BurstEvent.Severity.WARN,
                "topic " + config.topic() + " has lost the records with numbers " + first + " to " + last
                        + " again; those that the folder still has are shipped once more");
    }

    void topicIsNew(long number) {
        tell(
                BurstEvent.Severity.WARN,
                "topic " + config.topic() + " was made anew: what was under way to the old one, from number " + number
                        + " on, is shipped once more unless the new one has later records");
    }

    void brokersAreOld() {
        tell(
                BurstEvent.Severity.WARN,
                "topic " + config.topic()
                        + " is on brokers below Kafka 4.0: a record that comes late can be there twice");
    }

    /** @param sentence what the consumer says of its folder, which was replaced */
    void changesFolder(String sentence, long next) {
        tell(
                BurstEvent.Severity.WARN,
                "topic " + config.topic() + " has got what could be read, up to number " + (next - 1) + ": "
                        + sentence.replaceFirst("; close the consumer and open it again.*", "")
                        + "; it goes on by itself with what is there now, as soon as a log has written that");
    }

    /** Tells that the shipper waits: when it begins to fail, and when it fails for another reason than the one told. */
    void waits(Throwable reason, boolean isNew) {
        String why = textOf(reason);
        timesSeen = why.equals(seen) ? timesSeen + 1 : 1;
        seen = why;
        if (isNew || (timesSeen >= LASTING && !why.equals(told))) {
            tell(
                    BurstEvent.Severity.WARN,
                    "topic " + config.topic() + " gets no records for the moment: " + why + "; they wait in "
                            + config.folder());
            told = why;
        }
    }

    static String textOf(Throwable reason) {
        Throwable cause = reason.getCause() == null ? reason : reason.getCause();
        return cause.getMessage() == null ? cause.toString() : cause.getMessage();
    }

    void isLeft(long records) {
        if (records > 0) {
            String command = config.command();
            tell(
                    BurstEvent.Severity.WARN,
                    "topic " + config.topic() + " lacks the last " + records + " records of " + config.folder()
                            + "; they are shipped at the next start" + (command == null ? "" : ", or by: " + command));
        }
    }

    void nobodyKnowsWhatIsLeft(Throwable failure) {
        tell(
                BurstEvent.Severity.WARN,
                "topic " + config.topic() + " may lack records of " + config.folder() + ": " + failure.getMessage()
                        + "; the next start ships what it finds there");
    }

    /** @param noted gets the sentence before the listener does */
    void ends(Throwable reason, boolean isFinal, Consumer<String> noted) {
        if (reason instanceof Session.RefusedException) {
            end("topic " + config.topic() + " gets no records: " + reason.getMessage() + ".", noted);
        } else if (isFinal) {
            end(
                    "topic " + config.topic()
                            + " gets no more records from here: another shipper of this folder has begun, or this one"
                            + " stood still for longer than transaction.timeout.ms. Start it again if there is no other.",
                    noted);
        } else {
            end("topic " + config.topic() + " gets no more records from here, which is a bug: " + reason, noted);
        }
    }

    private void end(String sentence, Consumer<String> noted) {
        noted.accept(sentence);
        tell(BurstEvent.Severity.ERROR, sentence);
    }
}
