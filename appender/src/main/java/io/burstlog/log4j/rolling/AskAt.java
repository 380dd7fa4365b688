// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import org.apache.logging.log4j.core.appender.rolling.CompositeTriggeringPolicy;
import org.apache.logging.log4j.core.appender.rolling.CronTriggeringPolicy;
import org.apache.logging.log4j.core.appender.rolling.NoOpTriggeringPolicy;
import org.apache.logging.log4j.core.appender.rolling.OnStartupTriggeringPolicy;
import org.apache.logging.log4j.core.appender.rolling.SizeBasedTriggeringPolicy;
import org.apache.logging.log4j.core.appender.rolling.TimeBasedTriggeringPolicy;
import org.apache.logging.log4j.core.appender.rolling.TriggeringPolicy;

/**
 * From when on a policy has to be asked, so that it is not asked for each event.
 *
 * @param bytes when the file has more than so many
 * @param millis when the event has this time or a later one
 */
record AskAt(long bytes, long millis) {

    static final AskAt NEVER = new AskAt(Long.MAX_VALUE, Long.MAX_VALUE);

    private static final AskAt ALWAYS = new AskAt(Long.MIN_VALUE, Long.MIN_VALUE);

    /** A policy that is not Log4j's own is asked for each event. So is one derived from Log4j's. */
    static AskAt of(final TriggeringPolicy policy) {
        if (policy instanceof CompositeTriggeringPolicy all) {
            AskAt first = NEVER;
            for (final TriggeringPolicy one : all.getTriggeringPolicies()) {
                first = first.or(of(one));
            }
            return first;
        }
        final Class<?> type = policy.getClass();
        if (type == SizeBasedTriggeringPolicy.class) {
            return new AskAt(((SizeBasedTriggeringPolicy) policy).getMaxFileSize(), Long.MAX_VALUE);
        }
        if (type == TimeBasedTriggeringPolicy.class) {
            return new AskAt(Long.MAX_VALUE, ((TimeBasedTriggeringPolicy) policy).getNextRolloverMillis());
        }
        final boolean asksForItself = type == CronTriggeringPolicy.class
                || type == OnStartupTriggeringPolicy.class
                || type == NoOpTriggeringPolicy.class;
        return asksForItself ? NEVER : ALWAYS;
    }

    private AskAt or(final AskAt other) {
        return new AskAt(Math.min(bytes, other.bytes), Math.min(millis, other.millis));
    }
}
