// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import io.burstlog.BurstException;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.appender.AppenderLoggingException;
import org.apache.logging.log4j.core.appender.DefaultErrorHandler;
import org.apache.logging.log4j.core.appender.FailoverAppender;

/**
 * Log4j's own error handler prints stack traces. This one does the same, except for failures that the appender's loss
 * report tells. It throws if Log4j drops an event because it takes the call for a recursive one: the event is not
 * logged, so the caller must hear of it. It also throws if a {@code Failover} would log an event that is logged.
 */
final class BurstErrorHandler extends DefaultErrorHandler {

    /** The beginning of Log4j's message about an event that it drops, in all versions of Log4j. */
    private static final String DROPPED = "Recursive call";

    private final BurstAppender appender;

    BurstErrorHandler(final BurstAppender appender) {
        super(appender);
        this.appender = appender;
    }

    /**
     * {@inheritDoc}
     *
     * @throws AppenderLoggingException if Log4j is about to drop an event, and the appender does not ignore exceptions
     */
    @Override
    public void error(final String message) {
        if (message.startsWith(DROPPED)) {
            appender.refuse(RecursionMark.isOfThisCall() ? nested() : afterOverflow());
        } else {
            super.error(message);
        }
    }

    private AppenderLoggingException nested() {
        return new AppenderLoggingException("Burst '" + appender.getName() + "': an event was not logged, because its"
                + " thread logged it while this appender was taking another event of the same logger: log it before or"
                + " after, or give a layout, filter or toString() that logs a logger with an AppenderRef of its own.");
    }

    private AppenderLoggingException afterOverflow() {
        final boolean isRemoved = RecursionMark.remove(appender);
        return new AppenderLoggingException(
                "Burst '" + appender.getName() + "': an event was not logged, because Log4j"
                        + " takes its thread to be in this appender since a stack overflow in an earlier log call; "
                        + (isRemoved
                                ? "the next event of the thread is logged again: find what overflows its stack."
                                : "no event of this thread is logged any more: let it end, and find what overflows its stack."));
    }

    /**
     * {@inheritDoc}
     *
     * @throws LoggedWithoutCopy if a {@code Failover} called the appender for an event that lacks its copy alone
     */
    @Override
    public void error(final String message, final LogEvent event, final Throwable error) {
        if (isLogged(error) && !appender.ignoreExceptions() && UnheardEvents.isCalledBy(FailoverAppender.class)) {
            throw new LoggedWithoutCopy((AppenderLoggingException) error);
        }
        if (!isReported(error)) {
            super.error(message, event, error);
        }
    }

    private static boolean isLogged(final Throwable error) {
        return error instanceof AppenderLoggingException
                && error.getCause() instanceof BurstException cause
                && cause.code() == BurstException.Code.NOT_COPIED;
    }

    /**
     * Tells whether the loss report tells this failure. It does not tell an exception of a layout, or an Error that
     * Log4j has wrapped.
     */
    private static boolean isReported(final Throwable error) {
        return error instanceof AppenderLoggingException
                && (error.getCause() == null || error.getCause() instanceof BurstException);
    }
}
