// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling.comparison;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.logging.log4j.core.config.ConfigurationScheduler;
import org.apache.logging.log4j.core.config.CronScheduledFuture;
import org.apache.logging.log4j.core.util.CronExpression;

/**
 * The time of one run. Classes that {@link SimulatedLog4j} has loaded ask here instead of the system: for the time of
 * day, for the start of the JVM, for the birth of a file, and for the next time of a cron expression. It is public
 * because classes of Log4j call it. One thread sets the time; any thread may read it.
 */
public final class SimulatedTime {

    private static final List<Cron> CRONS = new ArrayList<>();
    private static final Map<Object, Stamp> STAMPS = new HashMap<>();
    private static final Map<Instant, Instant> BIRTHS = new HashMap<>();
    private static volatile long now;
    private static volatile long startOfJvm;

    private SimulatedTime() {}

    /** A file as it was at the last look. */
    private record Stamp(long born, long length, long modified, String beginning) {

        /** A deleted file's inode may be used again. */
        boolean isOf(final String now) {
            return now.startsWith(beginning);
        }
    }

    private record Cron(
            ConfigurationScheduler scheduler,
            CronExpression expression,
            Runnable command,
            CronScheduledFuture<?> future) {}

    public static long currentTimeMillis() {
        return now;
    }

    public static Instant instant(final Clock systemUtc) {
        return Instant.ofEpochMilli(now);
    }

    public static long startOfJvm() {
        return startOfJvm;
    }

    /** The file systems of tests know only real births. */
    public static synchronized long birthOf(final File file) {
        try {
            final Stamp stamp = STAMPS.get(keyOf(file.toPath()));
            return stamp == null ? now : stamp.born;
        } catch (final IOException gone) {
            return now;
        }
    }

    /** The ring takes the first file's birth from the system; each later file is born at a roll. */
    public static synchronized Instant born(final Instant told) {
        if (told == null || Math.abs(told.toEpochMilli() - System.currentTimeMillis()) > TimeUnit.HOURS.toMillis(1)) {
            return told;
        }
        return BIRTHS.computeIfAbsent(told, first -> Instant.ofEpochMilli(now));
    }

    /** Log4j's executor would wait in real time: it never runs this task, {@link #advanceTo} does. */
    public static CronScheduledFuture<?> scheduleWithCron(
            final ConfigurationScheduler scheduler,
            final CronExpression expression,
            final Date start,
            final Runnable command) {
        final CronScheduledFuture<?> future =
                new CronScheduledFuture<>(never(scheduler), expression.getNextValidTimeAfter(start));
        CRONS.add(new Cron(scheduler, expression, command, future));
        return future;
    }

    private static ScheduledFuture<?> never(final ConfigurationScheduler scheduler) {
        return scheduler.schedule(() -> {}, 1_000, TimeUnit.DAYS);
    }

    static void startAt(final long millis) {
        now = millis;
        startOfJvm = millis;
        CRONS.clear();
    }

    static void forgetFiles() {
        STAMPS.clear();
        BIRTHS.clear();
    }

    /** Sets the time; on the way it runs each task that is due, at its own time. */
    static void advanceTo(final long millis, final Runnable settle) throws ReflectiveOperationException {
        while (true) {
            CRONS.removeIf(cron -> cron.future.isCancelled());
            final Cron next = CRONS.stream()
                    .min(Comparator.comparing(cron -> cron.future.getFireTime()))
                    .orElse(null);
            if (next == null || next.future.getFireTime().getTime() > millis) {
                break;
            }
            now = Math.max(now, next.future.getFireTime().getTime());
            next.command.run();
            final Method reset =
                    CronScheduledFuture.class.getDeclaredMethod("reset", ScheduledFuture.class, Date.class);
            reset.setAccessible(true);
            reset.invoke(next.future, never(next.scheduler), next.expression.getNextValidTimeAfter(new Date(now)));
            settle.run();
        }
        now = millis;
    }

    /** Gives each new or grown file below the folder the present time, as the kernel would. */
    static synchronized void stampFiles(final Path folder) throws IOException {
        final Map<Object, Stamp> seen = new HashMap<>();
        final List<Path> files;
        try (Stream<Path> all = Files.walk(folder)) {
            files = all.filter(Files::isRegularFile).toList();
        }
        for (final Path file : files) {
            try {
                final Object key = keyOf(file);
                final long length = Files.size(file);
                final String beginning = beginningOf(file);
                final Stamp known = STAMPS.get(key);
                final Stamp before = known != null && known.isOf(beginning) ? known : null;
                final long modified = before != null && before.length == length ? before.modified : now;
                Files.setLastModifiedTime(file, FileTime.fromMillis(modified));
                seen.put(key, new Stamp(before == null ? now : before.born, length, modified, beginning));
            } catch (final NoSuchFileException renamedMeanwhile) {
                continue;
            }
        }
        STAMPS.clear();
        STAMPS.putAll(seen);
    }

    private static String beginningOf(final Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return new String(in.readNBytes(100), StandardCharsets.ISO_8859_1);
        }
    }

    private static Object keyOf(final Path file) throws IOException {
        return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    }
}
