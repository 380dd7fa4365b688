// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import io.burstlog.BurstException;
import io.burstlog.BurstStats;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.config.ConfigurationException;
import org.apache.logging.log4j.status.StatusLogger;

/**
 * The rings that appenders of this class loader have open, each with the log files of its appenders.
 *
 * <p>When Log4j is reconfigured it starts the new appenders before it stops the old ones, so a new appender finds its
 * ring and its log file open and attaches to them; nothing is closed in between, and nothing is lost. What is fixed
 * while they are open then stays as it is: the change is refused with a sentence, and the events go on to where they
 * went before. A log file that the ring did not have is opened beside the others, and one that no appender writes any
 * more is closed.
 *
 * <p>A medium that does not answer holds up those who ask for its own ring or log file, and nobody else: whoever opens,
 * commits or closes one holds no lock meanwhile. An open takes as long as the medium does; a commit and a close end
 * with the ring's shutdown timeout.
 */
final class RingRegistry {

    private static final Logger LOGGER = StatusLogger.getLogger();

    private static final Lock LOCK = new ReentrantLock();
    private static final Condition SETTLED = LOCK.newCondition();
    private static final List<RingEntry> RINGS = new ArrayList<>();

    private RingRegistry() {}

    private record Attachment(BurstAppender appender, Configuration configuration, StreamAttributes wanted) {

        boolean isBeside(final Configuration other) {
            return areBeside(configuration, other);
        }

        /** Not the ring: others that share it are no predecessors of this one, and have other events. */
        int likenessTo(final String name, final Place place) {
            if (wanted.file().equals(place.file())) {
                return 2;
            }
            return appender.getName().equals(name) ? 1 : 0;
        }
    }

    /** Whether appenders of both are in force at once, on purpose; not one after the other. */
    static boolean areBeside(final Configuration one, final Configuration other) {
        return one == null || other == null || one == other || one.getLoggerContext() != other.getLoggerContext();
    }

    /** Guarded by the lock, as is what follows, but for what is in the ring and in the stream. */
    private static final class RingEntry {

        private final String name;
        private final List<StreamEntry> streams = new ArrayList<>();

        /** Null while one thread opens it, and again while one closes it: all others who mean it wait. */
        private OpenRing open;

        RingEntry(final String name) {
            this.name = name;
        }
    }

    /** One log file of a ring, in use by at least one appender. */
    private static final class StreamEntry {

        private final RingEntry ring;
        private final String file;
        private final List<Attachment> attachments = new ArrayList<>();

        /** As in the entry of the ring. */
        private OpenStream open;

        StreamEntry(final RingEntry ring, final String file) {
            this.ring = ring;
            this.file = file;
        }
    }

    /**
     * The log file an appender asks for, in its ring, both opened if need be.
     *
     * @param configuration the one the appender belongs to, or null
     * @throws BurstException if they cannot be opened
     * @throws ConfigurationException if another appender uses the log file with another ring
     */
    static OpenStream attach(
            final BurstAppender appender, final Configuration configuration, final StreamAttributes wanted) {
        final Attachment attachment = new Attachment(appender, configuration, wanted);
        final StreamEntry entry;
        final OpenRing ring;
        OpenStream stream;
        LOCK.lock();
        try {
            entry = findSettled(wanted.place());
            ring = entry.ring.open;
            stream = entry.open;
            if (stream != null) {
                requireOneRing(entry, attachment);
                requireOneWayOfRolling(entry, attachment);
                entry.attachments.add(attachment);
            }
        } finally {
            LOCK.unlock();
        }
        if (stream == null) {
            stream = open(entry, ring, attachment);
        } else {
            stream.update(wanted);
        }
        // Not under the lock: a listener of the status logger may take its time.
        reportWhatStays(stream, appender, wanted);
        return stream;
    }

