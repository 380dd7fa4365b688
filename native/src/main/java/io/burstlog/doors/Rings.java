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
 * The rings that appenders and handlers of this class loader have open, each with its log files.
 *
 * <p>Whoever comes later may write to what is open, and may open another log file on a ring. If he says something else
 * of it he is refused, and both places are named; {@link Agreement} is that rule. A reconfiguration alone goes on with
 * what is open: its appenders come before the old ones go, so that nothing is closed in between and nothing is lost. A
 * log file that nobody writes any more is closed, and the ring with its last one.
 *
 * <p>A medium that does not answer holds up those who ask for its own ring or log file, and nobody else: whoever opens,
 * commits or closes one holds no lock meanwhile. An open takes as long as the medium does; a commit and a close end
 * with the ring's shutdown timeout.
 */
public final class Rings {

    private static final Lock LOCK = new ReentrantLock();
    private static final Condition SETTLED = LOCK.newCondition();
    private static final List<RingEntry> RINGS = new ArrayList<>();

    private Rings() {}

    /** @param goesOn whether it differs from what is open */
    private record Attachment(Holder holder, StreamTerms wanted, boolean goesOn) {

        /** Not the ring: others that share it are no predecessors of this one, and have other events. */
        int likenessTo(Holder newcomer, Location location) {
            if (newcomer.relationTo(holder) != Holder.Relation.REPLACES) {
                return 0;
            }
            if (wanted.location().file().equals(location.file())) {
                return 2;
            }
            return holder.name().equals(newcomer.name()) ? 1 : 0;
        }

        /** Whether the newcomer, too, goes on with what is open. */
        boolean letsGoOn(Holder newcomer) {
            return switch (newcomer.relationTo(holder)) {
                case REPLACES -> true;
                case TOGETHER -> goesOn;
                case BESIDE -> false;
            };
        }
    }

    /** Guarded by the lock, as is what follows, but for what is in the ring and in the stream. */
    private static final class RingEntry {

        private final String name;
        private final List<StreamEntry> streams = new ArrayList<>();

        /** Null while one thread opens it, and again while one closes it: all others who mean it wait. */
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

        /** As in the entry of the ring. */
        private OpenStream open;

        StreamEntry(RingEntry ring, String file) {
            this.ring = ring;
            this.file = file;
        }
    }

    /** @param ring null if the ring is to be opened, and {@code stream} if that is */
    private record Claim(StreamEntry entry, OpenRing ring, OpenStream stream, Attachment attachment, String stays) {}

    /**
     * The log file that somebody asks for, in its ring, both opened if need be.
     *
     * @param <S> how the door has it open
     * @param holder who asks
     * @param wanted what he says of them
     * @param type how the door has it open
     * @param opener opens the log file
     * @return what is open
     * @throws BurstException if they cannot be opened, or if others have said something else of what is open
     */
    public static <S extends OpenStream> S attach(
            Holder holder, StreamTerms wanted, Class<S> type, Function<OpenRing, S> opener) {
        Claim claim;
        LOCK.lock();
        try {
            claim = claim(holder, wanted);
        } finally {
            LOCK.unlock();
        }
        S stream = type.cast(claim.stream != null ? claim.stream : open(claim, opener));
        // Not under the lock: whoever is told may take his time.
        reportWhatStays(stream, holder, claim.stays);
        return stream;
    }

    /** What is under way is waited for. */
    private static Claim claim(Holder holder, StreamTerms wanted) {
        for (; ; SETTLED.awaitUninterruptibly()) {
            StreamEntry found = findFile(wanted.location().file());
            RingEntry ring =
                    found != null ? found.ring : findRing(wanted.location().ring());
            if (found != null ? found.open == null : ring != null && ring.open == null) {
                continue;
            }
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
        if (ring.attachments().anyMatch(one -> one.letsGoOn(holder))) {
            return Agreement.whatStays(ring.open, stream, wanted);
        }
        if (file != null) {
            file.attachments.forEach(one -> Agreement.requireShared(one.holder(), holder, wanted));
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

    /** Not for a log file that would be refused: the ring may be made by that. */
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
     * Forgets a log file that is not open (any more); the ring is closed if it has no other. Returns as
     * {@link #detach}.
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

    /**
     * Whom a newcomer was to replace: of those with the same log file, else with the same name.
     *
     * @param newcomer who comes
     * @param location where his ring and his log file are, as far as he says so
     * @return null if there is none
     */
    public static Holder predecessor(Holder newcomer, Location location) {
        LOCK.lock();
        try {
            Holder found = null;
            int best = 0;
            for (RingEntry ring : RINGS) {
                for (Attachment attachment : ring.attachments().toList()) {
                    int likeness = attachment.likenessTo(newcomer, location);
                    if (likeness > best) {
                        best = likeness;
                        found = attachment.holder;
                    }
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
     * Detaches a holder after making durable what was enqueued. The last one of a log file closes it, once it has all
     * its events, and the last one of a ring closes that, which also drains it; meanwhile whoever asks for them waits,
     * so that he finds them closed. Ends with the ring's shutdown timeout. The holder is told what does not go as it
     * should.
     *
     * @param stream what {@link #attach} gave him
     * @param holder who goes
     * @param lastLines writes the last lines of the log file, within a time, if he is its last one
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

    /** The entry if this holder was the last one that it had: it is the caller's to close then. */
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

    /** What a ring has to tell is told to one who has it open. */
    private static void passOn(RingEntry ring, Holder gone) {
        if (ring.open != null && ring.open.operator() == gone) {
            ring.attachments().findFirst().ifPresent(next -> ring.open.setOperator(next.holder));
        }
    }
}
