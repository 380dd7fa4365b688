// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling.comparison;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.Map;
import java.util.TimeZone;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiFunction;
import java.util.function.LongSupplier;
import org.apache.logging.log4j.Logger;
import org.apache.logging.log4j.core.Appender;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.appender.AbstractOutputStreamAppender;
import org.apache.logging.log4j.core.appender.rolling.RollingFileManager;
import org.apache.logging.log4j.core.config.ConfigurationFactory;

/**
 * One run of a scenario, in the class loader of {@link SimulatedLog4j}; arguments and result have the JDK's types. The
 * steps are separated by blanks: {@code 5} logs 5 events, {@code 5x100} logs 5 of 100 bytes; {@code +10m} and
 * {@code -10m} move the clock (s, m, h, d), {@code @2024-03-31T02:30} sets it; {@code restart} stops Log4j and starts
 * it again, {@code reload} gives it the same configuration; {@code roll} rolls by hand; others do {@code write:NAME}
 * and {@code delete:NAME} below the folder; {@code seen} waits until a shipper has seen all events.
 */
public final class RollingRun implements BiFunction<Map<String, String>, LongSupplier, Integer> {

    private static final Map<Character, Duration> UNITS = Map.of(
            's', Duration.ofSeconds(1),
            'm', Duration.ofMinutes(1),
            'h', Duration.ofHours(1),
            'd', Duration.ofDays(1));

    private Path folder;
    private URI configuration;
    private ZoneId zone;
    private LoggerContext context;
    private LongSupplier seen;
    private int events;

    /** Runs the steps. Returns the number of events. */
    @Override
    public Integer apply(final Map<String, String> run, final LongSupplier seenEvents) {
        seen = seenEvents;
        folder = Path.of(run.get("folder"));
        configuration = Path.of(run.get("configuration")).toUri();
        zone = ZoneId.of(run.get("zone"));
        final TimeZone before = TimeZone.getDefault();
        final ClassLoader loaderBefore = Thread.currentThread().getContextClassLoader();
        TimeZone.setDefault(TimeZone.getTimeZone(zone));
        Thread.currentThread().setContextClassLoader(getClass().getClassLoader());
        try {
            SimulatedTime.forgetFiles();
            SimulatedTime.startAt(millis(run.get("start")));
            start();
            for (final String step : run.get("steps").trim().split("\\s+")) {
                perform(step);
                settle();
            }
            context.stop();
            return events;
        } catch (final ReflectiveOperationException | IOException failed) {
            throw new IllegalStateException(failed);
        } finally {
            Thread.currentThread().setContextClassLoader(loaderBefore);
            TimeZone.setDefault(before);
        }
    }

    private void start() {
        context = new LoggerContext("rolling");
        context.start(ConfigurationFactory.getInstance().getConfiguration(context, "rolling", configuration));
        settle();
    }

    private void perform(final String step) throws ReflectiveOperationException, IOException {
        if (Character.isDigit(step.charAt(0))) {
            final String[] parts = step.split("x");
            log(Integer.parseInt(parts[0]), parts.length > 1 ? Integer.parseInt(parts[1]) : 20);
        } else if (step.startsWith("@")) {
            SimulatedTime.advanceTo(millis(step.substring(1)), this::settle);
        } else if (step.startsWith("+") || step.startsWith("-")) {
            final int last = step.length() - 1;
            final Duration by = UNITS.get(step.charAt(last)).multipliedBy(Long.parseLong(step.substring(0, last)));
            SimulatedTime.advanceTo(SimulatedTime.currentTimeMillis() + by.toMillis(), this::settle);
        } else if (step.equals("restart")) {
            context.stop();
            SimulatedTime.stampFiles(folder);
            SimulatedTime.startAt(SimulatedTime.currentTimeMillis());
            start();
        } else if (step.equals("reload")) {
            context.reconfigure(ConfigurationFactory.getInstance().getConfiguration(context, "rolling", configuration));
        } else if (step.equals("roll")) {
            for (final Appender appender :
                    context.getConfiguration().getAppenders().values()) {
                managerOf(appender).rollover();
            }
        } else if (step.startsWith("write:")) {
            final Path file = folder.resolve(step.substring(6));
            Files.createDirectories(file.getParent());
            Files.writeString(file, "of somebody else\n");
        } else if (step.startsWith("delete:")) {
            Files.delete(folder.resolve(step.substring(7)));
        } else if (step.equals("seen")) {
            awaitSeen();
        } else {
            throw new IllegalArgumentException("no step: " + step);
        }
    }

    private void awaitSeen() {
        final long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (seen.getAsLong() < events && System.nanoTime() < end) {
            LockSupport.parkNanos(100_000);
        }
    }

    private void log(final int count, final int bytes) {
        final Logger logger = context.getLogger("com.example.Trading");
        for (int i = 0; i < count; i++) {
            final String message = "event " + ++events + " ";
            logger.info(message + ".".repeat(Math.max(0, bytes - message.length())));
        }
    }

    private long millis(final String local) {
        return LocalDateTime.parse(local).atZone(zone).toInstant().toEpochMilli();
    }

    /** Waits until the background work is done. */
    private void settle() {
        try {
            for (final Appender appender :
                    context.getConfiguration().getAppenders().values()) {
                if (appender instanceof AbstractOutputStreamAppender) {
                    settle(managerOf(appender));
                } else {
                    Burst.settle(appender);
                }
            }
            SimulatedTime.stampFiles(folder);
        } catch (final ReflectiveOperationException | InterruptedException failed) {
            throw new IllegalStateException(failed);
        } catch (final IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static void settle(final RollingFileManager manager)
            throws ReflectiveOperationException, InterruptedException {
        final Method semaphore = RollingFileManager.class.getDeclaredMethod("getSemaphore");
        semaphore.setAccessible(true);
        final Semaphore busy = (Semaphore) semaphore.invoke(manager);
        busy.acquire();
        busy.release();
    }

    private static RollingFileManager managerOf(final Appender appender) {
        return appender instanceof AbstractOutputStreamAppender<?> ofLog4j
                ? (RollingFileManager) ofLog4j.getManager()
                : Burst.managerOf(appender);
    }
}