    /**
     * The entry of a log file; one without a stream is new, and the caller's to open. What is under way is waited for.
     */
    private static StreamEntry findSettled(final Place place) {
        for (; ; SETTLED.awaitUninterruptibly()) {
            final StreamEntry found = findFile(place.file());
            if (found != null) {
                if (found.open != null) {
                    return found;
                }
                continue;
            }
            RingEntry ring = findRing(place.ring());
            if (ring == null) {
                ring = new RingEntry(place.ring());
                RINGS.add(ring);
            } else if (ring.open == null) {
                continue;
            }
            final StreamEntry added = new StreamEntry(ring, place.file());
            ring.streams.add(added);
            return added;
        }
    }

    private static RingEntry findRing(final String name) {
        return RINGS.stream().filter(ring -> ring.name.equals(name)).findFirst().orElse(null);
    }

    private static StreamEntry findFile(final String file) {
        return RINGS.stream()
                .flatMap(ring -> ring.streams.stream())
                .filter(stream -> stream.file.equals(file))
                .findFirst()
                .orElse(null);
    }

    /** The one place where a log file is kept from having a second ring. */
    private static void requireOneRing(final StreamEntry entry, final Attachment attachment) {
        final StreamAttributes wanted = attachment.wanted;
        for (final Attachment other : entry.attachments) {
            if (other.isBeside(attachment.configuration)
                    && !other.wanted.place().equals(wanted.place())) {
                throw new ConfigurationException("the ring " + wanted.ring().ring() + " with the file " + wanted.file()
                        + " cannot be used, because Burst '" + other.appender.getName() + "' uses the ring "
                        + other.wanted.ring().ring() + " with that file: give each file one ring, or refer to one"
                        + " appender twice.");
            }
        }
    }

    /** Log4j, too, refuses a {@code RollingFile} and a {@code File} on one file. */
    private static void requireOneWayOfRolling(final StreamEntry entry, final Attachment attachment) {
        final boolean rolls = attachment.wanted.rolling() != null;
        for (final Attachment other : entry.attachments) {
            if (other.isBeside(attachment.configuration) && (other.wanted.rolling() != null) != rolls) {
                throw new ConfigurationException("the file " + attachment.wanted.file() + " cannot be used, because"
                        + " Burst '" + other.appender.getName() + "' writes to it and "
                        + (rolls ? "does not roll it" : "rolls it")
                        + ": give both elements filePattern and a policy, or each a file of its own.");
            }
        }
    }

    /** @param ring null if it is not open either */
    private static OpenStream open(final StreamEntry entry, final OpenRing ring, final Attachment first) {
        OpenStream stream = null;
        try {
            final OpenRing of = ring != null ? ring : openRing(entry.ring, first.wanted);
            stream = OpenStream.open(of, first.wanted, first.appender.getLayout());
            return stream;
        } finally {
            if (stream == null) {
                leave(entry, first.appender);
            } else {
                opened(entry, stream, first);
            }
        }
    }

    /** Not for a log file that would be refused: the ring may be made by that. */
    private static OpenRing openRing(final RingEntry entry, final StreamAttributes wanted) {
        wanted.ring().config().check(wanted.config());
        final OpenRing ring = new OpenRing(wanted.ring());
        LOCK.lock();
        try {
            entry.open = ring;
            SETTLED.signalAll();
        } finally {
            LOCK.unlock();
        }
        return ring;
    }

    private static void opened(final StreamEntry entry, final OpenStream stream, final Attachment first) {
        LOCK.lock();
        try {
            entry.open = stream;
            entry.attachments.add(first);
            SETTLED.signalAll();
        } finally {
            LOCK.unlock();
        }
    }

