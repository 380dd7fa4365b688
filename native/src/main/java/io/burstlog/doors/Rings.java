// SPDX-License-Identifier: Apache-2.0
package io.burstlog.doors;

import io.burstlog.BurstEvent.Severity;
import io.burstlog.BurstException;
import io.burstlog.BurstStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The open rings of the appenders and handlers of this class loader, each with its log files.
 *
 * <p>A later holder may write to an open log file, and may open another log file on an open ring. It is refused, by a
 * sentence that names both places, if its settings differ; {@link Agreement} is that rule. Only a reconfiguration goes
 * on with the open settings: its appenders start before the old ones stop, so that nothing is closed in between and
 * nothing is lost. The last holder of a log file closes it, and the last one of a ring closes the ring.
 *
 * <p>A medium that does not answer holds up only the holders of its own ring or log file, because no thread holds the
 * lock while it opens, commits or closes. An open takes as long as the medium does; a commit and a close end with the
 * ring's shutdown timeout.
 */
public final class Rings {

    private static final Lock LOCK = new ReentrantLock();
    private static final Condition SETTLED = LOCK.newCondition();
    private static final List<RingEntry> RINGS = new ArrayList<>();

    /** Holders that attach with their first event. */
    private static final List<Attachment> EXPECTED = new ArrayList<>();

    private Rings() {}

    /** @param goesOn whether the holder goes on with open settings although it wants others */
    private record Attachment(Holder holder, StreamTerms wanted, boolean goesOn) {

        /**
         * Tells how well this holder fits as the predecessor of a newcomer; 0: not at all. The ring does not count: a
         * holder of another log file on the same ring has other events.
         */
        int likenessTo(Holder newcomer, Location location) {
            if (newcomer.relationTo(holder) != Holder.Relation.REPLACES) {
                return 0;
            }
            if (wanted.location().file().equals(location.file())) {
                return 2;
            }
            return holder.name().equals(newcomer.name()) ? 1 : 0;
        }

        /** Tells whether the newcomer, too, may go on with the open settings. */
        boolean letsGoOn(Holder newcomer) {
            return switch (newcomer.relationTo(holder)) {
                case REPLACES -> true;
                case TOGETHER -> goesOn;
                case BESIDE -> false;
            };
        }
    }

    /**
     * One ring, with its log files. The lock guards these fields and those of {@link StreamEntry}, but not the objects
     * that {@code open} refers to.
     */
    private static final class RingEntry {

        private final String name;
        private final List<StreamEntry> streams = new ArrayList<>();

        /**
         * Null while a thread opens the ring, and again while a thread closes it: all others that ask for the ring
         * wait.
         */
        private OpenRing open;

        RingEntry(String name) {
            this.name = name;
        }

        Stream<Attachment> attachments() {
            return streams.stream().flatMap(stream -> stream.attachments.stream());
        }
    }

    /** One log file of a ring, in use by at least one appender or handler. */
    private static final class StreamEntry {

        private final RingEntry ring;
        private final String file;
        private final List<Attachment> attachments = new ArrayList<>();

        /** Null while a thread opens or closes the log file, as for the ring. */
        private OpenStream open;

        StreamEntry(RingEntry ring, String file) {
            this.ring = ring;
            this.file = file;
        }
    }

    /**
     * @param ring null if this thread is to open the ring
     * @param stream null if this thread is to open the log file
     */
    private record Claim(StreamEntry entry, OpenRing ring, OpenStream stream, Attachment attachment, String stays) {}

    /**
     * Returns the log file that a holder asks for, and opens it and its ring if need be.
     *
     * @param <S> the door's class of an open log file
     * @param holder the holder that asks
     * @param wanted its settings of log file and ring
     * @param type the door's class of an open log file
     * @param opener opens the log file
     * @return the open log file
     * @throws BurstException if ring or log file cannot be opened, or is open with other settings
     */
    public static <S extends OpenStream> S attach(
            Holder holder, StreamTerms wanted, Class<S> type, Function<OpenRing, S> opener) {
        Claim claim;
        S stream;
        Suspension.opens();
        try {
            claim = claimed(holder, wanted);
            stream = type.cast(claim.stream != null ? claim.stream : open(claim, opener));
        } finally {
            Suspension.opened();
        }
        // Outside the lock, because the operator may take its time.
        reportWhatStays(stream, holder, claim.stays);
        return stream;
    }

