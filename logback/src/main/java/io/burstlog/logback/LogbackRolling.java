// SPDX-License-Identifier: Apache-2.0
package io.burstlog.logback;

import ch.qos.logback.core.Context;
import ch.qos.logback.core.rolling.RollingPolicy;
import ch.qos.logback.core.rolling.SizeAndTimeBasedRollingPolicy;
import ch.qos.logback.core.rolling.TimeBasedRollingPolicy;
import ch.qos.logback.core.rolling.TriggeringPolicy;
import ch.qos.logback.core.spi.ContextAwareBase;
import ch.qos.logback.core.util.FileSize;
import io.burstlog.BurstException;
import io.burstlog.Rolling;
import io.burstlog.doors.Settings;
import java.lang.reflect.Field;

/** Translates one of Logback's rolling policies into rules by which the engine rolls. Not thread-safe. */
final class LogbackRolling extends ContextAwareBase {

    private static final String FIELDS = "ch.qos.logback.core/ch.qos.logback.core.rolling=io.burstlog.logback";

    private final Settings settings;

    LogbackRolling(Settings settings, Context context) {
        this.settings = settings;
        setContext(context);
    }

    /** Returns the rules; complains in the settings and returns null if the engine cannot roll like that. */
    Rolling read(RollingPolicy policy, TriggeringPolicy<?> triggering, boolean hasFile, boolean hasHeaderOrFooter) {
        String name = policy.getClass().getSimpleName();
        boolean isKnown = policy.getClass() == TimeBasedRollingPolicy.class
                || policy.getClass() == SizeAndTimeBasedRollingPolicy.class;
        if (!isKnown) {
            settings.complain("rollingPolicy " + name + " cannot be used, because files that ended keep their names"
                    + " here: use TimeBasedRollingPolicy or SizeAndTimeBasedRollingPolicy");
        } else if (triggering != null && triggering != policy) {
            settings.complain("triggeringPolicy cannot be used beside " + name
                    + ", which says itself when a file ends: remove it");
        } else if (!hasFile) {
            settings.complain("file is missing, without which " + name
                    + " would write to a file named by its pattern: set it to the log file");
        } else if (hasHeaderOrFooter) {
            settings.complain(
                    "an encoder with a header or a footer cannot be used with rollingPolicy, because the files"
                            + " that the engine begins have none: use another encoder");
        } else {
            return read((TimeBasedRollingPolicy<?>) policy);
        }
        return null;
    }

    private Rolling read(TimeBasedRollingPolicy<?> policy) {
        // Joran has started the policy, which deletes files if cleanHistoryOnStart is set. The stop waits for the end
        // of that.
        policy.stop();
        try {
            FileNamePatternReader pattern = FileNamePatternReader.read(policy.getFileNamePattern());
            long size = 0;
            if (policy instanceof SizeAndTimeBasedRollingPolicy) {
                size = bytes(policy, SizeAndTimeBasedRollingPolicy.class, "maxFileSize");
                pattern.requireIndex();
            } else {
                pattern.requireDefaultTrigger(policy.getTimeBasedFileNamingAndTriggeringPolicy());
            }
            Rolling rolling = Rolling.to(pattern.pattern())
                    .interval(pattern.period())
                    .size(size)
                    .compress(pattern.compress())
                    .keepBytes(bytes(policy, TimeBasedRollingPolicy.class, "totalSizeCap"));
            return policy.getMaxHistory() <= 0
                    ? rolling
                    : rolling.keep(pattern.period().multipliedBy(policy.getMaxHistory()));
        } catch (BurstException | IllegalArgumentException refusal) {
            settings.complain(refusal.getMessage());
            return null;
        }
    }

    /** Reads a size from the private field of the policy, because there is no getter. */
    private static long bytes(Object policy, Class<?> owner, String property) {
        try {
            Field field = owner.getDeclaredField(property);
            field.setAccessible(true);
            FileSize size = (FileSize) field.get(policy);
            if (size == null) {
                throw new IllegalArgumentException(property + " is missing: set it to the length of a file");
            }
            return size.getSize();
        } catch (ReflectiveOperationException | RuntimeException unreadable) {
            if (unreadable instanceof IllegalArgumentException missing) {
                throw missing;
            }
            throw new IllegalArgumentException(property + " of " + owner.getSimpleName()
                    + " cannot be read; start the JVM with --add-opens " + FIELDS);
        }
    }
}
