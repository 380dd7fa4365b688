// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import io.burstlog.doors.ClientThreads;
import java.util.Set;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.config.AppenderControl;
import org.apache.logging.log4j.core.config.LoggerConfig;
import org.apache.logging.log4j.util.PropertiesUtil;

/**
 * Decides whether an exception about an event would reach anybody. An async logger hands its events over to a thread of
 * Log4j, which prints the stack trace of every exception to the console and goes on: 22 lines for each event. The
 * appender throws as ever if something between that thread and the appender can react ({@code Failover},
 * {@code AsyncAppender} with its {@code errorRef}), or if the application has an exception handler of its own. An event
 * that a shipper logs about itself throws nothing, because the exception would end the shipper.
 */
final class UnheardEvents {

    private static final StackWalker CALLERS = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);
    private static final Set<Class<?>> PASSING_ON =
            Set.of(UnheardEvents.class, BurstAppender.class, BurstErrorHandler.class, AppenderControl.class);
    private static final boolean OWN_HANDLER =
            isSet("AsyncLogger.ExceptionHandler") || isSet("AsyncLoggerConfig.ExceptionHandler");

    private UnheardEvents() {}

    private static boolean isSet(final String property) {
        return PropertiesUtil.getProperties().getStringProperty(property) != null;
    }

    static boolean contain(final LogEvent event) {
        return ClientThreads.isOne() || !OWN_HANDLER && AckRule.isHandedOver(event) && isCalledBy(LoggerConfig.class);
    }

    /** Tells whether an object of that class has called the appender. */
    static boolean isCalledBy(final Class<?> caller) {
        return CALLERS.walk(frames -> frames.map(StackWalker.StackFrame::getDeclaringClass)
                .filter(type -> !PASSING_ON.contains(type))
                .findFirst()
                .filter(caller::isAssignableFrom)
                .isPresent());
    }
}