    private static Claim claimed(Holder holder, StreamTerms wanted) {
        LOCK.lock();
        try {
            return claim(holder, wanted);
        } finally {
            LOCK.unlock();
        }
    }

    /** Claims the log file for this thread; waits while another thread opens or closes it or its ring. */
    private static Claim claim(Holder holder, StreamTerms wanted) {
        for (; ; SETTLED.awaitUninterruptibly()) {
            StreamEntry found = findFile(wanted.location().file());
            RingEntry ring =
                    found != null ? found.ring : findRing(wanted.location().ring());
            if (found != null ? found.open == null : ring != null && ring.open == null) {
                continue;
            }
            Agreement.requireCopy(ring == null ? wanted.ring() : ring.open.terms(), wanted);
            String stays = ring == null ? "" : whatStays(ring, found, holder, wanted);
            Attachment attachment = new Attachment(holder, wanted, !stays.isEmpty());
            if (found != null) {
                found.attachments.add(attachment);
                return new Claim(found, ring.open, found.open, attachment, stays);
            }
            if (ring == null) {
                ring = new RingEntry(wanted.location().ring());
                RINGS.add(ring);
            }
            StreamEntry added = new StreamEntry(ring, wanted.location().file());
            ring.streams.add(added);
            return new Claim(added, ring.open, null, attachment, stays);
        }
    }

    private static String whatStays(RingEntry ring, StreamEntry file, Holder holder, StreamTerms wanted) {
        OpenStream stream = file == null ? null : file.open;
        if (file != null) {
            file.attachments.forEach(one -> Agreement.requireShared(one.holder(), holder, wanted));
        }
        if (ring.attachments().anyMatch(one -> one.letsGoOn(holder))) {
            return Agreement.whatStays(ring.open, stream, wanted);
        }
        Agreement.require(ring.open, stream, holder, wanted);
        return "";
    }

    private static RingEntry findRing(String name) {
        return RINGS.stream().filter(ring -> ring.name.equals(name)).findFirst().orElse(null);
    }

    private static StreamEntry findFile(String file) {
        return RINGS.stream()
                .flatMap(ring -> ring.streams.stream())
                .filter(stream -> stream.file.equals(file))
                .findFirst()
                .orElse(null);
    }

    private static <S extends OpenStream> S open(Claim claim, Function<OpenRing, S> opener) {
        S stream = null;
        try {
            Attachment first = claim.attachment;
            OpenRing ring = claim.ring != null ? claim.ring : openRing(claim.entry.ring, first);
            stream = opener.apply(ring);
            return stream;
        } finally {
            if (stream == null) {
                leave(claim.entry, claim.attachment.holder);
            } else {
                opened(claim, stream);
            }
        }
    }

    /**
     * Checks the log file's settings first: the open may make a new ring, which must not stay behind for a refused log
     * file.
     */
    private static OpenRing openRing(RingEntry entry, Attachment first) {
        RingTerms terms = first.wanted.ring();
        terms.config().check(first.wanted.config());
        OpenRing ring = new OpenRing(terms, first.holder);
        LOCK.lock();
        try {
            entry.open = ring;
            SETTLED.signalAll();
        } finally {
            LOCK.unlock();
        }
        return ring;
    }

    private static void opened(Claim claim, OpenStream stream) {
        LOCK.lock();
        try {
            claim.entry.open = stream;
            claim.entry.attachments.add(claim.attachment);
            SETTLED.signalAll();
        } finally {
            LOCK.unlock();
        }
    }

    /**
     * Forgets a log file that is not open (any more), and closes the ring if it has no other one. Returns whether
     * everything is durable, as {@link #detach} does.
     */
    private static boolean leave(StreamEntry entry, Holder holder) {
        RingEntry ring = entry.ring;
        OpenRing closing;
        LOCK.lock();
        try {
            ring.streams.remove(entry);
            passOn(ring, holder);
            closing = ring.streams.isEmpty() ? ring.open : null;
            forgetIfClosed(ring, closing);
        } finally {
            LOCK.unlock();
        }
        if (closing == null) {
            return true;
        }
        try {
            return StopReport.of(closing, holder, () -> {
                closing.close(closing.shutdownTimeout());
                return true;
            });
        } finally {
            LOCK.lock();
            try {
                forgetIfClosed(ring, null);
            } finally {
                LOCK.unlock();
            }
        }
    }

    private static void forgetIfClosed(RingEntry ring, OpenRing closing) {
        if (ring.streams.isEmpty()) {
            ring.open = null;
            if (closing == null) {
                RINGS.remove(ring);
            }
        }
        SETTLED.signalAll();
    }

