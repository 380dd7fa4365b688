// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import io.burstlog.ShipperProvider.Shipper;
import io.burstlog.doors.ClientThreads;
import io.burstlog.doors.OpenRing;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.status.StatusLogger;

/**
 * The shippers of one log file: one for each consumer of its segments that an element {@link ShipperElement} of its
 * appenders names. Appenders with the same settings for a consumer share its shipper. If the settings differ, those of
 * the last appender to start win, since a new configuration starts before the old one stops; if both appenders stay in
 * force, the operator is told. A shipper stops with the last appender that wants it.
 *
 * <p>Thread-safe.
 */
final class Shippers {

    private static final Logger LOGGER = StatusLogger.getLogger();

    private static final Duration RETRY = Duration.ofSeconds(1);

    private final Map<BurstAppender, List<ShipperSettings>> wanted = new LinkedHashMap<>();
    private final Map<String, Running> running = new TreeMap<>();

    /**
     * @param folder the segments folder of the open log file; null if it has none, which the operator hears elsewhere
     */
    synchronized void add(final BurstAppender appender, final List<ShipperSettings> settings, final String folder) {
        if (folder != null) {
            settings.forEach(each -> tellContradictions(appender, each, folder));
        }
        wanted.put(appender, settings);
        if (folder != null) {
            settle(folder);
        }
    }

    private void tellContradictions(final BurstAppender appender, final ShipperSettings settings, final String folder) {
        wanted.forEach((other, all) -> all.stream()
                .filter(each -> each.consumer().equals(settings.consumer()) && !each.equals(settings))
                .filter(each -> appender.isBeside(other))
                .forEach(each -> LOGGER.error(
                        "Burst '{}': its <{}> is in force for the consumer {} of {}, and not that of Burst '{}',"
                                + " which says something else: make both the same, or give one another consumer.",
                        appender.getName(),
                        settings.element(),
                        settings.consumer(),
                        folder,
                        other.getName())));
    }

    /** Takes the wishes of an appender back, while other appenders keep the log file open. */
    synchronized void remove(final BurstAppender appender, final String folder) {
        wanted.remove(appender);
        if (folder != null) {
            settle(folder);
        }
    }

    /** Ships the records in the folder, and ends all shippers. */
    synchronized void close(final Duration limit) {
        final long begin = System.nanoTime();
        wanted.clear();
        running.values().forEach(each -> each.stop(OpenRing.left(limit, begin)));
        running.clear();
    }

    private void settle(final String folder) {
        final Map<String, ShipperSettings> last = new TreeMap<>();
        wanted.values().forEach(all -> all.forEach(each -> last.put(each.consumer(), each)));
        running.values().removeIf(each -> {
            final boolean isGone = !each.isAsWanted(last.get(each.settings.consumer()));
            if (isGone) {
                each.stop(Duration.ZERO);
            }
            if (isGone && !last.containsKey(each.settings.consumer())) {
                LOGGER.warn(
                        "Burst: {} keeps all that its consumer {} has not passed on, which nobody passes on any more: delete"
                                + " {}/consumers/{} if that is to stay so.",
                        folder,
                        each.settings.consumer(),
                        folder,
                        each.settings.consumer());
            }
            return isGone;
        });
        last.forEach((consumer, settings) -> running.computeIfAbsent(consumer, name -> new Running(folder, settings)));
    }

    /** A shipper, and before that the thread that tries to open its folder. */
    private static final class Running {

        private final String folder;
        private final ShipperSettings settings;
        private final Thread opening;
        private boolean isStopping;
        private boolean isLeft;

        /** Null until the folder is open. */
        private Shipper shipper;

        Running(final String folder, final ShipperSettings settings) {
            this.folder = folder;
            this.settings = settings;
            opening = ClientThreads.of(this::open, "burstlog-shipper");
            opening.start();
        }

        synchronized boolean isAsWanted(final ShipperSettings wanted) {
            return settings.equals(wanted) && (shipper == null || !shipper.hasEnded());
        }

        /**
         * Tries to start the shipper, at least once even if it is stopped meanwhile: the events of an application that
         * ends soon are shipped, too.
         */
        private void open() {
            Shipper opened = null;
            for (boolean isTold = false; opened == null && (!isTold || rest()); isTold = true) {
                opened = start(isTold);
            }
            if (opened != null && !keep(opened)) {
                opened.close(Duration.ZERO);
            }
        }

        private Shipper start(final boolean isTold) {
            try {
                final Shipper started = settings.start(folder);
                if (isTold) {
                    LOGGER.warn("Burst: the segments folder {} is passed on now, by {}.", folder, settings);
                }
                return started;
            } catch (final RuntimeException | LinkageError | OutOfMemoryError failure) {
                if (!isTold) {
                    LOGGER.warn(
                            "Burst: the segments folder {} is not passed on by {}, which is tried again each second: {}",
                            folder,
                            settings,
                            failure.getMessage());
                }
                return null;
            }
        }

        private synchronized boolean rest() {
            try {
                if (!isStopping) {
                    wait(RETRY.toMillis());
                }
            } catch (final InterruptedException stopped) {
                return false;
            }
            return !isStopping;
        }

        private synchronized boolean keep(final Shipper opened) {
            shipper = opened;
            return !isLeft;
        }

        void stop(final Duration limit) {
            final long begin = System.nanoTime();
            final Shipper opened = awaitOpen(limit.compareTo(RETRY) < 0 ? RETRY : limit);
            if (opened != null) {
                opened.close(limit.isZero() ? limit : OpenRing.left(limit, begin));
            }
        }

        /**
         * Waits for the opening thread. If the file system does not answer in time, that thread alone goes on waiting
         * for it.
         */
        private Shipper awaitOpen(final Duration limit) {
            synchronized (this) {
                isStopping = true;
                notifyAll();
            }
            try {
                opening.join(limit.toMillis());
            } catch (final InterruptedException stillToBeSeenByTheCaller) {
                Thread.currentThread().interrupt();
            }
            synchronized (this) {
                isLeft = true;
                return shipper;
            }
        }
    }
}
