// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling.comparison;

import io.burstlog.BurstStream;
import io.burstlog.log4j.BurstAppender;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.apache.logging.log4j.core.Appender;
import org.apache.logging.log4j.core.appender.rolling.RollingFileManager;

/** Tells a run when the appender under test has no background work left. */
final class Burst {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private Burst() {}

    static void settle(final Appender appender) throws ReflectiveOperationException {
        final Object open = field(appender, "stream");
        if (open == null) {
            return;
        }
        if (!((BurstStream) field(open, "stream")).awaitDrained(PATIENCE)) {
            throw new IllegalStateException("not drained within " + PATIENCE);
        }
        final Object rolling = field(open, "rolling");
        if (rolling != null) {
            final Object work = field(rolling, "work");
            final Thread roller = (Thread) field(field(work, "roller"), "thread");
            await(
                    "the roller",
                    () -> Arrays.stream(roller.getStackTrace())
                            .noneMatch(frame -> frame.getMethodName().equals("perform")));
            final Object jobs = field(work, "jobs");
            final Collection<?> pending = (Collection<?>) field(jobs, "pending");
            await("the jobs", () -> {
                synchronized (jobs) {
                    return pending.isEmpty();
                }
            });
        }
    }

    private static void await(final String what, final BooleanSupplier isDone) {
        final long end = System.nanoTime() + PATIENCE.toNanos();
        while (!isDone.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new IllegalStateException(what + " have not ended within " + PATIENCE);
            }
            LockSupport.parkNanos(200_000);
        }
    }

    static RollingFileManager managerOf(final Appender appender) {
        return ((BurstAppender) appender).getManager();
    }

    private static Object field(final Object of, final String name) throws ReflectiveOperationException {
        final Field field = of.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field.get(of);
    }
}
