// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.function.Function;
import org.apache.logging.log4j.core.appender.rolling.DefaultRolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.RolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.SizeBasedTriggeringPolicy;
import org.apache.logging.log4j.core.appender.rolling.action.Action;
import org.apache.logging.log4j.core.appender.rolling.action.DeleteAction;
import org.apache.logging.log4j.core.appender.rolling.action.IfAccumulatedFileCount;
import org.apache.logging.log4j.core.appender.rolling.action.IfFileName;
import org.apache.logging.log4j.core.appender.rolling.action.PathCondition;
import org.apache.logging.log4j.core.appender.rolling.action.PathSortByModificationTime;
import org.apache.logging.log4j.core.appender.rolling.action.PathSorter;
import org.apache.logging.log4j.core.config.Configuration;

/**
 * Logs and rolls with a fault, then starts again and does so without one. It runs in the class loader
 * {@link FailingLog4j}, so arguments and result have the JDK's types. Returns how many events were logged, negative if
 * the fault did not strike.
 */
@SuppressWarnings("deprecation") // Older versions of Log4j lack the factories' replacements.
public final class RunWithFaults implements Function<Map<String, String>, Integer> {

    private static final int EVENTS = 32;

    private int logged;

    @Override
    public Integer apply(final Map<String, String> run) {
        final Path folder = Path.of(run.get("folder"));
        FailingCalls.arm(FailingCalls.Fault.ONCE, 0);
        final FileWritingStream stream = new FileWritingStream(folder.resolve("app.log"), Instant.now());
        FailingCalls.arm(FailingCalls.Fault.valueOf(run.get("fault")), Integer.parseInt(run.get("call")));
        logAndEnd(settings(folder, run), stream);
        final boolean hasStruck = FailingCalls.hasStruck();
        FailingCalls.arm(FailingCalls.Fault.ONCE, 0);
        stream.reopen();
        logAndEnd(settings(folder, run), stream);
        return hasStruck ? logged : -logged;
    }

    private void logAndEnd(final RollingSettings settings, final FileWritingStream stream) {
        RolledLog log = null;
        try {
            log = RolledLog.open(settings, stream);
            log.manager().retryAfter(Duration.ZERO);
            for (int i = 0; i < EVENTS && !FailingCalls.isDead(); i++) {
                log.log("event " + (1000 + ++logged));
                stream.awaitDrained(Duration.ofMillis(200));
            }
        } catch (final FailingCalls.Dead asWanted) {
            // The event was accepted, or its call has not returned.
            logged = Math.max(0, stream.lastEvent() - 1000);
        }
        if (!FailingCalls.isDead()) {
            log.close();
            return;
        }
        stream.kill();
        if (log != null) {
            log.rolling().end(RolledLog.PATIENCE);
        }
        awaitEndOfRoller();
    }

    /** Remains of a dead process must not act in the next one. */
    private static void awaitEndOfRoller() {
        Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("burstlog-roller"))
                .forEach(thread -> {
                    try {
                        thread.join();
                    } catch (final InterruptedException unexpected) {
                        throw new AssertionError(unexpected);
                    }
                });
    }

    private static RollingSettings settings(final Path folder, final Map<String, String> run) {
        final RolloverStrategy strategy = DefaultRolloverStrategy.createStrategy(
                run.get("max"),
                null,
                run.get("fileIndex"),
                null,
                run.containsKey("delete") ? new Action[] {delete(folder, run.get("delete"))} : null,
                false,
                RolledLog.configuration());
        final RollingSettings settings =
                RolledLog.settings(folder, run.get("pattern"), SizeBasedTriggeringPolicy.createPolicy("50"), strategy);
        final long total = Long.parseLong(run.getOrDefault("maxTotalSize", "0"));
        return RolledLog.with(
                settings, before -> new RollingSettings.Archives(Duration.ZERO, total, Duration.ofDays(1)));
    }

    private static Action delete(final Path folder, final String count) {
        final Configuration configuration = RolledLog.configuration();
        final PathSorter newestFirst = PathSortByModificationTime.createSorter(true);
        final PathCondition[] conditions = {
            IfFileName.createNameCondition("app-*", null),
            IfAccumulatedFileCount.createFileCountCondition(Integer.parseInt(count))
        };
        return DeleteAction.createDeleteAction(
                folder.toString(), false, 1, false, newestFirst, conditions, null, configuration);
    }
}
