// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.appender.rolling.RollingFileManager;
import org.apache.logging.log4j.core.appender.rolling.RolloverListener;
import org.apache.logging.log4j.core.config.Configuration;
import org.apache.logging.log4j.core.config.Property;
import org.apache.logging.log4j.core.config.plugins.Plugin;
import org.apache.logging.log4j.core.config.plugins.PluginAttribute;
import org.apache.logging.log4j.core.config.plugins.PluginConfiguration;
import org.apache.logging.log4j.core.config.plugins.PluginFactory;

/**
 * Stands behind {@code <Burst>} in each logger, and lets the call return when the event is in the log file and its roll is
 * done, with compression and deletion. {@code RollingFile} writes and renames within the call, and its tests look at once.
 */
@Plugin(name = "Settled", category = "Core", elementType = "appender")
public final class Settled extends AbstractAppender {

    private static final long MOST_NANOS = Duration.ofSeconds(60).toNanos();
    private static final Map<RollingFileManager, Rolls> ROLLS = Collections.synchronizedMap(new WeakHashMap<>());

    private final Configuration configuration;

    private Settled(final String name, final Configuration configuration) {
        super(name, null, null, false, Property.EMPTY_ARRAY);
        this.configuration = configuration;
    }

    @PluginFactory
    public static Settled create(
            @PluginAttribute("name") final String name, @PluginConfiguration final Configuration configuration) {
        return new Settled(name, configuration);
    }

    /** How many rolls of a file were begun and are done, and for how many of them somebody has waited. */
    private static final class Rolls implements RolloverListener {
        private int triggered;
        private int completed;
        private int awaited = -1;

        @Override
        public synchronized void rolloverTriggered(final String fileName) {
            triggered++;
        }

        @Override
        public synchronized void rolloverComplete(final String fileName) {
            // That of a roll which began before anybody listened counts for none.
            completed = Math.min(completed + 1, triggered);
            notifyAll();
        }

        /** {@return whether there was one since the last time} */
        synchronized boolean await() throws InterruptedException {
            final long deadline = System.nanoTime() + MOST_NANOS;
            while (completed < triggered && System.nanoTime() < deadline) {
                wait(100);
            }
            if (completed < triggered) {
                throw new IllegalStateException("a roll is not done within a minute");
            }
            final boolean isNew = completed != awaited;
            awaited = completed;
            return isNew;
        }
    }

    @Override
    public void start() {
        super.start();
        configuration.getAppenders().values().forEach(appender -> {
            if (appender instanceof BurstAppender burst) {
                listen(burst);
            }
        });
    }

    /** Null if its files are not rolled. */
    private static Rolls listen(final BurstAppender burst) {
        final RollingFileManager manager = burst.getManager();
        return manager == null ? null : ROLLS.computeIfAbsent(manager, unknown -> {
            final Rolls rolls = new Rolls();
            manager.addRolloverListener(rolls);
            return rolls;
        });
    }

    @Override
    public void append(final LogEvent event) {
        configuration.getAppenders().values().forEach(appender -> {
            if (appender instanceof BurstAppender burst && burst.isStarted() && burst.stream() != null) {
                await(burst);
            }
        });
    }

    private static void await(final BurstAppender burst) {
        final Rolls rolls = listen(burst);
        if (!burst.stream().records().awaitDrained(Duration.ofNanos(MOST_NANOS))) {
            throw new IllegalStateException("not drained within a minute");
        }
        try {
            // The drain goes on behind a roll once the strategy was asked, which the listeners hear of first.
            if (rolls != null && rolls.await()) {
                awaitJobs();
            }
        } catch (final InterruptedException stillToBeSeen) {
            Thread.currentThread().interrupt();
        }
    }

    /** Until several looks have found no thread that compresses or deletes: one that has just begun shows nothing yet. */
    private static void awaitJobs() throws InterruptedException {
        final long deadline = System.nanoTime() + MOST_NANOS;
        for (int idle = 0; idle < 5; idle = isAtWork() ? 0 : idle + 1) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("what follows a roll is not done within a minute");
            }
            Thread.sleep(2);
        }
    }

    private static boolean isAtWork() {
        return Thread.getAllStackTraces().values().stream()
                .anyMatch(frames -> Arrays.stream(frames).anyMatch(Settled::isOfWork)
                        && Arrays.stream(frames).noneMatch(frame -> frame.getMethodName().equals("nextRoll")));
    }

    /** The roller tells the listeners one after the other, and waits in nextRoll at other times. */
    private static boolean isOfWork(final StackTraceElement frame) {
        return frame.getClassName().startsWith("io.burstlog.log4j.rolling.");
    }
}