    /** Notes a holder that attaches with its first event, so that a newcomer finds it as its predecessor until then. */
    public static void expect(Holder holder, StreamTerms wanted) {
        LOCK.lock();
        try {
            EXPECTED.add(new Attachment(holder, wanted, false));
        } finally {
            LOCK.unlock();
        }
    }

    /** Forgets what {@link #expect} has noted: the holder has attached, or never will. */
    public static void expectNoMore(Holder holder) {
        LOCK.lock();
        try {
            EXPECTED.removeIf(attachment -> attachment.holder == holder);
        } finally {
            LOCK.unlock();
        }
    }

    /**
     * Returns the holder that a newcomer is to replace, attached or expected: one with the same log file, or else one
     * with the same name.
     *
     * @param newcomer the new holder
     * @param location its ring and log file, as far as it names them
     * @return null if there is none
     */
    public static Holder predecessor(Holder newcomer, Location location) {
        LOCK.lock();
        try {
            Holder found = null;
            int best = 0;
            Stream<Attachment> attached = RINGS.stream().flatMap(RingEntry::attachments);
            for (Attachment attachment :
                    Stream.concat(attached, EXPECTED.stream()).toList()) {
                int likeness = attachment.likenessTo(newcomer, location);
                if (likeness > best) {
                    best = likeness;
                    found = attachment.holder;
                }
            }
            return found;
        } finally {
            LOCK.unlock();
        }
    }

    private static void reportWhatStays(OpenStream stream, Holder holder, String stays) {
        OpenRing ring = stream.ring();
        if (ring.log().stats().state() == BurstStats.State.FAILED) {
            holder.tell(
                    Severity.ERROR,
                    "the ring " + ring.name() + " has failed and takes no events; restart the process"
                            + (stays.isEmpty() ? "" : ", which is also when this takes effect: " + stays) + ".");
        } else if (!stays.isEmpty()) {
            holder.tell(
                    Severity.ERROR,
                    "the ring " + ring.name() + " is open and stays as it is: " + stays + ". Events go on to "
                            + stream.file() + "; restart the process for the change to take effect.");
        }
    }

    /**
     * Makes every enqueued event durable and detaches a holder. The last holder of a log file closes the file once it
     * has all its events. The last holder of a ring closes the ring, which also drains it. A holder that asks for them
     * meanwhile waits until they are closed. The call ends with the ring's shutdown timeout. The holder gets a sentence
     * about anything that fails.
     *
     * @param stream the stream that {@link #attach} returned
     * @param holder the holder that leaves
     * @param lastLines writes the last lines of the log file, within a time, if this is its last holder
     * @return whether everything is durable
     */
    public static boolean detach(OpenStream stream, Holder holder, Consumer<Duration> lastLines) {
        StreamEntry closing;
        boolean isLastOfRing;
        LOCK.lock();
        try {
            closing = withoutLast(stream, holder);
            isLastOfRing = closing != null && closing.ring.streams.size() == 1;
            if (isLastOfRing) {
                closing.ring.open = null;
            }
        } finally {
            LOCK.unlock();
        }
        OpenRing ring = stream.ring();
        if (closing == null) {
            stream.detached(holder);
            return StopReport.of(ring, holder, () -> ring.commit(ring.shutdownTimeout()));
        }
        boolean isDurable = false;
        try {
            isDurable = StopReport.of(
                    ring, holder, () -> isLastOfRing ? stream.closeWithRing(lastLines) : stream.close(lastLines));
        } finally {
            isDurable &= leave(closing, holder);
        }
        return isDurable;
    }

    /**
     * Removes a holder. Returns the entry of the log file if this was the last holder: the caller then closes the file.
     */
    private static StreamEntry withoutLast(OpenStream stream, Holder holder) {
        StreamEntry entry = findFile(stream.terms().location().file());
        if (entry == null || entry.open != stream) {
            return null;
        }
        entry.attachments.removeIf(attachment -> attachment.holder == holder);
        passOn(entry.ring, holder);
        if (!entry.attachments.isEmpty()) {
            return null;
        }
        entry.open = null;
        return entry;
    }

    /** Makes another holder hear the events of the ring, if the one that leaves has heard them. */
    private static void passOn(RingEntry ring, Holder gone) {
        if (ring.open != null && ring.open.operator() == gone) {
            ring.attachments().findFirst().ifPresent(next -> ring.open.setOperator(next.holder));
        }
    }
}
