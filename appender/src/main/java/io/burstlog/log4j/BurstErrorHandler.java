// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import io.burstlog.BurstException;
import org.apache.logging.log4j.core.Appender;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.appender.AppenderLoggingException;
import org.apache.logging.log4j.core.appender.DefaultErrorHandler;

/** Log4j's own, which prints stack traces, but silent about what the appender's {@link LossReport} tells. */
final class BurstErrorHandler extends DefaultErrorHandler {

    BurstErrorHandler(final Appender appender) {
        super(appender);
    }

    @Override
    public void error(final String message, final LogEvent event, final Throwable error) {
        if (!isReported(error)) {
            super.error(message, event, error);
        }
    }

    /** What a layout throws, or an Error that Log4j has wrapped, is not. */
    private static boolean isReported(final Throwable error) {
        return error instanceof AppenderLoggingException
                && (error.getCause() == null || error.getCause() instanceof BurstException);
    }
}
