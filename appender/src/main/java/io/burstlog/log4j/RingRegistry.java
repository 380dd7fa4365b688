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
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.config.ConfigurationException;
import org.apache.logging.log4j.status.StatusLogger;

/**
 * The rings that appenders of this class loader have open.
 *
 * <p>When Log4j is reconfigured it starts the new appenders before it stops the old ones, so a new appender finds its
 * ring open and attaches to it; nothing is closed in between, and nothing is lost. What is fixed while a ring is open
 * then stays as it is: the change is refused with a sentence, and the events go on to the ring and file they went to
 * before. The same in one configuration is a mistake, and there the second appender is refused.
 *
 * <p>A medium that does not answer holds up those who ask for its own ring or log file, and nobody else: whoever opens,
 * commits or closes a ring holds no lock meanwhile. An open takes as long as the medium does; a commit and a close end
 * with the ring's shutdown timeout.
 */
final class RingRegistry {

    private static final Logger LOGGER = StatusLogger.getLogger();

    private static final Lock LOCK = new ReentrantLock();
    private static final Condition SETTLED = LOCK.newCondition();
    private static final List<Entry> OPEN = new ArrayList<>();

    private RingRegistry() {}

    private record Attachment(BurstAppender appender, Configuration configuration, RingAttributes wanted) {

        /** Both in force at once, on purpose; not one after the other. */
        boolean isBeside(final Configuration other) {
            return configuration == null
                    || other == null
                    || configuration == other
                    || contextOf(configuration) != contextOf(other);
        }

        int likenessTo(final String name, final RingAttributes.Place place) {
            if (wanted.ring().equals(place.ring())) {
                return 3;
            }
            if (wanted.file().equals(place.file())) {
                return 2;
            }
            return appender.getName().equals(name) ? 1 : 0;
        }

        private static LoggerContext contextOf(final Configuration configuration) {
            return configuration.getLoggerContext();
        }
    }

    /** One log file of a ring, in use by at least one appender. Guarded by the lock, but for what is in the stream. */
    private static final class Entry {

        private final RingAttributes attributes;
        private final List<Attachment> attachments = new ArrayList<>();

        /** Null while one thread opens it, and again while one closes it: all others who mean it wait. */
        private OpenStream stream;

        Entry(final RingAttributes attributes) {
            this.attributes = attributes;
        }

        boolean isMeantBy(final RingAttributes wanted) {
            return attributes.ring().equals(wanted.ring()) || attributes.file().equals(wanted.file());
        }
    }

    /**
     * The log file an appender asks for, in its ring, both opened if need be.
     *
     * @param configuration the one the appender belongs to, or null
     * @throws BurstException if they cannot be opened
     * @throws ConfigurationException if the ring or the log file is in use by another appender in another combination
     */
    static OpenStream attach(
            final BurstAppender appender, final Configuration configuration, final RingAttributes wanted) {
        final Attachment attachment = new Attachment(appender, configuration, wanted);
        final Entry opening = new Entry(wanted);
        final OpenStream open;
        LOCK.lock();
        try {
            final Entry entry = findSettled(wanted);
            if (entry != null) {
                requireOnePlace(entry, configuration, wanted);
                entry.attachments.add(attachment);
                open = entry.stream;
            } else {
                OPEN.add(opening);
                open = null;
            }
        } finally {
            LOCK.unlock();
        }
        if (open != null) {
            // Not under the lock: a listener of the status logger may take its time.
            reportWhatStays(open, appender, wanted);
            return open;
        }
        OpenStream stream = null;
        try {
            stream = OpenStream.open(wanted, appender.getLayout());
            return stream;
        } finally {
            opened(opening, stream, attachment);
        }
    }

    private static void opened(final Entry entry, final OpenStream stream, final Attachment first) {
        LOCK.lock();
        try {
            if (stream != null) {
                entry.stream = stream;
                entry.attachments.add(first);
            } else {
                OPEN.remove(entry);
            }
            SETTLED.signalAll();
        } finally {
            LOCK.unlock();
        }
    }

    /** Null if it is not open; one that is being opened or closed is waited for. */
    private static Entry findSettled(final RingAttributes wanted) {
        Entry entry = find(wanted);
        while (entry != null && entry.stream == null) {
            SETTLED.awaitUninterruptibly();
            entry = find(wanted);
        }
        return entry;
    }

    private static Entry find(final RingAttributes wanted) {
        Entry found = null;
        for (final Entry entry : OPEN) {
            // The same ring goes before the same file.
            if (entry.isMeantBy(wanted)
                    && (found == null || entry.attributes.ring().equals(wanted.ring()))) {
                found = entry;
            }
        }
        return found;
    }

    /** The one place where a ring is kept from having a second file, and a file from having a second ring. */
    private static void requireOnePlace(
            final Entry entry, final Configuration configuration, final RingAttributes wanted) {
        for (final Attachment other : entry.attachments) {
            if (other.isBeside(configuration) && !other.wanted.hasPlaceOf(wanted)) {
                throw new ConfigurationException("the ring " + wanted.ring() + " with the file " + wanted.file()
                        + " cannot be used, because Burst '" + other.appender.getName() + "' uses the ring "
                        + other.wanted.ring() + " with the file " + other.wanted.file()
                        + ": give each file one ring and each ring one file, or refer to one appender twice.");
            }
        }
    }