    /**
     * Forgets a log file that is not open (any more); the ring is closed if it has no other. Returns as
     * {@link #detach}.
     */
    private static boolean leave(final StreamEntry entry, final BurstAppender appender) {
        final RingEntry ring = entry.ring;
        final OpenRing closing;
        LOCK.lock();
        try {
            ring.streams.remove(entry);
            closing = ring.streams.isEmpty() ? ring.open : null;
            forgetIfClosed(ring, closing);
        } finally {
            LOCK.unlock();
        }
        if (closing == null) {
            return true;
        }
        try {
            return StopReport.of(closing, appender, () -> {
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

    private static void forgetIfClosed(final RingEntry ring, final OpenRing closing) {
        if (ring.streams.isEmpty()) {
            ring.open = null;
            if (closing == null) {
                RINGS.remove(ring);
            }
        }
        SETTLED.signalAll();
    }

    /**
     * The appender that an element of a new configuration was to replace: of those of the configuration before it the
     * one with the same log file, else with the same name. Null if there is none.
     */
    static BurstAppender predecessor(final Configuration configuration, final String name, final Place place) {
        LOCK.lock();
        try {
            BurstAppender found = null;
            int best = 0;
            for (final RingEntry ring : RINGS) {
                for (final StreamEntry entry : ring.streams) {
                    for (final Attachment attachment : entry.attachments) {
                        final int likeness =
                                attachment.isBeside(configuration) ? 0 : attachment.likenessTo(name, place);
                        if (likeness > best) {
                            best = likeness;
                            found = attachment.appender;
                        }
                    }
                }
            }
            return found;
        } finally {
            LOCK.unlock();
        }
    }

    private static void reportWhatStays(
            final OpenStream stream, final BurstAppender appender, final StreamAttributes wanted) {
        final OpenRing ring = stream.ring();
        final String differences = stream.attributes().differencesTo(wanted);
        if (ring.log().stats().state() == BurstStats.State.FAILED) {
            LOGGER.error(
                    "Burst '{}': the ring {} has failed and takes no events; restart the process{}.",
                    appender.getName(),
                    ring.name(),
                    differences.isEmpty() ? "" : ", which is also when this takes effect: " + differences);
        } else if (!differences.isEmpty()) {
            LOGGER.error(
                    "Burst '{}': the ring {} is open and stays as it is: {}. Events go on to {}; restart the process"
                            + " for the change to take effect.",
                    appender.getName(),
                    ring.name(),
                    differences,
                    stream.file());
        }
    }

    /**
     * Detaches an appender after making durable what it enqueued. The last one of a log file closes it, once it has all
     * its events, and the last one of a ring closes that, which also drains it; meanwhile whoever asks for them waits,
     * so that it finds them closed. Ends with the ring's shutdown timeout.
     *
     * @return whether everything is durable
     */
    static boolean detach(final OpenStream stream, final BurstAppender appender) {
        final StreamEntry closing;
        final boolean isLastOfRing;
        LOCK.lock();
        try {
            closing = withoutLast(stream, appender);
            isLastOfRing = closing != null && closing.ring.streams.size() == 1;
            if (isLastOfRing) {
                closing.ring.open = null;
            }
        } finally {
            LOCK.unlock();
        }
        final OpenRing ring = stream.ring();
        if (closing == null) {
            stream.detached(appender);
            return StopReport.of(ring, appender, () -> ring.commit(ring.shutdownTimeout()));
        }
        boolean isDurable = false;
        try {
            isDurable = StopReport.of(
                    ring,
                    appender,
                    () -> isLastOfRing
                            ? stream.closeWithRing(appender.getLayout())
                            : stream.close(appender.getLayout()));
        } finally {
            isDurable &= leave(closing, appender);
        }
        return isDurable;
    }

    /** The entry if this appender was the last one that it had: it is the caller's to close then. */
    private static StreamEntry withoutLast(final OpenStream stream, final BurstAppender appender) {
        final StreamEntry entry = findFile(stream.attributes().file());
        if (entry == null || entry.open != stream) {
            return null;
        }
        entry.attachments.removeIf(attachment -> attachment.appender == appender);
        if (!entry.attachments.isEmpty()) {
            return null;
        }
        entry.open = null;
        return entry;
    }
}