    /**
     * The appender that an element of a new configuration was to replace: of those of the configuration before it the
     * one with the same ring, else with the same file, else with the same name. Null if there is none.
     */
    static BurstAppender predecessor(
            final Configuration configuration, final String name, final RingAttributes.Place place) {
        LOCK.lock();
        try {
            BurstAppender found = null;
            int best = 0;
            for (final Entry entry : OPEN) {
                for (final Attachment attachment : entry.attachments) {
                    final int likeness = attachment.isBeside(configuration) ? 0 : attachment.likenessTo(name, place);
                    if (likeness > best) {
                        best = likeness;
                        found = attachment.appender;
                    }
                }
            }
            return found;
        } finally {
            LOCK.unlock();
        }
    }

    private static void reportWhatStays(
            final OpenStream stream, final BurstAppender appender, final RingAttributes wanted) {
        final OpenRing ring = stream.ring();
        final String differences = ring.attributes().differencesTo(wanted);
        if (ring.log().stats().state() == BurstStats.State.FAILED) {
            LOGGER.error(
                    "Burst '{}': the ring {} has failed and takes no events; restart the process{}.",
                    appender.getName(),
                    ring.name(),
                    differences.isEmpty() ? "" : ", which is also when this takes effect: " + differences);
        } else if (!differences.isEmpty()) {
            LOGGER.error(
                    "Burst '{}': the ring {} is open and stays as it is: {}. Events go on to {}; restart the process for"
                            + " the change to take effect.",
                    appender.getName(),
                    ring.name(),
                    differences,
                    stream.file());
        }
    }

    /**
     * Detaches an appender after making durable what it enqueued. The last one closes the ring, which also drains it;
     * meanwhile whoever asks for that ring waits, so that it finds it closed. Ends with the ring's shutdown timeout.
     *
     * @return whether everything is durable
     */
    static boolean detach(final OpenStream stream, final BurstAppender appender) {
        final Entry closing;
        LOCK.lock();
        try {
            closing = withoutLast(stream, appender);
        } finally {
            LOCK.unlock();
        }
        if (closing == null) {
            return commit(stream.ring(), appender);
        }
        try {
            return close(stream, appender);
        } finally {
            closed(closing);
        }
    }

    /** The entry if this appender was the last one that it had: it is the caller's to close then. */
    private static Entry withoutLast(final OpenStream stream, final BurstAppender appender) {
        for (final Entry entry : OPEN) {
            if (entry.stream == stream) {
                entry.attachments.removeIf(attachment -> attachment.appender == appender);
                if (entry.attachments.isEmpty()) {
                    entry.stream = null;
                    return entry;
                }
            }
        }
        return null;
    }

    private static void closed(final Entry entry) {
        LOCK.lock();
        try {
            OPEN.remove(entry);
            SETTLED.signalAll();
        } finally {
            LOCK.unlock();
        }
    }

    private static boolean commit(final OpenRing ring, final BurstAppender appender) {
        try {
            if (ring.commit()) {
                return true;
            }
            LOGGER.error(
                    "Burst '{}': not all events were durable after shutdownTimeout, {}, because the ring {} does not take"
                            + " them: log calls that wait for that still wait. Look at its medium.",
                    appender.getName(),
                    Units.of(ring.shutdownTimeout()),
                    ring.name());
        } catch (final BurstException failure) {
            reportLoss(appender, failure);
        }
        return false;
    }

    private static boolean close(final OpenStream stream, final BurstAppender appender) {
        try {
            stream.close(appender.getLayout());
            return true;
        } catch (final BurstException failure) {
            if (failure.code() != BurstException.Code.UNDECIDED) {
                reportLoss(appender, failure);
                return false;
            }
            return reportUnfinishedClose(stream.ring(), appender, failure);
        } catch (final RuntimeException failure) {
            reportLoss(appender, failure);
            return false;
        }
    }

    /** That the close goes on by itself is an ERROR only if events may still be lost. */
    private static boolean reportUnfinishedClose(
            final OpenRing ring, final BurstAppender appender, final BurstException failure) {
        final boolean isDurable = ring.isAllDurable();
        final String limit = Units.of(ring.shutdownTimeout());
        if (isDurable) {
            LOGGER.warn(
                    "Burst '{}': all events are durable, but the stop had not ended after shutdownTimeout, {}: {}",
                    appender.getName(),
                    limit,
                    failure.getMessage());
        } else {
            LOGGER.error(
                    "Burst '{}': the stop had not ended after shutdownTimeout, {}, and not all events are durable: {}",
                    appender.getName(),
                    limit,
                    failure.getMessage());
        }
        return isDurable;
    }

    private static void reportLoss(final BurstAppender appender, final RuntimeException failure) {
        LOGGER.error(
                "Burst '{}': not everything could be written at stop: {}", appender.getName(), failure.getMessage());
    }
}
